#include "worker/runner/candidate_process.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "absl/random/random.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/runner/programs.h"
#include "worker/runner/runner_connection.h"

namespace kernelsmith::worker {
namespace {

using runner::Reply;
using runner::ReplyMessage;
using Received = RunnerConnection::Received;

constexpr const char* kRunnerInside = "/candidate/kernelsmith-runner";
constexpr const char* kObjectInside = "/candidate/kernel.so";
constexpr int64_t kRunnerBytes = int64_t{256} << 20;  // address space of the runner itself
constexpr absl::Duration kMapLimit = absl::Seconds(20);
constexpr absl::Duration kDying = absl::Seconds(5);  // a process that closed its socket ends within

class Candidate final : public CandidateProcess {
 public:
  absl::Status Start(const CandidateSpec& spec) {
    ASSIGN_OR_RETURN(const std::string runner, FindProgram("kernelsmith-runner", spec.runner_path));
    RETURN_IF_ERROR(CheckReadableByAll(runner, S_IROTH | S_IXOTH));
    RETURN_IF_ERROR(connection_.Open());
    JailSpec jail;
    jail.argv = {kRunnerInside};
    jail.read_only = {{runner, kRunnerInside}};
    if (!spec.object_path.empty()) {
      RETURN_IF_ERROR(CheckReadableByAll(spec.object_path, S_IROTH));
      jail.read_only.emplace_back(spec.object_path, kObjectInside);
    }
    jail.fds = {{connection_.their_end(), runner::kSocket}};
    jail.limits = spec.limits;
    if (jail.limits.memory_bytes > 0) jail.limits.memory_bytes += kRunnerBytes + spec.pool_bytes;
    ASSIGN_OR_RETURN(jail_, JailedProcess::Start(jail));
    connection_.CloseTheirEnd();
    return Load(spec);
  }

  absl::StatusOr<int> AddPool(const SlotPool& pool) override {
    ASSIGN_OR_RETURN(const std::string packet, EncodeMap(pool));
    std::vector<int> fds;
    for (const SharedMemory* memory : {&pool.input_memory(), &pool.output_memory()}) {
      if (memory->fd() >= 0) fds.push_back(memory->fd());
    }
    RETURN_IF_ERROR(Thaw());
    ReplyMessage reply;
    RETURN_IF_ERROR(Ask(packet, fds, kMapLimit, Reply::kMapped, &reply));
    return pools_++;
  }

  absl::StatusOr<BatchOutcome> RunBatch(int pool, absl::Span<const int> slots, TimeLimit& limit) override {
    if (slots.empty() || slots.size() > runner::kMaxCalls) {
      return absl::InvalidArgumentError(
          absl::StrCat("a batch has 1 to ", runner::kMaxCalls, " slots, not ", slots.size()));
    }
    RETURN_IF_ERROR(Thaw());
    BatchOutcome outcome;
    if (connection_.HasStrayReply()) return Forged("an answer that nobody asked for", outcome);
    sequence_ = absl::Uniform<uint32_t>(random_);
    const std::string packet = EncodeCall(sequence_, pool, slots);
    ReplyMessage reply;
    // What the process used so far is read before the clock runs.
    if (!limit.entered()) limit.Enter(absl::Now(), jail_->Use().used);
    const auto begin = std::chrono::steady_clock::now();
    const Received received = connection_.Send(packet) ? Receive(limit, &reply) : Received::kClosed;
    absl::Status frozen;
    if (received == Received::kReply) frozen = Freeze();
    outcome.wall = absl::FromChrono(std::chrono::steady_clock::now() - begin);
    switch (received) {
      case Received::kClosed:
        return Died(TimeLimit(kDying), outcome);
      case Received::kTimeout:
        return Late(limit, outcome);
      case Received::kGarbage:
        return Forged("a packet that is no answer", outcome);
      case Received::kReply:
        break;
    }
    if (!frozen.ok() && jail_->Running()) return frozen;
    return Judge(reply, slots, outcome);
  }

  ExitReport Quit(absl::Duration grace) override {
    if (!exit_.has_value()) {
      if (jail_->Running() && Thaw().ok()) connection_.Send(EncodeQuit());
      exit_ = jail_->Wait(TimeLimit(grace));
    }
    return *exit_;
  }

  const ExitReport& exit() const override { return *exit_; }
  int CountTasks() override { return jail_->CountTasks(); }
  void Kill() override { jail_->Kill(); }

  // The report of a process that did not survive Start; nothing if it never ran.
  std::optional<ExitReport> TakeExit() { return std::move(exit_); }

 private:
  absl::Status Load(const CandidateSpec& spec) {
    ReplyMessage reply;
    const std::string packet = EncodeLoad(spec.object_path.empty() ? "" : kObjectInside, spec.cpu_count);
    return Ask(packet, {}, spec.start_limit, Reply::kLoaded, &reply);
  }

  Received Receive(TimeLimit& limit, ReplyMessage* reply) {
    Received received = Received::kTimeout;
    AwaitWithin(limit, *jail_, [&](absl::Time until) {
      received = connection_.Receive(until, reply);
      return received != Received::kTimeout;
    });
    return received;
  }

  // One request outside the timed part, and what became of it as a status.
  absl::Status Ask(const std::string& packet, absl::Span<const int> fds, absl::Duration time, Reply wanted,
                   ReplyMessage* reply) {
    TimeLimit limit(time);
    const Received received = connection_.Send(packet, fds) ? Receive(limit, reply) : Received::kClosed;
    if (received == Received::kReply && reply->kind == wanted) return absl::OkStatus();
    if (received == Received::kReply && reply->kind == Reply::kRefused) {
      exit_ = jail_->Wait(absl::Now());
      return absl::FailedPreconditionError(
          absl::StrCat("the object cannot be loaded: ", absl::Utf8SafeCHexEscape(TextOf(*reply))));
    }
    BatchOutcome outcome;
    if (received == Received::kTimeout) {
      Died(TimeLimit(absl::ZeroDuration()), outcome);
      if (limit.starved()) return absl::UnavailableError("the candidate, while it was loaded, " + StarvedText(limit));
      return absl::DeadlineExceededError("the candidate does not finish loading");
    }
    if (received == Received::kReply && reply->kind == Reply::kFault) {
      outcome = Fault(*reply, outcome);
    } else {
      outcome = Died(TimeLimit(received == Received::kClosed ? kDying : absl::ZeroDuration()), outcome);
    }
    const std::string detail =
        absl::StrCat("the candidate ended while it was loaded", outcome.detail.empty() ? "" : ": ",
                     absl::Utf8SafeCHexEscape(outcome.detail));
    if (outcome.end == BatchEnd::kOutOfMemory) return absl::ResourceExhaustedError(detail);
    return absl::AbortedError(detail);
  }

  BatchOutcome Judge(const ReplyMessage& reply, absl::Span<const int> slots, BatchOutcome outcome) {
    if (reply.kind != Reply::kFault && reply.sequence != sequence_)
      return Forged("an answer to another batch", outcome);
    outcome.slot = reply.slot;
    outcome.detail = TextOf(reply);
    switch (reply.kind) {
      case Reply::kDone:
        outcome.end = BatchEnd::kDone;
        break;
      case Reply::kFailed:
        outcome.end = BatchEnd::kFailed;
        outcome.return_code = reply.code;
        break;
      case Reply::kException:
        outcome.end = BatchEnd::kException;
        break;
      case Reply::kNoMemory:
        outcome.end = BatchEnd::kOutOfMemory;
        break;
      case Reply::kFault:
        return Fault(reply, outcome);
      default:
        return Forged("an answer to another request", outcome);
    }
    if (reply.kind == Reply::kDone || std::find(slots.begin(), slots.end(), reply.slot) == slots.end())
      outcome.slot = -1;
    outcome.tasks = jail_->CountTasks();
    if (outcome.tasks == 0) return Died(TimeLimit(kDying), outcome);
    return outcome;
  }

  // The process announced its own death of a signal. If it does not die, it was no announcement.
  BatchOutcome Fault(const ReplyMessage& reply, BatchOutcome outcome) {
    (void)Thaw();
    outcome = Died(TimeLimit(kDying), outcome);
    outcome.slot = reply.slot;
    outcome.detail = TextOf(reply);
    if (outcome.end != BatchEnd::kDied || exit_->kind != ExitKind::kSignalled) return outcome;
    switch (reply.hint) {
      case runner::Hint::kInputWrite:
        outcome.hint = FaultHint::kInputWrite;
        break;
      case runner::Hint::kOutOfMemory:
        outcome.hint = FaultHint::kOutOfMemory;
        outcome.end = BatchEnd::kOutOfMemory;
        break;
      case runner::Hint::kForbiddenCall:
        outcome.hint = FaultHint::kForbiddenCall;
        break;
      default:
        break;
    }
    return outcome;
  }

  // Waits for the end of the process, which is killed when the limit is over.
  BatchOutcome Died(TimeLimit limit, BatchOutcome outcome) {
    if (!exit_.has_value()) exit_ = jail_->Wait(limit);
    outcome.tasks = 0;
    outcome.end = exit_->kind == ExitKind::kDeadline ? BatchEnd::kDeadline : BatchEnd::kDied;
    if (exit_->kind == ExitKind::kMemoryLimit) outcome.end = BatchEnd::kOutOfMemory;
    return exit_->kind == ExitKind::kStarved ? Starved(limit, outcome) : outcome;
  }

  static BatchOutcome Starved(const TimeLimit& limit, BatchOutcome outcome) {
    outcome.end = BatchEnd::kStarved;
    outcome.detail = StarvedText(limit);
    return outcome;
  }

  // It did not answer in time.
  BatchOutcome Late(const TimeLimit& limit, BatchOutcome outcome) {
    outcome = Died(TimeLimit(absl::ZeroDuration()), outcome);
    return limit.starved() && outcome.end == BatchEnd::kDeadline ? Starved(limit, outcome) : outcome;
  }

  BatchOutcome Forged(absl::string_view what, BatchOutcome outcome) {
    jail_->Kill();
    outcome = Died(TimeLimit(absl::ZeroDuration()), outcome);
    outcome.end = BatchEnd::kProtocol;
    outcome.detail = absl::StrCat("the process sent ", what);
    return outcome;
  }

  absl::Status Freeze() {
    frozen_ = true;
    return jail_->Freeze();
  }

  absl::Status Thaw() {
    if (!frozen_) return absl::OkStatus();
    frozen_ = false;
    return jail_->Thaw();
  }

  RunnerConnection connection_;
  std::unique_ptr<JailedProcess> jail_;
  std::optional<ExitReport> exit_;
  absl::BitGen random_;
  uint32_t sequence_ = 0;  // of the batch under way: drawn anew each time, so that an answer cannot be prepared
  int pools_ = 0;
  bool frozen_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CandidateProcess>> CandidateProcess::Create(const CandidateSpec& spec,
                                                                           ExitReport* exit) {
  auto candidate = std::make_unique<Candidate>();
  const absl::Status started = candidate->Start(spec);
  if (started.ok()) return candidate;
  std::optional<ExitReport> report = candidate->TakeExit();
  if (exit != nullptr && report.has_value()) *exit = *std::move(report);
  return started;
}

absl::StatusOr<absl::Duration> MeasureEmptyBatch(const SlotPool& pool, int calls, int repeats) {
  CandidateSpec spec;
  spec.pool_bytes = pool.total_bytes();
  ASSIGN_OR_RETURN(const std::unique_ptr<CandidateProcess> process, CandidateProcess::Create(spec));
  ASSIGN_OR_RETURN(const int handle, process->AddPool(pool));
  std::vector<int> slots;
  for (int i = 0; i < calls; ++i) slots.push_back(i % pool.slots());
  std::vector<absl::Duration> walls;
  constexpr int kWarmUp = 5;
  for (int i = 0; i < kWarmUp + std::max(1, repeats); ++i) {
    ASSIGN_OR_RETURN(const BatchOutcome outcome, process->RunBatch(handle, slots, TimeLimit(absl::Seconds(10))));
    if (outcome.end != BatchEnd::kDone)
      return absl::UnavailableError("the empty kernel failed; the host is in trouble");
    if (i >= kWarmUp) walls.push_back(outcome.wall);
  }
  std::nth_element(walls.begin(), walls.begin() + walls.size() / 2, walls.end());
  return walls[walls.size() / 2];
}

}  // namespace kernelsmith::worker
