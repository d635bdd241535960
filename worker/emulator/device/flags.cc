#include "worker/emulator/device/flags.h"

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/launch_state.h"

namespace kernelsmith::emulator {

std::string FlagName(Pipe source, Pipe waiting) {
  static constexpr const char* kNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
  return absl::StrCat(kNames[static_cast<size_t>(source)], "_", kNames[static_cast<size_t>(waiting)]);
}

bool Flags::Permitted(Pipe source, Pipe waiting, int32_t id, const Where& where) {
  const int32_t ids = core_.soc().event_ids();
  if (id < 0 || id >= ids || id >= kMaxIds) {
    core_.Report(Check::kArgument, where, absl::StrCat("event id ", id, " is not one of 0 to ", ids - 1));
    return false;
  }
  if (source == waiting || source >= Pipe::kAll || waiting >= Pipe::kAll) {
    core_.Report(Check::kArgument, where,
                 absl::StrCat("there is no flag ", FlagName(source, waiting), "; use PipeBarrier within one pipe"));
    return false;
  }
  return true;
}

void Flags::Set(Pipe source, Pipe waiting, int32_t id, const Where& where) {
  if (!Permitted(source, waiting, id, where)) return;
  Record record{};
  record.kind = Kind::kSetFlag;
  record.pipe = source;
  record.a = static_cast<uint32_t>(waiting);
  record.b = static_cast<uint32_t>(id);
  core_.Append(record, nullptr, 0, where);
  State& state = Find(source, waiting, id);
  if (state.count < 1) ++state.count;
}

void Flags::Wait(Pipe source, Pipe waiting, int32_t id, const Where& where) {
  if (!Permitted(source, waiting, id, where)) return;
  Record record{};
  record.kind = Kind::kWaitFlag;
  record.pipe = waiting;
  record.a = static_cast<uint32_t>(source);
  record.b = static_cast<uint32_t>(id);
  State& state = Find(source, waiting, id);
  if (state.count < 0 || (state.count == 0 && waiting == Pipe::kScalar)) Hang(source, waiting, id, where);
  core_.Append(record, nullptr, 0, where);
  --state.count;
  state.where = where;
}

void Flags::Settle() {
  for (int source = 0; source < kPipes; ++source) {
    for (int waiting = 0; waiting < kPipes; ++waiting) {
      for (int32_t id = 0; id < kMaxIds; ++id) {
        const State& state = states_[source][waiting][id];
        if (state.count < 0) Hang(static_cast<Pipe>(source), static_cast<Pipe>(waiting), id, state.where);
      }
    }
  }
}

void Flags::Hang(Pipe source, Pipe waiting, int32_t id, const Where& where) {
  const std::string text = absl::StrCat("WaitFlag waits for the flag ", FlagName(source, waiting), " with id ", id,
                                        ", which nothing sets; pair it with a SetFlag of the same event and id");
  core_.Report(Check::kHang, where, text, /*error=*/true, /*stops=*/false, nullptr, waiting);
  core_.launch().End(LaunchEnd::kHang,
                     absl::StrCat("core ", core_.identity().index, ", line ", where.line, ": ", text));
  core_.launch().scheduler().Leave();
}

int32_t Flags::Fetch(Pipe source, Pipe waiting) const {
  for (int32_t id = 0; id < core_.soc().event_ids() && id < kMaxIds; ++id) {
    if (!Find(source, waiting, id).reserved) return id;
  }
  return -1;
}

int32_t Flags::Allocate(Pipe source, Pipe waiting) {
  const int32_t id = Fetch(source, waiting);
  if (id >= 0) Find(source, waiting, id).reserved = true;
  return id;
}

bool Flags::Release(Pipe source, Pipe waiting, int32_t id) {
  if (id < 0 || id >= kMaxIds || !Find(source, waiting, id).reserved) return false;
  Find(source, waiting, id).reserved = false;
  return true;
}

void Flags::ReleaseAll() {
  for (auto& by_waiting : states_) {
    for (auto& ids : by_waiting) {
      for (State& state : ids) state.reserved = false;
    }
  }
}

}  // namespace kernelsmith::emulator
