// The jail runs real programs here: short ones, and nothing that needs more than a moment.
#include "worker/jail/jail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "worker/jail/process_tree.h"
#include "worker/jail/running_jail.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

JailSpec Shell(const std::string& script) {
  JailSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.env = {{"PATH", "/usr/bin:/bin"}, {"MARK", "only this"}};
  return spec;
}

ExitReport RunJail(const JailSpec& spec, absl::Duration limit = absl::Seconds(30)) {
  absl::StatusOr<std::unique_ptr<JailedProcess>> jail = JailedProcess::Start(spec);
  if (!jail.ok()) {
    ADD_FAILURE() << jail.status();
    return {};
  }
  return (*jail)->Wait(absl::Now() + limit);
}

bool Eventually(const std::function<bool()>& condition) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (absl::Now() < deadline) {
    if (condition()) return true;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return condition();
}

// How many processes of this host carry the mark in their command line.
int HostProcessesWith(const std::string& mark) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid) || pid == ::getpid()) continue;
    std::ifstream file(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (absl::StrContains(line, mark)) ++count;
  }
  return count;
}

std::string Mark(const char* name) { return absl::StrCat("mark-", ::getpid(), "-", name); }

TEST(TaskStatTest, ReadsStateAndThreadsWhateverTheNameHolds) {
  TaskStat stat;
  const std::string rest = " 1 1 1 0 -1 4194304 1 0 0 0 1 2 3 4 20 0 7 0 100 1000 10";
  ASSERT_TRUE(ParseTaskStat(absl::StrCat("12 (a b) R ) x) T", rest), &stat));
  EXPECT_TRUE(stat.stopped());
  EXPECT_EQ(stat.threads, 7);
  EXPECT_EQ(stat.cpu, absl::Seconds(1) * (1 + 2 + 3 + 4) / ::sysconf(_SC_CLK_TCK));
  for (const char* line : {"", "12 (name", "12 (name) R 1 2", "12 (name) RS 1 1 1 0 -1 4 1 0 0 0 1 2 3 4 20 0 7 0"}) {
    EXPECT_FALSE(ParseTaskStat(line, &stat)) << line;
  }
}

class JailTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!absl::StartsWith(ObtainedIsolation(), "bwrap")) GTEST_SKIP() << "bubblewrap cannot run on this host";
  }
};

TEST_F(JailTest, ReportsExitCodeAndBothOutputs) {
  const ExitReport report = RunJail(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(report.kind, ExitKind::kExited);
  EXPECT_EQ(report.code, 7);
  EXPECT_EQ(report.output, "out\n");
  EXPECT_EQ(report.errors, "err\n");
  EXPECT_GT(report.peak_rss_bytes, 0);
  EXPECT_GT(report.wall, absl::ZeroDuration());
}

TEST_F(JailTest, ReportsTheSignalThatEndedTheProgram) {
  const ExitReport report = RunJail(Shell("kill -SEGV $$"));
  EXPECT_EQ(report.kind, ExitKind::kSignalled);
  EXPECT_EQ(report.signal, SIGSEGV);
}

TEST_F(JailTest, OutputIsRawBytes) {
  const ExitReport report = RunJail(Shell("printf '\\377\\000\\376'"));
  EXPECT_EQ(report.output, std::string("\xff\0\xfe", 3));
}

TEST_F(JailTest, GivesOnlyTheEnvironmentOfTheSpecification) {
  ::setenv("KERNELSMITH_TEST_SECRET", "s3cret", 1);
  const ExitReport report = RunJail(Shell("env"));
  EXPECT_THAT(report.output, HasSubstr("MARK=only this"));
  EXPECT_THAT(report.output, Not(HasSubstr("s3cret")));
}

TEST_F(JailTest, ShowsNoProcessFileOrNetworkOfTheHost) {
  const ExitReport report =
      RunJail(Shell("ls -d /proc/[0-9]* | wc -l; ls /home /root /var /etc/shadow; ls /sys/class/net; "
                    "tail -n +3 /proc/net/dev | grep -v lo:"));
  EXPECT_EQ(report.output.substr(0, report.output.find('\n')).size(), 1u) << report.output;
  EXPECT_THAT(report.errors, HasSubstr("/home"));
  EXPECT_THAT(report.errors, HasSubstr("/root"));
  EXPECT_THAT(report.errors, HasSubstr("/etc/shadow"));
  EXPECT_THAT(report.output, Not(HasSubstr("eth")));
}

TEST_F(JailTest, WorkFolderIsWritableAndEverythingElseIsNot) {
  auto folder = *common::TemporaryFolder::Make("jail-test");
  JailSpec spec = Shell(
      "pwd; echo inside > /work/made; for d in / /usr /etc /dev /opt; do echo x > $d/made; done; "
      "echo x > /tmp/made && echo x > /dev/shm/made && echo scratch");
  spec.work_dir = folder.path();
  const ExitReport report = RunJail(spec);
  EXPECT_THAT(report.output, HasSubstr("/work\n"));
  EXPECT_THAT(report.output, HasSubstr("scratch"));
  EXPECT_EQ(*common::ReadFile(folder.path() + "/made"), "inside\n");
  EXPECT_FALSE(std::filesystem::exists("/usr/made"));
  EXPECT_FALSE(std::filesystem::exists("/tmp/made"));
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/made"));
}

TEST_F(JailTest, ReadOnlyPathsAppearWhereAskedAndCannotBeWritten) {
  auto folder = *common::TemporaryFolder::Make("jail-test");
  ASSERT_TRUE(common::WriteFileAtomically(folder.path() + "/data", "content").ok());
  ::chmod((folder.path() + "/data").c_str(), 0644);
  JailSpec spec = Shell("cat /given/deep/data; echo x > /given/deep/data");
  spec.read_only = {{folder.path() + "/data", "/given/deep/data"}};
  const ExitReport report = RunJail(spec);
  EXPECT_EQ(report.output, "content");
  EXPECT_NE(report.code, 0);
  EXPECT_EQ(*common::ReadFile(folder.path() + "/data"), "content");
}

TEST_F(JailTest, OnlyNamedDescriptorsAreOpenInside) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // not close-on-exec: would leak without the jail's care
  JailSpec spec = Shell("echo hello >&5; ls /proc/self/fd | tr '\\n' ' '");
  spec.fds = {{ends[1], 5}};
  const ExitReport report = RunJail(spec);
  ::close(ends[1]);
  char buffer[16] = {};
  EXPECT_EQ(::read(ends[0], buffer, sizeof buffer), 6);
  EXPECT_EQ(std::string(buffer), "hello\n");
  ::close(ends[0]);
  EXPECT_EQ(report.output, "0 1 2 3 5 ");  // 3 is ls reading the folder
}

TEST_F(JailTest, RunsWithoutPrivileges) {
  const ExitReport report = RunJail(Shell("grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status"));
  EXPECT_THAT(report.output, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(report.output, HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(report.output, HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(JailTest, DeadlineKillsTheWholeTree) {
  const std::string mark = Mark("tree");
  const ExitReport report = RunJail(
      Shell(absl::StrCat("trap '' TERM; (setsid sleep 1000 ", mark, " &) ; sh -c 'sleep 1000; : ", mark, "' & wait")),
      absl::Milliseconds(400));
  EXPECT_EQ(report.kind, ExitKind::kDeadline);
  EXPECT_EQ(HostProcessesWith(mark), 0);
}

TEST_F(JailTest, EndOfTheProgramEndsWhatItLeftBehind) {
  const std::string mark = Mark("left");
  const ExitReport report = RunJail(Shell(absl::StrCat("sh -c 'sleep 1000; : ", mark, "' & exit 0")));
  EXPECT_EQ(report.kind, ExitKind::kExited);
  EXPECT_EQ(HostProcessesWith(mark), 0);
}

TEST_F(JailTest, TooMuchOutputEndsTheProgramAndKeepsTheBeginning) {
  JailSpec spec = Shell("echo start; exec cat /dev/zero");
  spec.limits.output_bytes = 10000;
  const ExitReport report = RunJail(spec);
  EXPECT_EQ(report.kind, ExitKind::kOutputLimit);
  EXPECT_EQ(report.output.size(), 10000u);
  EXPECT_EQ(report.output.substr(0, 6), "start\n");
}

TEST_F(JailTest, AllocationBeyondTheLimitFails) {
  JailSpec spec = Shell("");
  spec.argv = {"/usr/bin/python3", "-c", "b = bytearray(1 << 30)"};
  spec.limits.memory_bytes = int64_t{400} << 20;
  const ExitReport report = RunJail(spec);
  EXPECT_EQ(report.kind, ExitKind::kMemoryLimit) << report.errors;
}

TEST_F(JailTest, FilesBeyondTheLimitCannotBeWritten) {
  auto folder = *common::TemporaryFolder::Make("jail-test");
  JailSpec spec = Shell("head -c 2000000 /dev/zero > /work/big");
  spec.work_dir = folder.path();
  spec.limits.file_bytes = 1000000;
  RunJail(spec);
  EXPECT_LE(std::filesystem::file_size(folder.path() + "/big"), 1000000u);
}

TEST_F(JailTest, ScratchSpaceIsBounded) {
  JailSpec spec = Shell("for i in 1 2 3; do head -c 200000000 /dev/zero > /tmp/$i; done; du -m /tmp | cut -f 1");
  const ExitReport report = RunJail(spec);
  EXPECT_THAT(report.errors, HasSubstr("No space left"));
  EXPECT_LE(std::atoi(report.output.c_str()), 256);
}

TEST_F(JailTest, ProcessesAreBounded) {
  JailSpec spec = Shell("");
  spec.argv = {"/usr/bin/python3", "-c",
               "import os,time\n"
               "n=0\n"
               "try:\n"
               "  while n<5000:\n"
               "    if os.fork()==0: time.sleep(1000)\n"
               "    n+=1\n"
               "except OSError: pass\n"
               "print(n)"};
  spec.limits.processes = 20;
  const ExitReport report = RunJail(spec);
  EXPECT_EQ(report.kind, ExitKind::kExited);
  EXPECT_EQ(report.output, "19\n");
}

TEST_F(JailTest, ProcessorTimeIsBounded) {
  JailSpec spec = Shell("while :; do :; done");
  spec.limits.cpu_time = absl::Seconds(1);
  const ExitReport report = RunJail(spec);
  EXPECT_NE(report.kind, ExitKind::kExited);
  EXPECT_NE(report.kind, ExitKind::kDeadline);
}

TEST_F(JailTest, KillFromAnotherThreadEndsWait) {
  auto jail = *JailedProcess::Start(Shell("echo up; sleep 1000"));
  std::thread killer([&jail] { jail->Kill(); });
  const ExitReport report = jail->Wait(absl::Now() + absl::Seconds(30));
  killer.join();
  EXPECT_EQ(report.kind, ExitKind::kKilled);
  EXPECT_FALSE(jail->Running());
  EXPECT_EQ(jail->CountTasks(), 0);
}

TEST_F(JailTest, DestructionEndsTheProgram) {
  const std::string mark = Mark("destroyed");
  { auto jail = *JailedProcess::Start(Shell(absl::StrCat("sleep 1000; : ", mark))); }
  EXPECT_EQ(HostProcessesWith(mark), 0);
}

TEST_F(JailTest, CountsTheProcessorTimeOfWhatRunsInside) {
  auto jail = *JailedProcess::Start(Shell("while true; do :; done"));
  EXPECT_TRUE(Eventually([&] { return jail->Use().used >= absl::Milliseconds(100); }));
  jail->Kill();
  EXPECT_EQ(jail->Use().used, absl::ZeroDuration());
}

TEST_F(JailTest, FreezeStopsEveryThreadUntilThaw) {
  auto folder = *common::TemporaryFolder::Make("jail-test");
  const std::string counter = folder.path() + "/counter";
  JailSpec spec = Shell("");
  spec.argv = {"/usr/bin/python3", "-c",
               "import os,threading,time\n"
               "def run(i):\n"
               "  while True:\n"
               "    open('/work/counter','a').write('x')\n"
               "for i in range(3): threading.Thread(target=run,args=(i,)).start()\n"
               "if os.fork()==0: run(9)\n"
               "run(4)"};
  spec.work_dir = folder.path();
  auto jail = *JailedProcess::Start(spec);
  ASSERT_TRUE(Eventually([&] { return jail->CountTasks() == 5; }));
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(counter); }));
  ASSERT_TRUE(jail->Freeze().ok());
  EXPECT_EQ(jail->CountTasks(), 5);
  const auto size = std::filesystem::file_size(counter);
  absl::SleepFor(absl::Milliseconds(50));  // time in which a running thread would have written
  EXPECT_EQ(std::filesystem::file_size(counter), size);
  ASSERT_TRUE(jail->Thaw().ok());
  EXPECT_TRUE(Eventually([&] { return std::filesystem::file_size(counter) > size; }));
  ASSERT_TRUE(jail->Freeze().ok());
  jail->Kill();  // stopped processes die as well
  EXPECT_FALSE(jail->Running());
}

TEST_F(JailTest, DiesWithItsParent) {
  const std::string mark = Mark("orphan");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    ::execl("/proc/self/exe", "jail_test", absl::StrCat("--start_and_wait=", mark, ":", ready[1]).c_str(), nullptr);
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(Eventually([&] { return HostProcessesWith(absl::StrCat("sleep 1000; : ", mark)) > 0; }));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return HostProcessesWith(mark) == 0; }));
}

TEST_F(JailTest, SaysWhatIsMissing) {
  JailSpec spec = Shell("true");
  spec.work_dir = "/does/not/exist";
  EXPECT_EQ(JailedProcess::Start(spec).status().code(), absl::StatusCode::kNotFound);
  spec = Shell("true");
  spec.read_only = {{"/does/not/exist", "/x"}};
  EXPECT_EQ(JailedProcess::Start(spec).status().code(), absl::StatusCode::kNotFound);
  spec = Shell("true");
  spec.argv = {"sh"};
  EXPECT_EQ(JailedProcess::Start(spec).status().code(), absl::StatusCode::kInvalidArgument);
  spec = Shell("true");
  for (int fd = 3; fd < 10; ++fd) spec.fds.emplace_back(0, fd);
  EXPECT_EQ(JailedProcess::Start(spec).status().code(), absl::StatusCode::kInvalidArgument);
}

// What is left where bubblewrap cannot run.
TEST(RlimitsJailTest, RunsInTheWorkFolderAndRewritesPaths) {
  auto folder = *common::TemporaryFolder::Make("jail-test");
  auto data = *common::TemporaryFolder::Make("jail-test-data");
  ::chmod(data.path().c_str(), 0755);
  ASSERT_TRUE(common::WriteFileAtomically(absl::StrCat(data.path(), "/data"), "content").ok());
  ::chmod(absl::StrCat(data.path(), "/data").c_str(), 0644);
  JailSpec spec;
  spec.argv = {"/bin/cp", "/given/data", "/work/copy"};
  spec.work_dir = folder.path();
  spec.read_only = {{absl::StrCat(data.path(), "/data"), "/given/data"}};
  auto jail = *StartJail(Isolation::kRlimits, spec);
  const ExitReport report = jail->Wait(absl::Now() + absl::Seconds(30));
  EXPECT_EQ(report.code, 0) << report.errors;
  EXPECT_EQ(*common::ReadFile(absl::StrCat(folder.path(), "/copy")), "content");
}

TEST(RlimitsJailTest, DeadlineKillsTheTreeAndItsThreadsFreeze) {
  const std::string mark = Mark("rlimits");
  JailSpec spec = Shell(absl::StrCat("sh -c 'sleep 1000; : ", mark, "' & wait"));
  auto jail = *StartJail(Isolation::kRlimits, spec);
  ASSERT_TRUE(Eventually([&] { return jail->CountTasks() == 3; }));
  ASSERT_TRUE(jail->Freeze().ok());
  EXPECT_EQ(jail->CountTasks(), 3);
  ASSERT_TRUE(jail->Thaw().ok());
  EXPECT_EQ(jail->Wait(absl::Now()).kind, ExitKind::kDeadline);
  EXPECT_TRUE(Eventually([&] { return HostProcessesWith(mark) == 0; }));
}

TEST(RlimitsJailTest, OutputAndMemoryAreBounded) {
  JailSpec spec = Shell("exec cat /dev/zero");
  spec.limits.output_bytes = 10000;
  EXPECT_EQ((*StartJail(Isolation::kRlimits, spec))->Wait(absl::Now() + absl::Seconds(30)).kind,
            ExitKind::kOutputLimit);
  spec.argv = {"/usr/bin/python3", "-c", "b = bytearray(1 << 30)"};
  spec.limits.memory_bytes = int64_t{400} << 20;
  EXPECT_EQ((*StartJail(Isolation::kRlimits, spec))->Wait(absl::Now() + absl::Seconds(30)).kind,
            ExitKind::kMemoryLimit);
}

TEST(RlimitsJailTest, AsRootNothingIsLeftBehind) {
  if (::geteuid() != 0) GTEST_SKIP() << "without a user id of its own a process can leave its session";
  const std::string mark = Mark("escaped");
  auto jail = *StartJail(Isolation::kRlimits, Shell(absl::StrCat("setsid sh -c 'sleep 1000; : ", mark, "' & exit 0")));
  EXPECT_EQ(jail->Wait(absl::Now() + absl::Seconds(30)).kind, ExitKind::kExited);
  EXPECT_TRUE(Eventually([&] { return HostProcessesWith(mark) == 0; }));
}

}  // namespace

// Part of DiesWithItsParent: starts a jail and waits to be killed.
int StartAndWait(const std::string& argument) {
  const size_t colon = argument.find(':');
  auto jail = JailedProcess::Start(Shell(absl::StrCat("sleep 1000; : ", argument.substr(0, colon))));
  if (!jail.ok() || ::write(std::atoi(argument.c_str() + colon + 1), "r", 1) != 1) return 1;
  (*jail)->Wait(absl::InfiniteFuture());
  return 0;
}

}  // namespace kernelsmith::worker

int main(int argc, char** argv) {
  constexpr absl::string_view kStart = "--start_and_wait=";
  if (argc > 1 && absl::StartsWith(argv[1], kStart)) return kernelsmith::worker::StartAndWait(argv[1] + kStart.size());
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
