// `kernelsmith up` with the real daemons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/health.h"
#include "client/cli/up/folders.h"
#include "common/file_io.h"
#include "kernelsmith/client/client.h"
#include "kernelsmith/client/endpoints.h"
#include "tests/client/program_process.h"

namespace kernelsmith::client {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class UpReal : public testing::Test {
 protected:
  UpReal() { folders_.data = folder_.path() + "/data"; }
  ~UpReal() override {
    EXPECT_TRUE(Eventually([this] { return ProcessesWith(folders_.data).empty(); }, 10));
  }

  std::vector<std::string> Arguments(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"up", "--data", folders_.data, "--workers", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  bool Ready() { return ReadEndpoints(folders_.data).ok(); }
  pid_t PidOf(const std::string& daemon) {
    const auto text = common::ReadFile(folders_.Pid(daemon));
    pid_t pid = 0;
    return text.ok() && absl::SimpleAtoi(*text, &pid) ? pid : 0;
  }
  std::string Output(const std::string& name) { return folder_.path() + "/" + name; }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-up-test");
  UpFolders folders_;
};

TEST_F(UpReal, RunsACommandAgainstTheServersAndLeavesNothingRunning) {
  ProgramProcess up(Arguments({"--", "sh", "-c",
                               "\"" KERNELSMITH_BIN_DIR "/kernelsmith\" cards && "
                               "\"" KERNELSMITH_BIN_DIR "/kernelsmith\" memory stats && exit 7"}),
                    Output("up"));
  EXPECT_EQ(up.Wait(180), 7) << up.Output();
  EXPECT_THAT(up.Output(), HasSubstr("cpu0"));
  EXPECT_THAT(ProcessesWith(folders_.data), IsEmpty());
  EXPECT_FALSE(Ready());
}

TEST_F(UpReal, AKilledDaemonComesBackOnTheSamePortAndASecondUpIsRefused) {
  ProgramProcess up(Arguments(), Output("up"));
  ASSERT_TRUE(Eventually([this] { return Ready(); }, 180)) << up.Output();
  const Endpoints endpoints = *ReadEndpoints(folders_.data);
  EXPECT_EQ(endpoints.supervisor_pid, up.pid());

  ProgramProcess second(Arguments(), Output("second"));
  EXPECT_EQ(second.Wait(), 5) << second.Output();
  EXPECT_THAT(second.Output(), HasSubstr(absl::StrCat("already running on this data folder, as process ", up.pid())));

  for (const char* daemon : {"memory", "coordinator"}) {
    const std::string address = daemon == std::string("memory") ? endpoints.memory : endpoints.server;
    const pid_t before = PidOf(daemon);
    ASSERT_GT(before, 0);
    kill(before, SIGKILL);
    EXPECT_TRUE(Eventually([&] {
      return PidOf(daemon) > 0 && PidOf(daemon) != before && CheckHealth({.address = address}, absl::Seconds(1)).ok();
    })) << daemon
        << up.Output();
  }
  const pid_t worker = PidOf("worker-0");
  kill(worker, SIGKILL);
  EXPECT_TRUE(Eventually([&] { return PidOf("worker-0") > 0 && PidOf("worker-0") != worker; }));
  const Client client = *Client::Connect({.address = endpoints.server});
  EXPECT_TRUE(Eventually([&] {
    const auto cards = client.ListCards();
    return cards.ok() && cards->size() == 1 && cards->front().connected();
  })) << up.Output();

  const auto targets = nlohmann::json::parse(*common::ReadFile(folders_.PrometheusTargets()), nullptr, false);
  EXPECT_EQ(targets.size(), 3U);

  up.Signal(SIGTERM);
  EXPECT_EQ(up.Wait(), 0) << up.Output();
  EXPECT_THAT(ProcessesWith(folders_.data), IsEmpty());
  EXPECT_FALSE(Ready());
}

TEST_F(UpReal, TwoInstallationsOfAHostTakeTurnsWithoutBeingTold) {
  const std::map<std::string, std::string> environment = {{"TMPDIR", folder_.path()}};
  UpFolders others{.data = folder_.path() + "/data-of-others"};
  ProgramProcess up(Arguments(), Output("up"), environment);
  ProgramProcess second({"up", "--data", others.data, "--workers", "1"}, Output("second"), environment);
  ASSERT_TRUE(Eventually([&] { return Ready() && ReadEndpoints(others.data).ok(); }, 180))
      << up.Output() << second.Output();
  const std::string locks = folder_.path() + "/kernelsmith-locks";
  std::set<std::string> cards;
  for (const auto& entry : std::filesystem::directory_iterator(locks)) {
    const std::string name = entry.path().filename().string();
    if (name.find("card-") == 0) cards.insert(name);
  }
  EXPECT_THAT(cards, testing::SizeIs(2));
  EXPECT_TRUE(std::filesystem::exists(locks + "/timing.lock"));
  struct stat mode = {};
  ASSERT_EQ(stat(locks.c_str(), &mode), 0);
  EXPECT_EQ(mode.st_mode & 07777, 01777U);
  for (ProgramProcess* each : {&up, &second}) each->Signal(SIGTERM);
  EXPECT_EQ(up.Wait(), 0) << up.Output();
  EXPECT_EQ(second.Wait(), 0) << second.Output();
}

TEST_F(UpReal, KillingUpItselfTakesTheDaemonsWithIt) {
  ProgramProcess up(Arguments(), Output("up"));
  ASSERT_TRUE(Eventually([this] { return Ready(); }, 180)) << up.Output();
  up.Signal(SIGKILL);
  EXPECT_EQ(up.Wait(), 128 + SIGKILL);
  EXPECT_TRUE(Eventually([this] { return ProcessesWith(folders_.data).empty(); }, 10));

  ProgramProcess again(Arguments({"--", "true"}), Output("again"));
  EXPECT_EQ(again.Wait(180), 0) << again.Output();
}

TEST_F(UpReal, ADaemonThatCannotStartIsReportedWithItsLog) {
  const std::string config = folder_.path() + "/bad.textproto";
  ASSERT_TRUE(common::WriteFileAtomically(config, "lease_s: 1 heartbeat_s: 5 limits { compile_s: 900 }\n").ok());
  ProgramProcess up(Arguments({"--coordinator-config", config}), Output("up"));
  EXPECT_EQ(up.Wait(180), 5) << up.Output();
  EXPECT_THAT(up.Output(), HasSubstr("coordinator ended with code"));
}

}  // namespace
}  // namespace kernelsmith::client
