#include "worker/emulator/device/core.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/device/pipe_state.h"

namespace kernelsmith::emulator {
namespace {

// Scalar steps after which another core gets its turn, so that a core that polls memory sees what others write.
constexpr uint64_t kTurn = 20000;
// Turns that a core still gets once the launch has failed: enough for what it may find, not for waiting on a core that
// is gone.
constexpr uint32_t kTurnsAfterEnd = 500;

// For GetSystemCycle only: what an instruction takes, and what a nanosecond moves or computes.
constexpr uint64_t kInstructionNs = 20;
constexpr uint64_t kWorkPerNs = 64;

}  // namespace

Core::Core(LaunchState& launch, const Identity& identity, CoreMemory& memory)
    : launch_(launch), identity_(identity), pipes_(std::make_unique<PipeState>(*this)), memory_(memory) {
  memory_.Forget();
  const uint64_t limit = launch_.launch().step_limit;
  next_check_ = limit == 0 ? kTurn : std::min(kTurn, limit);
}

Core::~Core() = default;

const v1::Soc& Core::soc() const { return launch_.soc(); }

void Core::Append(Record record, const Access* accesses, uint16_t n_accesses, const Where& where) {
  record.core = identity_.index;
  record.accesses = n_accesses;
  record.file = static_cast<uint16_t>(launch_.StaticText(where.file));
  record.line = record.file == 0 ? 0 : where.line;
  record.operation = launch_.StaticText(where.operation);
  if (record.line != 0) last_call_ = where;
  record.scalar_steps = static_cast<uint32_t>(std::min<uint64_t>(steps_ - steps_recorded_, UINT32_MAX));
  steps_recorded_ = steps_;
  issued_ns_ += kInstructionNs + record.work / kWorkPerNs;
  launch_.trace().Append(record, accesses);
}

void Core::Report(Check check, const Where& where, std::string_view text, bool error, bool stops, const Access* access,
                  Pipe pipe) {
  if (stops) {
    const std::string_view file = where.file == nullptr ? std::string_view() : std::string_view(where.file);
    std::string message = absl::StrCat("core ", identity_.index, ", ");
    if (where.line != 0) {
      const size_t slash = file.rfind('/');
      message.append(slash == std::string_view::npos ? file : file.substr(slash + 1));
      absl::StrAppend(&message, ":", where.line, ", ");
    }
    absl::StrAppend(&message, where.operation, ": ");
    message.append(text);
    launch_.End(LaunchEnd::kFault, std::move(message));
  }
  if (!launch_.AdmitFinding(check, where.file, where.line)) return;
  Record record{};
  record.kind = Kind::kFinding;
  record.pipe = pipe;
  record.a = static_cast<uint32_t>(check);
  record.b = error ? 1 : 0;
  record.c = launch_.Text(text);
  Append(record, access, access == nullptr ? 0 : 1, where);
}

void Core::CheckSteps() {
  const uint64_t limit = launch_.launch().step_limit;
  if (limit != 0 && steps_ >= limit && !launch_.stopped()) {
    const Where where{"kernel", nullptr, 0};
    const std::string text =
        absl::StrCat("the kernel ran ", steps_,
                     " basic blocks on one core, the limit of a launch; look for a loop that does not end");
    Report(Check::kTimeout, where, text);
    launch_.End(LaunchEnd::kTimeout, absl::StrCat("core ", identity_.index, ": ", text));
    launch_.Stop();
  }
  if (launch_.end() != LaunchEnd::kDone && ++turns_after_end_ > kTurnsAfterEnd) launch_.Stop();
  if (launch_.stopped()) launch_.scheduler().Leave();
  next_check_ = steps_ + kTurn;
  if (limit != 0) next_check_ = std::min(next_check_, std::max(limit, steps_ + 1));
  launch_.scheduler().Yield();
}

}  // namespace kernelsmith::emulator
