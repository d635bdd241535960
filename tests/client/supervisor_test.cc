// The supervisor with small shell scripts as daemons.
#include "client/cli/up/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/process/child.h"
#include "client/cli/up/configs.h"
#include "client/cli/up/instance_lock.h"
#include "client/cli/up/status_files.h"
#include "common/config.h"
#include "common/file_io.h"

namespace kernelsmith::client {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr absl::Duration kLong = absl::Seconds(60);

// Its "configuration" is shell text: where to listen, and what to do.
constexpr char kDaemon[] = R"(#!/bin/sh
. "$2"
[ "$grpc" = 127.0.0.1:0 ] && grpc=127.0.0.1:4711
[ "$metrics" = 127.0.0.1:0 ] && metrics=127.0.0.1:4712
echo "hello from $name"
eval "$before"
echo "$grpc" > "$run/$name.port"
echo "$metrics" > "$run/$name.metrics"
eval "$after"
exec sleep 1000
)";

class SupervisorRun : public testing::Test {
 protected:
  SupervisorRun() {
    folders_.data = folder_.path();
    for (const char* sub : {"/config", "/run", "/log"}) EXPECT_TRUE(common::MakeFolders(folders_.data + sub).ok());
    EXPECT_TRUE(common::WriteFileAtomically(Script(), kDaemon).ok());
    EXPECT_EQ(chmod(Script().c_str(), 0700), 0);
  }
  ~SupervisorRun() override { EXPECT_THAT(ChildrenOf(getpid()), IsEmpty()); }

  std::string Script() const { return folder_.path() + "/daemon.sh"; }
  DaemonSpec Spec(const std::string& name, const std::string& before = "", const std::string& after = "") {
    return {.name = name,
            .program = Script(),
            .serves_grpc = true,
            .config = [this, name, before, after](const Addresses& addresses) {
              return absl::StrCat("name=", name, " run=", folder_.path(), "/run grpc=", addresses.grpc,
                                  " metrics=", addresses.metrics, " before='", before, "' after='", after, "'\n");
            }};
  }
  absl::Status Start(Supervisor& supervisor, DaemonSpec spec, absl::Duration timeout = kLong) {
    return supervisor.StartDaemon(
        std::move(spec), folders_, timeout, [](const Daemon&) { return absl::OkStatus(); }, [] { return false; });
  }
  std::function<void(const std::string&)> Say() {
    return [this](const std::string& line) { said_.push_back(line); };
  }
  template <typename Condition>
  void TickUntil(Supervisor& supervisor, const Condition& condition) {
    const absl::Time deadline = absl::Now() + kLong;
    while (!condition()) {
      ASSERT_LT(absl::Now(), deadline);
      supervisor.Tick();
    }
  }
  static void Stop(Supervisor& supervisor, absl::Duration grace = absl::Seconds(20)) {
    supervisor.StopAll(grace, [] { return false; });
  }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-supervisor-test");
  UpFolders folders_;
  std::vector<std::string> said_;
};

TEST_F(SupervisorRun, ADaemonIsReadyOnceItHasWrittenItsPorts) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(Start(supervisor, Spec("memory")).ok());
  const Daemon& daemon = *supervisor.daemons().front();
  EXPECT_EQ(daemon.addresses().grpc, "127.0.0.1:4711");
  EXPECT_EQ(daemon.addresses().metrics, "127.0.0.1:4712");
  EXPECT_EQ(*common::ReadFile(folders_.Pid("memory")), absl::StrCat(daemon.pid(), "\n"));
  EXPECT_THAT(*common::ReadFile(folders_.Log("memory")), HasSubstr("hello from memory"));
  Stop(supervisor);
  EXPECT_TRUE(absl::IsNotFound(common::ReadFile(folders_.Pid("memory")).status()));
}

TEST_F(SupervisorRun, ADaemonThatAnswersLateIsAskedAgain) {
  Supervisor supervisor(Say());
  int asked = 0;
  const auto ready = [&](const Daemon&) -> absl::Status {
    if (++asked == 1) return absl::DeadlineExceededError("the host is busy");
    return asked == 2 ? absl::UnavailableError("not yet") : absl::OkStatus();
  };
  EXPECT_TRUE(supervisor.StartDaemon(Spec("memory"), folders_, kLong, ready, [] { return false; }).ok());
  EXPECT_EQ(asked, 3);
  Stop(supervisor);
}

TEST_F(SupervisorRun, AKilledDaemonComesBackOnItsPorts) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(Start(supervisor, Spec("memory")).ok());
  const Daemon& daemon = *supervisor.daemons().front();
  const pid_t first = daemon.pid();
  kill(first, SIGKILL);
  TickUntil(supervisor, [&] { return daemon.running() && daemon.pid() != first; });
  EXPECT_EQ(daemon.restarts(), 1);
  EXPECT_THAT(*common::ReadFile(folders_.Config("memory")),
              AllOf(HasSubstr("grpc=127.0.0.1:4711"), HasSubstr("metrics=127.0.0.1:4712")));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], HasSubstr("memory was killed by signal 9"));
  Stop(supervisor);
}

TEST_F(SupervisorRun, ADaemonThatEndsBeforeItIsReadyIsAnErrorWithTheEndOfItsLog) {
  Supervisor supervisor(Say());
  const absl::Status status = Start(supervisor, Spec("coordinator", "echo no disk left; exit 3"));
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("ended with code 3"), HasSubstr("no disk left")));
}

TEST_F(SupervisorRun, ADaemonThatIsNeverReadyIsAnErrorAfterTheTimeout) {
  Supervisor supervisor(Say());
  const absl::Status status = Start(supervisor, Spec("coordinator", "exec sleep 1000"), absl::Milliseconds(200));
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
}

TEST_F(SupervisorRun, AMissingProgramIsAnError) {
  Supervisor supervisor(Say());
  DaemonSpec spec = Spec("memory");
  spec.program = folder_.path() + "/absent";
  EXPECT_TRUE(absl::IsNotFound(Start(supervisor, std::move(spec))));
}

TEST_F(SupervisorRun, StoppingWhileADaemonStartsIsACancellation) {
  Supervisor supervisor(Say());
  const absl::Status status = supervisor.StartDaemon(
      Spec("memory", "exec sleep 1000"), folders_, kLong, [](const Daemon&) { return absl::OkStatus(); },
      [] { return true; });
  EXPECT_TRUE(absl::IsCancelled(status));
}

TEST_F(SupervisorRun, ADaemonThatIgnoresSigtermIsKilledAfterTheGrace) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(Start(supervisor, Spec("stubborn", R"(trap "" TERM)")).ok());
  Stop(supervisor, absl::Milliseconds(100));
}

TEST_F(SupervisorRun, OrphansOfADaemonAreKilledToo) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(Start(supervisor, Spec("worker-0", "", "setsid sleep 1000 & setsid setsid sleep 1000 &")).ok());
  Stop(supervisor);
}

TEST_F(SupervisorRun, ACommandsStatusIsKept) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(supervisor.StartCommand({"sh", "-c", "exit $KS_CODE"}, {{"KS_CODE", "7"}}).ok());
  TickUntil(supervisor, [&] { return supervisor.command_status().has_value(); });
  EXPECT_EQ(ExitCodeOfWait(*supervisor.command_status()), 7);
  EXPECT_TRUE(absl::IsNotFound(supervisor.StartCommand({"no-such-command-anywhere"}, {})));
}

TEST_F(SupervisorRun, ASignalReachesTheCommand) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(supervisor.StartCommand({"sleep", "1000"}, {}).ok());
  supervisor.SignalCommand(SIGTERM);
  TickUntil(supervisor, [&] { return supervisor.command_status().has_value(); });
  EXPECT_EQ(ExitCodeOfWait(*supervisor.command_status()), 128 + SIGTERM);
}

TEST_F(SupervisorRun, ASecondInstanceIsToldWhoRuns) {
  const auto first = InstanceLock::Take(folders_.Lock());
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = InstanceLock::Take(folders_.Lock());
  EXPECT_TRUE(absl::IsFailedPrecondition(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              AllOf(HasSubstr("already running"), HasSubstr(absl::StrCat("process ", getpid()))));
}

TEST_F(SupervisorRun, EndpointsAndPrometheusTargetsNameEveryDaemon) {
  Supervisor supervisor(Say());
  ASSERT_TRUE(Start(supervisor, Spec("memory")).ok());
  ASSERT_TRUE(Start(supervisor, Spec("coordinator")).ok());
  const Endpoints endpoints = EndpointsOf(supervisor.daemons(), 9);
  Stop(supervisor);
  EXPECT_EQ(endpoints.server, "127.0.0.1:4711");
  EXPECT_EQ(endpoints.memory, "127.0.0.1:4711");
  const auto targets = nlohmann::json::parse(PrometheusTargets(endpoints));
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[1]["targets"], nlohmann::json::array({"127.0.0.1:4712"}));
  EXPECT_EQ(targets[1]["labels"]["daemon"], "coordinator");
  EXPECT_THAT(DaemonTable(endpoints), HasSubstr("http://127.0.0.1:4712/metrics"));
}

TEST(RestartDelay, GrowsWithQuickDeathsAndIsShortAfterALongLife) {
  absl::BitGen random;
  for (int deaths = 0; deaths < 12; ++deaths) {
    const absl::Duration whole = std::min(absl::Milliseconds(100) * (1 << deaths), absl::Seconds(5));
    const absl::Duration delay = RestartDelay(absl::Seconds(1), deaths, random);
    EXPECT_GE(delay, whole / 2);
    EXPECT_LE(delay, whole);
    EXPECT_LE(RestartDelay(absl::Seconds(11), deaths, random), absl::Milliseconds(100));
  }
}

TEST(UpConfigs, KeepTheUsersValuesExceptForWhatUpDecides) {
  const UpFolders folders{.data = "/d"};
  config::v1::CoordinatorConfig base;
  base.set_default_rounds(5);
  base.set_data_dir("/elsewhere");
  base.mutable_memory()->set_token_file("/token");
  const auto coordinator = CoordinatorConfigFor(base, folders, {.grpc = "127.0.0.1:5"}, "127.0.0.1:6");
  EXPECT_EQ(coordinator.default_rounds(), 5);
  EXPECT_EQ(coordinator.data_dir(), "/d/coordinator");
  EXPECT_EQ(coordinator.memory().address(), "127.0.0.1:6");
  EXPECT_EQ(coordinator.memory().token_file(), "/token");
  EXPECT_EQ(coordinator.listen().address(), "127.0.0.1:5");
  EXPECT_EQ(coordinator.listen().port_file(), "/d/run/coordinator.port");
  EXPECT_EQ(coordinator.observability().metrics_port_file(), "/d/run/coordinator.metrics");
  const auto worker = WorkerConfigFor({}, folders, {}, "127.0.0.1:5", 1);
  EXPECT_THAT(worker.card_id(), testing::MatchesRegex("cpu1-[0-9a-f]{6}"));
  EXPECT_NE(worker.card_id(), WorkerConfigFor({}, {.data = "/e"}, {}, "127.0.0.1:5", 1).card_id());
  EXPECT_EQ(worker.lock_dir(), "") << "that of all workers of the host";
  config::v1::WorkerConfig device;
  device.set_card_kind("ascend");
  device.set_lock_dir("/locks");
  EXPECT_EQ(WorkerConfigFor(device, folders, {}, "127.0.0.1:5", 1).card_id(), "ascend1");
  EXPECT_EQ(WorkerConfigFor(device, folders, {}, "127.0.0.1:5", 1).lock_dir(), "/locks");
  EXPECT_EQ(worker.data_dir(), "/d/worker-1");
  EXPECT_EQ(MemoryConfigFor({}, folders, {}).listen().address(), "127.0.0.1:0");
}

TEST(UpConfigs, TheShippedConfigurationsParse) {
  const std::string folder = KERNELSMITH_SOURCE_DIR "/configs/";
  config::v1::MemoryConfig memory;
  config::v1::CoordinatorConfig coordinator;
  config::v1::WorkerConfig worker;
  EXPECT_TRUE(common::LoadConfig(folder + "memory.textproto", memory).ok());
  EXPECT_TRUE(common::LoadConfig(folder + "coordinator.textproto", coordinator).ok());
  EXPECT_TRUE(common::LoadConfig(folder + "worker.textproto", worker).ok());
}

}  // namespace
}  // namespace kernelsmith::client
