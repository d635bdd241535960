// Processes, folders and images, apart from clang.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/driver/compiler.h"
#include "worker/emulator/driver/folder.h"
#include "worker/emulator/driver/image.h"
#include "worker/emulator/driver/overlay.h"
#include "worker/emulator/driver/process.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Process, TellsExitCodesAndSignals) {
  InterruptScope interrupts;
  EXPECT_EQ(*emulator::Run({.argv = {"/bin/sh", "-c", "exit 7"}}), 7);
  EXPECT_EQ(*emulator::Run({.argv = {"/bin/sh", "-c", "kill -9 $$"}}), 128 + SIGKILL);
  EXPECT_EQ(emulator::Run({.argv = {"/no/such/program"}}).status().code(), absl::StatusCode::kNotFound);
}

TEST(Process, AChildThatDoesNotReadIsNoError) {
  InterruptScope interrupts;
  absl::StatusOr<Child> child = Child::Start({.argv = {"/bin/true"}, .feeds_stdin = true});
  ASSERT_TRUE(child.ok());
  child->Feed(std::string(1 << 20, 'x'));
  EXPECT_EQ(*child->Wait(), 0);
}

TEST(Process, AChildReadsAllItIsFed) {
  InterruptScope interrupts;
  absl::StatusOr<Child> child =
      Child::Start({.argv = {"/bin/sh", "-c", "test $(wc -c) = 1000000"}, .feeds_stdin = true});
  ASSERT_TRUE(child.ok());
  child->Feed(std::string(1000000, 'x'));
  EXPECT_EQ(*child->Wait(), 0);
}

TEST(Process, AProgramThatIsNowhereIsNamed) {
  EXPECT_THAT(std::string(FindProgram("no-such-clang", "/nowhere/no-such-clang").status().message()),
              HasSubstr("'no-such-clang' is neither in PATH nor at /nowhere/no-such-clang"));
  EXPECT_THAT(*FindProgram("no-such-shell", "/bin/sh"), "/bin/sh");
}

using Folder = CompilerTest;

TEST_F(Folder, DisappearsWithItsOwner) {
  std::string path;
  {
    absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
    ASSERT_TRUE(folder.ok());
    path = folder->path();
    std::ofstream(folder->File("x")) << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Folder, PutReplacesAFileWhole) {
  Write("new", "new");
  Write("old", "old");
  EXPECT_TRUE(PutFile(folder_ + "/new", folder_ + "/old").ok());
  EXPECT_EQ(Read("old"), "new");
  EXPECT_FALSE(Exists("new"));
  Write("new", "new");
  EXPECT_EQ(PutFile(folder_ + "/new", folder_ + "/none/x").code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(Folder, AnOverlayCoversTheFilesThatChange) {
  Write("k.asc",
        "#include \"a/a.h\"\n#include <b.h>\n#include \"a/a.h\"\n#include MACRO\n#include \"gone.h\"\nint main();\n");
  Write("a/a.h", "__global__ __aicore__ void a();\n#include \"../k.asc\"\n");
  Write("inc/b.h", "DEV __global__ void b();\n");
  Write("unrelated.h", "__global__ __aicore__ void c();\n");
  Write("forced/dev.h", "#define DEV __aicore__\n");
  const std::string main = folder_ + "/k.asc";
  absl::StatusOr<Overlay> overlay = WriteOverlay(main, {"-I", folder_ + "/inc"}, "/root", folder_ + "/tmp");
  ASSERT_TRUE(overlay.ok()) << overlay.status();
  EXPECT_THAT(Read("tmp/overlay.yaml"), HasSubstr(folder_ + "/a/a.h"));
  EXPECT_THAT(Read("tmp/overlay.yaml"), testing::Not(HasSubstr("unrelated")));
  EXPECT_EQ(overlay->rewriting.lines.at("__global__            void a();"), "__global__ __aicore__ void a();");
  EXPECT_EQ(overlay->rewriting.kernels.size(), 2u);
  EXPECT_EQ(WriteOverlay(folder_ + "/none.asc", {}, "/root", folder_).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(Folder, NoOverlayWhereNothingChanges) {
  Write("k.asc", "__global__ void k();\n");
  EXPECT_EQ(WriteOverlay(folder_ + "/k.asc", {}, "/root", folder_ + "/tmp")->path, "");
}

TEST(Image, WhatIsNoImageIsSaidToBeNone) {
  EXPECT_THAT(ImageProblems(""), ElementsAre(HasSubstr("no device image")));
  EXPECT_THAT(ImageProblems("#!/bin/sh\n"), ElementsAre(HasSubstr("no device image")));
}

TEST(Image, DamagedFilesNeverCrash) {
  const std::string whole = *ReadWholeFile("/proc/self/exe");
  for (size_t n = 1; n < whole.size(); n = n * 5 / 4 + 1) ImageProblems(whole.substr(0, n));
  std::string damaged = whole;
  for (size_t at = 0; at < 64; ++at) {
    damaged[at] = static_cast<char>(~damaged[at]);
    ImageProblems(damaged);
    damaged[at] = whole[at];
  }
}

}  // namespace
}  // namespace kernelsmith::emulator
