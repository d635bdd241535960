#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kernelsmith::emulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Runs mssanitizer in a folder of its own, which is also its TMPDIR.
class Sanitizer : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ks-sanitizer-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    std::filesystem::create_directory(folder_ + "/tmp");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Exit code; `output_` is what it printed.
  int Run(const std::string& options, const std::string& kernel) {
    const std::string command = "cd " + folder_ + " && TMPDIR=" + folder_ +
                                "/tmp KERNELSMITH_EMULATED_MEMORY=67108864 " + KERNELSMITH_CANN_ROOT +
                                "/bin/mssanitizer " + options + " -- " + SANITIZER_APP + " " + kernel + " 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    output_.clear();
    char part[4096];
    for (size_t got; (got = std::fread(part, 1, sizeof(part), pipe)) > 0;) output_.append(part, got);
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string Read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::string folder_;
  std::string output_;
};

TEST_F(Sanitizer, CleanKernelIsSaidToBeClean) {
  EXPECT_EQ(Run("-t memcheck", "adds"), 3) << "the program's own code";
  EXPECT_THAT(output_, HasSubstr("[mssanitizer] Sanitizer finished on kernel adds. No error detected.\n"));
  EXPECT_THAT(output_, HasSubstr("sync 0\n"));
  EXPECT_THAT(output_, Not(HasSubstr("======")));
  ASSERT_FALSE(std::filesystem::is_empty(folder_ + "/mindstudio_sanitizer_log"));
  const auto log = std::filesystem::directory_iterator(folder_ + "/mindstudio_sanitizer_log")->path();
  EXPECT_THAT(Read(log), HasSubstr("No error detected."));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/tmp")) << "nothing is left behind";
}

TEST_F(Sanitizer, FaultIsToldWithItsKernel) {
  EXPECT_EQ(Run("", "crashes"), 3);
  EXPECT_THAT(output_, AllOf(HasSubstr("====== ERROR: illegal "), HasSubstr(" in crashes\n"),
                             HasSubstr("in block aiv(0) on device 0"), HasSubstr("kernel crashes. 1 error detected.")));
}

TEST_F(Sanitizer, LeaksAreFoundWhenTheProgramEnds) {
  EXPECT_EQ(Run("--leak-check=yes --log-file=found.txt", "adds"), 3);
  EXPECT_THAT(output_, Not(HasSubstr("======")));
  EXPECT_THAT(Read(folder_ + "/found.txt"),
              AllOf(HasSubstr("Direct leak of 12 byte(s)"), HasSubstr("No error detected.")));
}

TEST_F(Sanitizer, BadUseEndsWithCodeOne) {
  EXPECT_EQ(Run("-t nothing", "adds"), 1);
  EXPECT_THAT(output_, HasSubstr("[mssanitizer] mssanitizer does not understand -t nothing"));
  EXPECT_EQ(Run("--log-file=/nonexistent/f", "adds"), 1);
  EXPECT_THAT(output_, HasSubstr("cannot write"));
  EXPECT_EQ(Run("--help", ""), 0);
  EXPECT_EQ(Run("-t memcheck /nonexistent/app", ""), 1);
  EXPECT_THAT(output_, HasSubstr("cannot start /nonexistent/app"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/tmp"));
}

}  // namespace
}  // namespace kernelsmith::emulator
