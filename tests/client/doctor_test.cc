#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "client/cli/doctor/ascend_checks.h"
#include "client/cli/doctor/check.h"
#include "client/cli/doctor/host_checks.h"
#include "client/cli/doctor/server_checks.h"
#include "client/cli/process/run_command.h"
#include "client/cli/up/cann.h"
#include "common/file_io.h"

namespace kernelsmith::client {
namespace {

using testing::HasSubstr;

TEST(Doctor, ToolsThatRunAreOkAndOthersSayWhatToInstall) {
  const absl::StatusOr<CommandResult> good = CommandResult{.exit_code = 0, .output = "g++ 12.2.0\nmore\n"};
  const absl::StatusOr<CommandResult> bad = CommandResult{.exit_code = 1, .output = "Operation not permitted"};
  const absl::StatusOr<CommandResult> absent = absl::NotFoundError("cannot run bwrap: No such file or directory");
  EXPECT_EQ(JudgeCompiler(good).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeCompiler(good).detail, "g++ 12.2.0");
  EXPECT_EQ(JudgePython(good).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeBubblewrap(good).verdict, Verdict::kOk);
  for (const Finding& finding : {JudgeCompiler(absent), JudgePython(absent), JudgeBubblewrap(absent)}) {
    EXPECT_EQ(finding.verdict, Verdict::kFail);
    EXPECT_THAT(finding.advice, HasSubstr("apt install"));
  }
  EXPECT_THAT(JudgeBubblewrap(bad).advice, HasSubstr("user namespaces"));
}

TEST(Doctor, DiskAndProcessorsHaveAWarningBeforeTheFailure) {
  EXPECT_EQ(JudgeDisk(int64_t{100} << 30, "/").verdict, Verdict::kOk);
  EXPECT_EQ(JudgeDisk(int64_t{2} << 30, "/").verdict, Verdict::kWarn);
  EXPECT_EQ(JudgeDisk(int64_t{1} << 20, "/").verdict, Verdict::kFail);
  EXPECT_EQ(JudgeDisk(absl::NotFoundError("gone"), "/").verdict, Verdict::kFail);
  EXPECT_EQ(JudgeCores(1).verdict, Verdict::kWarn);
  EXPECT_EQ(JudgeCores(2).verdict, Verdict::kOk);
}

TEST(Doctor, AClockMustBeFineAndRight) {
  const int64_t now = 1'800'000'000;
  EXPECT_EQ(JudgeClock("tsc", 1, now).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeClock("hpet", 1, now).verdict, Verdict::kWarn);
  EXPECT_EQ(JudgeClock("tsc", 1, 0).verdict, Verdict::kWarn);
  EXPECT_EQ(JudgeClock("jiffies", 4'000'000, now).verdict, Verdict::kFail);
}

TEST(Doctor, CardsAreJudgedByConnectionHealthAndIsolation) {
  EXPECT_EQ(JudgeCards({})[0].verdict, Verdict::kFail);
  v1::Card card;
  EXPECT_EQ(JudgeCards({card})[0].verdict, Verdict::kFail);
  card.set_connected(true);
  card.mutable_state()->set_health(v1::HEALTHY);
  card.mutable_state()->set_isolation("rlimits");
  EXPECT_EQ(JudgeCards({card})[0].verdict, Verdict::kWarn);
  card.mutable_state()->set_isolation("bwrap: user,pid");
  EXPECT_EQ(JudgeCards({card})[0].verdict, Verdict::kOk);
  card.mutable_state()->set_health(v1::NOISY);
  EXPECT_EQ(JudgeCards({card})[0].verdict, Verdict::kWarn);
  card.mutable_state()->set_health(v1::QUARANTINED);
  EXPECT_EQ(JudgeCards({card})[0].verdict, Verdict::kFail);
}

TEST(Doctor, FindingsAreLinesWithAdviceUnderThem) {
  const std::vector<Finding> findings = {
      {.name = "disk", .detail = "9 GiB free"},
      {.name = "clock", .verdict = Verdict::kWarn, .detail = "slow", .advice = "fix"}};
  EXPECT_EQ(FindingsText(findings), "ok    disk              9 GiB free\nwarn  clock             slow\n      -> fix\n");
  EXPECT_FALSE(AnyFailed(findings));
  const auto document = nlohmann::json::parse(FindingsJson(findings));
  EXPECT_EQ(document["ok"], true);
  EXPECT_EQ(document["findings"][1]["verdict"], "warn");
}

TEST(RunCommand, TakesOutputAndCode) {
  const auto ran = RunCommand({"sh", "-c", "echo out; echo err >&2; exit 3"}, absl::Seconds(20));
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->exit_code, 3);
  EXPECT_EQ(ran->output, "out\nerr\n");
}

TEST(RunCommand, AbsentProgramsAndEndlessOnesAreErrors) {
  EXPECT_TRUE(absl::IsNotFound(RunCommand({"no-such-program-anywhere"}, absl::Seconds(20)).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(RunCommand({"sleep", "1000"}, absl::Milliseconds(200)).status()));
}

TEST(RunCommand, ASignalIsACodeAbove128) {
  EXPECT_EQ(RunCommand({"sh", "-c", "kill -9 $$"}, absl::Seconds(20))->exit_code, 137);
}

TEST(Doctor, TheStepsOfACardsCheckAreFindings) {
  const CommandResult run{.exit_code = 1, .output = R"(noise
[{"name": "cann", "ok": true, "detail": "version 9.1.0 in /cann", "advice": ""},
 {"name": "ascend card", "ok": false, "detail": "error 107001", "advice": "see npu-smi"}])"};
  const std::vector<Finding> findings = JudgeAscend(run);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].verdict, Verdict::kOk);
  EXPECT_EQ(findings[0].detail, "version 9.1.0 in /cann");
  EXPECT_EQ(findings[1].verdict, Verdict::kFail);
  EXPECT_EQ(findings[1].advice, "see npu-smi");
}

TEST(Doctor, ACheckThatSaysNothingIsAFailure) {
  for (const absl::StatusOr<CommandResult>& run :
       {absl::StatusOr<CommandResult>(absl::NotFoundError("no such program")),
        absl::StatusOr<CommandResult>(CommandResult{.exit_code = 127, .output = "[1, 2"})}) {
    const std::vector<Finding> findings = JudgeAscend(run);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].verdict, Verdict::kFail);
  }
}

TEST(EmulatedCann, IsFoundBesideTheProgramsInBothLayouts) {
  for (const char* place : {"/emulated-cann", "/libexec/kernelsmith/emulated-cann"}) {
    const common::TemporaryFolder folder = *common::TemporaryFolder::Make("emulated-cann-test");
    const std::string programs = folder.path() + "/bin";
    ASSERT_TRUE(common::MakeFolders(programs).ok());
    EXPECT_FALSE(FindEmulatedCann(programs).ok());
    ASSERT_TRUE(common::MakeFolders(folder.path() + place + "/bin").ok());
    ASSERT_TRUE(common::WriteFileAtomically(folder.path() + place + "/bin/bisheng", "").ok());
    EXPECT_EQ(*FindEmulatedCann(programs), std::filesystem::canonical(folder.path() + place).string());
    config::v1::WorkerConfig worker;
    worker.set_cann_root(folder.path() + place);
    ASSERT_TRUE(ChooseCann(programs, worker).ok());
    EXPECT_EQ(worker.emulated_soc(), "Ascend910B3");
  }
}

}  // namespace
}  // namespace kernelsmith::client
