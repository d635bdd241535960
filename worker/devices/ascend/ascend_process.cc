#include "worker/devices/ascend/ascend_process.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/devices/ascend/acl_errors.h"
#include "worker/devices/ascend/planner.h"
#include "worker/devices/ascend/runner_messages.h"
#include "worker/diagnostics/printable.h"
#include "worker/runner/programs.h"
#include "worker/runner/runner_connection.h"

namespace kernelsmith::worker {
namespace {

using ascend_runner::Reply;
using Received = RunnerConnection::Received;

constexpr const char* kRunnerInside = "/candidate/kernelsmith-ascend-runner";
constexpr const char* kObjectInside = "/candidate/kernel.so";
constexpr const char* kSources = "src/";
constexpr absl::Duration kOpenLimit = absl::Seconds(120);  // the first use of a card copies files to it
constexpr absl::Duration kMapLimit = absl::Seconds(60);
constexpr absl::Duration kGrace = absl::Seconds(5);  // the runtime's own limits speak first
constexpr absl::Duration kDying = absl::Seconds(5);
constexpr absl::Duration kSanitizerReport = absl::Seconds(30);
constexpr size_t kTextBytes = 600;

class AscendProcess final : public CandidateProcess {
 public:
  explicit AscendProcess(AscendCardOptions options) : options_(std::move(options)) {}

  absl::Status Start(const RunSpec& spec) {
    object_ = spec.object;
    ASSIGN_OR_RETURN(const std::string runner, FindProgram("kernelsmith-ascend-runner", options_.runner_path));
    RETURN_IF_ERROR(CheckReadableByAll(runner, S_IROTH | S_IXOTH));
    RETURN_IF_ERROR(connection_.Open());
    JailSpec jail;
    jail.argv = {kRunnerInside};
    sanitized_ = spec.sanitized;
    if (sanitized_) {
      ASSIGN_OR_RETURN(const std::string sanitizer, FindSanitizer(options_.root));
      jail.argv = {sanitizer, "-t", "memcheck", "--", kRunnerInside};
    }
    jail.env = CannEnvironment(options_.root);
    if (!options_.emulated_soc.empty()) jail.env.emplace_back("KERNELSMITH_EMULATED_SOC", options_.emulated_soc);
    jail.read_only = CannMounts(options_.root);
    jail.read_only.emplace_back(runner, kRunnerInside);
    if (!object_.empty()) {
      RETURN_IF_ERROR(CheckReadableByAll(object_.object_path, S_IROTH));
      jail.read_only.emplace_back(object_.object_path, kObjectInside);
    }
    jail.fds = {{connection_.their_end(), ascend_runner::kSocket}};
    jail.devices = options_.device_nodes;
    // Drivers reserve huge ranges of addresses, and an emulated card's memory is a file: neither may be limited.
    // Nothing in this process was written by a candidate but its kernels.
    jail.limits.memory_bytes = 0;
    jail.limits.file_bytes = 0;
    jail.limits.output_bytes = spec.limits.output_bytes;
    jail.limits.processes = 1024;
    jail.limits.open_files = 4096;
    ASSIGN_OR_RETURN(jail_, JailedProcess::Start(jail));
    connection_.CloseTheirEnd();
    RETURN_IF_ERROR(OpenCard());
    return object_.empty() ? absl::OkStatus() : Load();
  }

  absl::StatusOr<int> AddPool(const SlotPool& pool) override {
    PlanQuestion question;
    question.object = object_;
    question.cores = options_.cores;
    question.program = options_.plan_path;
    ASSIGN_OR_RETURN(const CheckedPlan plan, AskPlan(question, pool));
    std::vector<int> fds;
    for (const SharedMemory* memory : {&pool.input_memory(), &pool.output_memory()}) {
      if (memory->fd() >= 0) fds.push_back(memory->fd());
    }
    RETURN_IF_ERROR(Ask(EncodeMap(pool, plan), fds, kMapLimit, Reply::kMapped).status());
    return pools_++;
  }

  absl::StatusOr<BatchOutcome> RunBatch(int pool, absl::Span<const int> slots, TimeLimit& limit) override {
    if (slots.empty() || slots.size() > ascend_runner::kMaxSlots) {
      return absl::InvalidArgumentError(
          absl::StrCat("a batch on a card has 1 to ", ascend_runner::kMaxSlots, " slots, not ", slots.size()));
    }
    // A card keeps time by itself. An emulated one gets on as the host lets it.
    const std::string packet = EncodeRun(pool, slots, facts_.emulated() ? limit.longest_left() : limit.left());
    BatchOutcome outcome;
    if (!limit.entered()) limit.Enter(absl::Now(), jail_->Use().used);
    const auto begin = std::chrono::steady_clock::now();
    CardReply reply;
    std::string report;
    Received received = connection_.Send(packet) ? ReceiveAll(limit, &reply, &report) : Received::kClosed;
    if (received == Received::kTimeout && !facts_.emulated()) {
      TimeLimit grace(kGrace);
      received = ReceiveAll(grace, &reply, &report);
    }
    outcome.wall = absl::FromChrono(std::chrono::steady_clock::now() - begin);
    outcome.findings = ParseCardReport(report, kSources);
    if (received != Received::kReply) return Lost(received, limit, std::move(outcome));
    outcome.slot = reply.header.slot;
    outcome = Judge(reply, slots.size(), std::move(outcome));
    if (facts_.emulated() && outcome.device.has_value()) Refine(LaunchTimes(report), &*outcome.device);
    return outcome;
  }

  ExitReport Quit(absl::Duration grace) override {
    if (!exit_.has_value()) {
      if (jail_->Running()) connection_.Send(EncodeQuitCard());
      exit_ = jail_->Wait(TimeLimit(grace));
    }
    return *exit_;
  }

  const ExitReport& exit() const override { return *exit_; }
  // What runs inside is the runtime's own: no host code of a candidate could have started it.
  int CountTasks() override { return jail_->Running() ? 1 : 0; }
  void Kill() override { jail_->Kill(); }

  const CardFacts& facts() const { return facts_; }
  std::optional<ExitReport> TakeExit() { return std::move(exit_); }

 private:
  absl::Status OpenCard() {
    const absl::StatusOr<CardReply> reply =
        Ask(EncodeOpen(options_.device, options_.operation_limit), {}, kOpenLimit, Reply::kOpened);
    // Whatever keeps the card from opening is no candidate's doing.
    if (!reply.ok()) {
      exit_.reset();
      return absl::UnavailableError(absl::StrCat("the card cannot be opened: ", reply.status().message()));
    }
    ASSIGN_OR_RETURN(facts_, ParseCardFacts(reply->text));
    return absl::OkStatus();
  }

  absl::Status Load() { return Ask(EncodeLoadObject(kObjectInside), {}, kMapLimit, Reply::kLoaded).status(); }

  // One request outside the timed part, and what became of it as a status.
  absl::StatusOr<CardReply> Ask(const std::string& packet, absl::Span<const int> fds, absl::Duration time,
                                Reply wanted) {
    CardReply reply;
    std::string report;
    TimeLimit limit(time);
    const Received received = connection_.Send(packet, fds) ? ReceiveAll(limit, &reply, &report) : Received::kClosed;
    if (received == Received::kReply && reply.header.kind == wanted) return reply;
    if (received != Received::kReply) {
      exit_ = jail_->Wait(TimeLimit(received == Received::kClosed ? kDying : absl::ZeroDuration()));
      return absl::UnavailableError(
          absl::StrCat("kernelsmith-ascend-runner ended or does not answer: ", Printable(exit_->errors, kTextBytes)));
    }
    if (reply.header.kind == Reply::kRefused) {
      const std::string text = Printable(reply.text, kTextBytes);
      exit_ = jail_->Wait(absl::Now());
      if (wanted != Reply::kLoaded) return absl::UnavailableError(text);
      return absl::FailedPreconditionError(absl::StrCat("the object cannot be loaded: ", text));
    }
    return StatusOfFailure(reply);
  }

  absl::Status StatusOfFailure(const CardReply& reply) {
    const AclErrorMeaning meaning = MeaningOf(reply.header.code);
    const std::string text = FailureText(reply);
    NoteTrouble(meaning, text);
    exit_ = jail_->Wait(absl::Now());
    switch (meaning.status) {
      case v1::OUT_OF_MEMORY:
        return absl::ResourceExhaustedError(text);
      case v1::TIMEOUT:
        return absl::DeadlineExceededError(text);
      case v1::RUNTIME_ERROR:
        return absl::FailedPreconditionError(text);
      default:
        return absl::UnavailableError(text);
    }
  }

  static std::string FailureText(const CardReply& reply) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(reply.text, absl::MaxSplits('\0', 1));
    return AclErrorText(reply.header.code, parts.first, parts.second);
  }

  void NoteTrouble(const AclErrorMeaning& meaning, const std::string& text) const {
    if (meaning.error_class == AclErrorClass::kCard && options_.on_card_trouble) options_.on_card_trouble(text);
  }

  // Takes pieces of the card's report until the answer comes.
  Received ReceiveAll(TimeLimit& limit, CardReply* reply, std::string* report) {
    while (true) {
      std::string packet;
      Received received = Received::kTimeout;
      AwaitWithin(limit, *jail_, [&](absl::Time until) {
        received = connection_.ReceivePacket(until, ascend_runner::kMaxPacket, &packet);
        return received != Received::kTimeout;
      });
      if (received != Received::kReply) return received;
      if (!DecodeReply(packet, reply)) return Received::kGarbage;
      if (reply->header.kind != Reply::kPart) return Received::kReply;
      report->append(reply->text);
    }
  }

  BatchOutcome Judge(const CardReply& reply, size_t slots, BatchOutcome outcome) {
    outcome.tasks = 1;
    outcome.end = BatchEnd::kJudged;
    switch (reply.header.kind) {
      case Reply::kDone:
        outcome.end = BatchEnd::kDone;
        outcome.device = TimesOf(reply, slots);
        break;
      case Reply::kDamaged:
        outcome.status = v1::RUNTIME_ERROR;
        outcome.detail = reply.text;
        break;
      case Reply::kMutated:
        outcome.status = v1::INPUT_MUTATED;
        outcome.detail = reply.text;
        break;
      case Reply::kFailed: {
        const AclErrorMeaning meaning = MeaningOf(reply.header.code);
        outcome.status = meaning.status;
        outcome.detail = FailureText(reply);
        NoteTrouble(meaning, outcome.detail);
        Discard(outcome);
        break;
      }
      default:
        outcome.status = v1::INFRASTRUCTURE;
        outcome.detail = absl::StrCat("kernelsmith-ascend-runner refuses: ", Printable(reply.text, kTextBytes));
        Discard(outcome);
    }
    return outcome;
  }

  // After an error of the device its runtime is of no further use. A sanitizer writes its report when the program ends.
  void Discard(BatchOutcome& outcome) {
    if (sanitized_ && !exit_.has_value() && connection_.Send(EncodeQuitCard())) {
      exit_ = jail_->Wait(absl::Now() + kSanitizerReport);
    }
    if (!exit_.has_value()) exit_ = jail_->Wait(absl::Now());
    outcome.tasks = 0;
  }

  BatchOutcome Lost(Received received, const TimeLimit& limit, BatchOutcome outcome) {
    const bool deadline = received == Received::kTimeout;
    if (!exit_.has_value()) exit_ = jail_->Wait(TimeLimit(deadline ? absl::ZeroDuration() : kDying));
    outcome.tasks = 0;
    if (deadline) {
      outcome.end = limit.starved() ? BatchEnd::kStarved : BatchEnd::kDeadline;
      if (limit.starved()) outcome.detail = StarvedText(limit);
    } else if (exit_->kind == ExitKind::kKilled || exit_->kind == ExitKind::kOutputLimit) {
      outcome.end = BatchEnd::kDied;
    } else {
      outcome.end = BatchEnd::kJudged;
      outcome.status = v1::INFRASTRUCTURE;
      outcome.detail = absl::StrCat("kernelsmith-ascend-runner ended in the middle of a batch: ",
                                    Printable(exit_->errors, kTextBytes));
    }
    return outcome;
  }

  const AscendCardOptions options_;
  CompiledObject object_;
  RunnerConnection connection_;
  std::unique_ptr<JailedProcess> jail_;
  std::optional<ExitReport> exit_;
  bool sanitized_ = false;
  CardFacts facts_;
  int pools_ = 0;
};

}  // namespace

absl::StatusOr<CardFacts> DescribeAscendCard(const AscendCardOptions& options) {
  AscendProcess process(options);
  RETURN_IF_ERROR(process.Start({}));
  const CardFacts facts = process.facts();
  process.Quit(absl::Seconds(2));
  return facts;
}

absl::StatusOr<std::unique_ptr<CandidateProcess>> StartAscendProcess(const AscendCardOptions& options,
                                                                     const RunSpec& spec, ExitReport* exit) {
  auto process = std::make_unique<AscendProcess>(options);
  const absl::Status started = process->Start(spec);
  if (started.ok()) return process;
  std::optional<ExitReport> report = process->TakeExit();
  if (exit != nullptr && report.has_value()) *exit = *std::move(report);
  return started;
}

}  // namespace kernelsmith::worker
