// Another project finds the installed library, builds the example against it, and runs it.
#include <gtest/gtest.h>

#include "client/cli/process/run_command.h"
#include "common/file_io.h"
#include "tests/client/example_job.h"
#include "tests/client/fake_server.h"

namespace kernelsmith::client {
namespace {

void RunOk(const std::vector<std::string>& arguments) {
  const auto ran = RunCommand(arguments, absl::Minutes(8));
  ASSERT_TRUE(ran.ok()) << ran.status();
  ASSERT_EQ(ran->exit_code, 0) << testing::PrintToString(arguments) << "\n" << ran->output;
}

TEST(Install, AnotherProjectBuildsAgainstTheInstalledLibraryAndTalksToAServer) {
  const auto folder = *common::TemporaryFolder::Make("ks-install-test");
  const std::string installed = folder.path() + "/installed";
  const std::string build = folder.path() + "/build";
  RunOk({"cmake", "--install", KERNELSMITH_BINARY_DIR, "--prefix", installed, "--component", "client"});
  RunOk({"cmake", "-S", KERNELSMITH_SOURCE_DIR "/client/example", "-B", build, "-G", "Ninja",
         "-DCMAKE_PREFIX_PATH=" + installed});
  RunOk({"cmake", "--build", build});

  FakeServer server;
  server.coordinator.AddJob(ExampleJob(), ExampleEvents(), ExampleAttempts());
  server.coordinator.SetSubmitted(ExampleJob());
  const std::string task = folder.path() + "/softmax.py";
  ASSERT_TRUE(common::WriteFileAtomically(task, "class Model: pass\n").ok());
  const std::string best = folder.path() + "/best";
  RunOk({build + "/optimize_operator", server.address(), task, best});
  EXPECT_EQ(*common::ReadFile(best + "/kernel.cpp"), "// round 2\n");
  EXPECT_EQ(server.coordinator.LastSubmit().spec().budget().rounds(), 8);
}

}  // namespace
}  // namespace kernelsmith::client
