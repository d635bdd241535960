// Every hostile candidate, really compiled and really run: what the process layer says about it, that nothing is left
// of it, and that the next candidate is served.
#include "worker/runner/candidate_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "tests/hostile/candidates.h"
#include "tests/worker/support/compiled_candidate.h"
#include "worker/jail/isolation.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {
namespace {

constexpr int kSlots = 4;
constexpr int64_t kElements = 1000;

// Processes that run under a user id of one of this program's jails; as root that is every process inside.
int JailedProcesses() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    pid_t pid = 0;
    struct stat info = {};
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    if (::stat(entry.path().c_str(), &info) != 0) continue;
    if (info.st_uid >= JailUid(::getpid(), 0) && info.st_uid <= JailUid(::getpid(), 63)) ++count;
  }
  return count;
}

struct RunResult {
  absl::Status created;
  BatchOutcome first;  // slots 0 to 3
  ExitReport exit;
  std::vector<int64_t> poisoned;  // by slot, after the first batch
  bool guards = true;
  bool inputs_intact = true;
  bool still = true;  // outputs do not change once the batch is over
  bool right = true;  // every output of the first batch
};

std::string AllOutputs(const SlotPool& pool) {
  std::string all;
  for (int slot = 0; slot < kSlots; ++slot) {
    const absl::Span<const std::byte> output = pool.Output(slot, 0);
    all.append(reinterpret_cast<const char*>(output.data()), output.size());
  }
  return all;
}

void Inspect(SlotPool& pool, RunResult& run) {
  const std::string before = AllOutputs(pool);
  absl::SleepFor(absl::Milliseconds(10));  // time in which a running thread would write
  run.still = AllOutputs(pool) == before;
  for (int slot = 0; slot < kSlots; ++slot) {
    run.poisoned.push_back(pool.PoisonedElements(slot, 0));
    run.guards = run.guards && pool.GuardsIntact(slot);
    const auto* const x = reinterpret_cast<const float*>(pool.Input(slot, 0).data());
    const auto* const y = reinterpret_cast<const float*>(pool.Output(slot, 0).data());
    for (int64_t i = 0; i < kElements; ++i) {
      run.inputs_intact = run.inputs_intact && x[i] == static_cast<float>(slot + i);
      run.right = run.right && y[i] == 2 * static_cast<float>(slot + i);
    }
  }
}

RunResult RunSource(const std::string& source, absl::Duration limit) {
  auto pool = *SlotPool::Create(testing_support::VectorCase(kElements), kSlots);
  for (int slot = 0; slot < kSlots; ++slot) {
    auto* const x = reinterpret_cast<float*>(pool->Input(slot, 0).data());
    for (int64_t i = 0; i < kElements; ++i) x[i] = static_cast<float>(slot + i);
    pool->Poison(slot, 77);
  }
  CandidateSpec spec;
  spec.object_path = testing_support::Compiled(source);
  spec.pool_bytes = pool->total_bytes();
  spec.limits.memory_bytes = int64_t{512} << 20;
  spec.start_limit = limit;
  RunResult run;
  auto process = CandidateProcess::Create(spec, &run.exit);
  run.created = process.status();
  if (!process.ok()) return run;
  const absl::StatusOr<int> handle = (*process)->AddPool(*pool);
  if (!handle.ok()) {
    ADD_FAILURE() << handle.status();
    return run;
  }
  const std::vector<int> slots = {0, 1, 2, 3};
  auto first = (*process)->RunBatch(*handle, slots, TimeLimit(limit));
  EXPECT_TRUE(first.ok()) << first.status();
  run.first = first.value_or(BatchOutcome());
  Inspect(*pool, run);
  if (run.first.tasks > 0) {
    // A process that survived can be asked again, whatever it did.
    EXPECT_TRUE((*process)->RunBatch(*handle, slots, TimeLimit(limit)).ok());
  }
  run.exit = (*process)->Quit();
  EXPECT_EQ((*process)->CountTasks(), 0);
  return run;
}

void ExpectNothingLeftAndNextServed() {
  EXPECT_EQ(JailedProcesses(), 0);
  const RunResult next = RunSource(hostile::HonestSource(), absl::Seconds(30));
  EXPECT_EQ(next.first.end, BatchEnd::kDone);
  EXPECT_EQ(next.first.tasks, 1);
  EXPECT_TRUE(next.right);
  EXPECT_EQ(JailedProcesses(), 0);
}

RunResult RunHostile(const std::string& name, absl::Duration limit = absl::Seconds(30)) {
  const RunResult run = RunSource(hostile::Named(name).source, limit);
  ExpectNothingLeftAndNextServed();
  return run;
}

void ExpectSignal(const RunResult& run, int signal, FaultHint hint = FaultHint::kNone) {
  EXPECT_EQ(run.first.end, BatchEnd::kDied);
  EXPECT_EQ(run.exit.kind, ExitKind::kSignalled);
  EXPECT_EQ(run.exit.signal, signal);
  EXPECT_EQ(run.first.hint, hint) << run.first.detail;
}

TEST(HostileProcessTest, HangIsEndedAtTheDeadline) {
  for (const char* name : {"Hangs", "HangsAndIgnoresSigterm"}) {
    const RunResult run = RunHostile(name, absl::Milliseconds(500));
    EXPECT_EQ(run.first.end, BatchEnd::kDeadline) << name;
    EXPECT_EQ(run.exit.kind, ExitKind::kDeadline) << name;
  }
}

TEST(HostileProcessTest, HangWhileLoadingIsEndedAtTheStartLimit) {
  EXPECT_EQ(RunHostile("HangsWhileLoading", absl::Milliseconds(500)).created.code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(HostileProcessTest, CrashWhileLoadingIsReportedWithItsSignal) {
  const RunResult run = RunHostile("CrashesWhileLoading");
  EXPECT_EQ(run.created.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(run.exit.signal, SIGABRT);
}

TEST(HostileProcessTest, EndlessAllocationIsOutOfMemory) {
  for (const char* name : {"AllocatesWithoutEnd", "AllocatesWithoutEndAndWithoutChecking"}) {
    const RunResult run = RunHostile(name);
    EXPECT_EQ(run.first.end, BatchEnd::kOutOfMemory) << name;
    EXPECT_LT(run.exit.peak_rss_bytes, int64_t{900} << 20) << name;
  }
}

TEST(HostileProcessTest, ForkBombDiesAtItsFirstFork) {
  for (const char* name : {"ForksWithoutEnd", "ForksWithoutEndBySystemCall"}) {
    const RunResult run = RunHostile(name);
    ExpectSignal(run, SIGSYS, FaultHint::kForbiddenCall);
    EXPECT_THAT(run.first.detail, ::testing::HasSubstr("clone")) << name;
  }
}

TEST(HostileProcessTest, ThreadBombIsBoundedAndSeen) {
  const RunResult run = RunHostile("StartsThreadsWithoutEnd");
  EXPECT_EQ(run.first.end, BatchEnd::kDone);
  EXPECT_GT(run.first.tasks, 1);
  EXPECT_LE(run.first.tasks, 64);
}

TEST(HostileProcessTest, NothingIsWrittenOutsideTheJail) {
  const RunResult run = RunHostile("WritesOutsideItsFolder");
  ExpectSignal(run, SIGSYS, FaultHint::kForbiddenCall);
  EXPECT_EQ(run.first.detail, "open for writing");
  // A handler of its own keeps it alive; the file is not written all the same.
  EXPECT_EQ(RunHostile("WritesOutsideItsFolderAndSurvivesTheSignal").first.end, BatchEnd::kDone);
  for (const char* place : {"/kernelsmith-escape", "/usr/kernelsmith-escape", "/var/tmp/kernelsmith-escape",
                            "/tmp/kernelsmith-escape", "/home/kernelsmith-escape", "/root/kernelsmith-escape"}) {
    std::error_code hidden;
    EXPECT_FALSE(std::filesystem::exists(place, hidden)) << place;
  }
}

TEST(HostileProcessTest, GigabyteOfOutputEndsTheProcess) {
  const RunResult run = RunHostile("PrintsAGigabyte");
  EXPECT_EQ(run.first.end, BatchEnd::kDied);
  EXPECT_EQ(run.exit.kind, ExitKind::kOutputLimit);
  EXPECT_EQ(run.exit.output.size(), size_t{1} << 20);
}

TEST(HostileProcessTest, BytesThatAreNoTextArriveAsTheyAre) {
  const RunResult run = RunHostile("PrintsBytesThatAreNoText");
  EXPECT_EQ(run.first.end, BatchEnd::kDone);
  EXPECT_EQ(run.exit.output.substr(0, 8), std::string("\xff\xfe\0\x80\x1b[2J", 8));
}

TEST(HostileProcessTest, CrashesCarryTheirSignal) {
  ExpectSignal(RunHostile("Segfaults"), SIGSEGV);
  ExpectSignal(RunHostile("Aborts"), SIGABRT);
  ExpectSignal(RunHostile("DividesByZero"), SIGFPE);
  ExpectSignal(RunHostile("OverflowsItsStack"), SIGSEGV);
}

TEST(HostileProcessTest, ExitIsNotSuccess) {
  const RunResult run = RunHostile("ExitsInsteadOfReturning");
  EXPECT_EQ(run.first.end, BatchEnd::kDied);
  EXPECT_EQ(run.exit.kind, ExitKind::kExited);
}

TEST(HostileProcessTest, ErrorCodeIsReported) {
  const RunResult run = RunHostile("ReturnsAnError");
  EXPECT_EQ(run.first.end, BatchEnd::kFailed);
  EXPECT_EQ(run.first.return_code, 7);
}

TEST(HostileProcessTest, EarlyDoneIsSeenAsARunningThreadAndOutputsStandStill) {
  const RunResult run = RunHostile("ReturnsWhileAThreadStillWrites");
  EXPECT_EQ(run.first.end, BatchEnd::kDone);
  EXPECT_EQ(run.first.tasks, 1 + kSlots);
  EXPECT_TRUE(run.still);
  EXPECT_FALSE(run.right);
}

TEST(HostileProcessTest, ThreadLeftBehindIsCounted) {
  const RunResult run = RunHostile("LeavesAThreadBehind");
  EXPECT_EQ(run.first.end, BatchEnd::kDone);
  EXPECT_EQ(run.first.tasks, 2);
  EXPECT_TRUE(run.right);
}

TEST(HostileProcessTest, UnwrittenOutputsStayPoison) {
  const RunResult none = RunHostile("ReturnsWithoutWriting");
  EXPECT_EQ(none.first.end, BatchEnd::kDone);
  EXPECT_EQ(none.poisoned[2], kElements);
  const RunResult part = RunHostile("WritesOnlyPart");
  EXPECT_EQ(part.poisoned[2], kElements / 8);
}

TEST(HostileProcessTest, WritesBesideOutputsBreakTheGuards) {
  const RunResult run = RunHostile("WritesBesideItsOutput");
  EXPECT_EQ(run.first.end, BatchEnd::kDone);
  EXPECT_FALSE(run.guards);
}

TEST(HostileProcessTest, InputsCannotBeChanged) {
  const RunResult write = RunHostile("WritesToAnInput");
  ExpectSignal(write, SIGSEGV, FaultHint::kInputWrite);
  EXPECT_TRUE(write.inputs_intact);
  const RunResult remap = RunHostile("MakesAnInputWritable");
  EXPECT_EQ(remap.first.end, BatchEnd::kDone);
  EXPECT_TRUE(remap.inputs_intact);
  EXPECT_TRUE(remap.right);
}

TEST(HostileProcessTest, RememberedAnswersAreWrongOnTheNextSlot) {
  const RunResult run = RunHostile("RemembersTheFirstAnswer");
  EXPECT_EQ(run.first.end, BatchEnd::kDone);
  EXPECT_FALSE(run.right);
}

TEST(HostileProcessTest, ClosedSocketIsADeadProcess) {
  const RunResult run = RunHostile("ClosesTheCommandSocket");
  EXPECT_EQ(run.first.end, BatchEnd::kDied);
  EXPECT_NE(run.exit.kind, ExitKind::kDeadline);
}

TEST(HostileProcessTest, ForgedAnswersAreNoticed) {
  for (const char* name : {"ForgesDone", "SendsGarbageAsAnswer"}) {
    const RunResult run = RunHostile(name);
    EXPECT_EQ(run.first.end, BatchEnd::kProtocol) << name;
    EXPECT_FALSE(run.first.detail.empty()) << name;
  }
}

TEST(HostileProcessTest, SystemCallsThatNoKernelNeedsEndIt) {
  const std::pair<const char*, const char*> rows[] = {{"KillsItsParent", "kill"},
                                                      {"TracesItsParent", "ptrace"},
                                                      {"OpensASocket", "socket"},
                                                      {"StartsAProgram", "execve"},
                                                      {"SetsATimerThatWakesIt", "timer_create"}};
  for (const auto& [name, call] : rows) {
    const RunResult run = RunHostile(name);
    ExpectSignal(run, SIGSYS, FaultHint::kForbiddenCall);
    EXPECT_EQ(run.first.detail, call) << name;
  }
}

TEST(HostileProcessTest, OtherProcessesCannotBeSeen) {
  const RunResult run = RunHostile("LooksAtOtherProcesses");
  EXPECT_EQ(run.first.end, BatchEnd::kDone) << run.first.return_code << " other processes";
}

}  // namespace
}  // namespace kernelsmith::worker
