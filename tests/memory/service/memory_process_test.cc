// The real program: flags, shutdown, a second process on the same folder, and kill -9 during writes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "kernelsmith/v1/memory.grpc.pb.h"
#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

extern char** environ;

namespace kernelsmith::memory {
namespace {

using testing::Call;
using ::testing::HasSubstr;
using Stub = v1::ExperienceMemory::Stub;

constexpr absl::Duration kPatience = absl::Seconds(30);

// kernelsmith-memory as a child process; killed when the object goes.
class Program {
 public:
  Program(std::vector<std::string> arguments, const std::string& output) {
    arguments.insert(arguments.begin(), absl::StrCat(KERNELSMITH_BIN_DIR, "/kernelsmith-memory"));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Program() {
    if (pid_ > 0) Stop(SIGKILL);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Sends `signal`, waits, and returns the wait status.
  int Stop(int signal) {
    kill(pid_, signal);
    return Wait();
  }
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

class MemoryProcessTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return absl::StrCat(folder_.path(), "/", name); }

  std::unique_ptr<Program> Start() {
    unlink(Path("port").c_str());
    return std::make_unique<Program>(std::vector<std::string>{"--data-dir", Path("data"), "--port-file", Path("port"),
                                                              "--metrics-port-file", Path("metrics-port")},
                                     Path("log"));
  }

  // Waits for the port file of a started server.
  std::unique_ptr<Stub> Connect() {
    const absl::Time deadline = absl::Now() + kPatience;
    while (absl::Now() < deadline) {
      const auto address = common::ReadFile(Path("port"));
      if (address.ok() && !address->empty()) {
        config::v1::Remote remote;
        remote.set_address(*address);
        return v1::ExperienceMemory::NewStub(common::Connection::Open(remote)->channel());
      }
      absl::SleepFor(absl::Milliseconds(5));
    }
    ADD_FAILURE() << "the server did not start: " << common::ReadFile(Path("log")).value_or("");
    return nullptr;
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("memory-process");
};

TEST_F(MemoryProcessTest, DrainsOnSigtermAndKeepsItsFacts) {
  auto program = Start();
  ASSERT_TRUE(Call(*Connect(), &Stub::RecordAttempt, testing::Attempt("a")).ok());
  const int status = program->Stop(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  program = Start();
  EXPECT_EQ(Call(*Connect(), &Stub::Stats, v1::StatsRequest())->attempts(), 1);
}

TEST_F(MemoryProcessTest, RefusesASecondProcessOnTheSameFolder) {
  const auto program = Start();
  ASSERT_NE(Connect(), nullptr);
  Program second({"--data-dir", Path("data")}, Path("second-log"));
  const int status = second.Wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  EXPECT_THAT(*common::ReadFile(Path("second-log")), HasSubstr("open in another process"));
}

TEST_F(MemoryProcessTest, ReadsItsConfigurationAndLetsFlagsOverride) {
  ASSERT_TRUE(common::WriteFileAtomically(
                  Path("config"), absl::StrCat("data_dir: '", Path("data"), "'\nlisten { port_file: '", Path("wrong"),
                                               "' }\nobservability { log_level: 'warning' }\n"))
                  .ok());
  Program program({"--config", Path("config"), "--port-file", Path("port")}, Path("log"));
  EXPECT_NE(Connect(), nullptr);
  EXPECT_FALSE(common::ReadFile(Path("wrong")).ok());
}

TEST_F(MemoryProcessTest, SaysWhatIsWrongWithItsConfiguration) {
  ASSERT_TRUE(common::WriteFileAtomically(Path("config"), "data_dir: 'x'\nwindow: 3\n").ok());
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--config", Path("config")}, "line 2"},
      {{"--config", Path("missing")}, "missing"},
      {{}, "data_dir"},
      {{"--data-dir", Path("data"), "--listen", "0.0.0.0:0"}, "loopback"},
  };
  for (const auto& [arguments, message] : cases) {
    unlink(Path("log").c_str());
    Program program(arguments, Path("log"));
    const int status = program.Wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << message;
    EXPECT_THAT(*common::ReadFile(Path("log")), HasSubstr(message));
  }
}

TEST_F(MemoryProcessTest, LosesNoAcknowledgedFactToKillNine) {
  constexpr int kWriters = 4;
  constexpr int kKills = 4;
  std::mutex mutex;
  std::set<std::string> acknowledged;
  int next = 0;

  for (int round = 0; round < kKills; ++round) {
    auto program = Start();
    ASSERT_NE(Connect(), nullptr);
    const size_t before = acknowledged.size();
    std::atomic<bool> stop = false;
    std::vector<std::thread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&] {
        const auto stub = Connect();
        while (!stop) {
          std::string id;
          {
            const std::lock_guard<std::mutex> lock(mutex);
            id = absl::StrCat("n", next++);
          }
          // Written twice: a repeat after a crash must not double it.
          for (int repeat = 0; repeat < 2; ++repeat) {
            if (!Call(*stub, &Stub::RecordAttempt, testing::Attempt(id)).ok()) continue;
            const std::lock_guard<std::mutex> lock(mutex);
            acknowledged.insert(id);
          }
        }
      });
    }
    const absl::Time deadline = absl::Now() + kPatience;
    for (bool enough = false; !enough && absl::Now() < deadline;) {
      absl::SleepFor(absl::Milliseconds(2));
      const std::lock_guard<std::mutex> lock(mutex);
      enough = acknowledged.size() >= before + 40;
    }
    program->Stop(SIGKILL);
    stop = true;
    for (std::thread& writer : writers) writer.join();
    EXPECT_GE(acknowledged.size(), before + 40);
  }

  const auto program = Start();
  const auto stub = Connect();
  ASSERT_NE(stub, nullptr);
  // Repeating everything stores only what no reply had confirmed.
  std::set<std::string> stored;
  v1::LineageRequest page;
  do {
    const auto answer = Call(*stub, &Stub::Lineage, page);
    ASSERT_TRUE(answer.ok()) << answer.status();
    for (const v1::LineageNode& node : answer->nodes()) {
      EXPECT_TRUE(stored.insert(node.attempt_id()).second) << node.attempt_id() << " is there twice";
    }
    page.set_page_token(answer->next_page_token());
  } while (!page.page_token().empty());
  for (const std::string& id : acknowledged) EXPECT_TRUE(stored.contains(id)) << id << " was acknowledged and is lost";
  const std::string any = *acknowledged.begin();
  EXPECT_TRUE(Call(*stub, &Stub::RecordAttempt, testing::Attempt(any))->duplicate());
  EXPECT_EQ(Call(*stub, &Stub::Stats, v1::StatsRequest())->attempts(), static_cast<int64_t>(stored.size()));
}

}  // namespace
}  // namespace kernelsmith::memory
