// What an object brings along, read from real objects of this host's compiler and from damaged ones.
#include "worker/toolchains/ascend/object_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

const std::vector<KernelSignature> kKernels = {{"softmax", 2}};

// Stands for the host part of a compiled kernel.
std::string Host(const std::string& kernel, const std::string& more = "") {
  return absl::StrCat(more, "extern \"C\" int launch(void*);\nextern \"C\" void ", kernel, "(void* p) { launch(p); }\n",
                      "extern \"C\" int ks_launch_kernel(int) { ", kernel, "(nullptr); return 0; }\n");
}

std::string Compiled(const std::string& source) {
  const common::TemporaryFolder folder = *common::TemporaryFolder::Make("object-symbols-test");
  EXPECT_TRUE(common::WriteFileAtomically(folder.path() + "/a.cc", source).ok());
  const std::string command =
      absl::StrCat("g++ -O0 -shared -fPIC -o ", folder.path(), "/a.so ", folder.path(), "/a.cc");
  EXPECT_EQ(std::system(command.c_str()), 0);
  return *common::ReadFile(folder.path() + "/a.so");
}

std::string Excess(const std::string& more) {
  const auto baseline = ReadObjectSymbols(Compiled(Host("ks_empty")));
  const auto object = ReadObjectSymbols(Compiled(Host("softmax", more)));
  EXPECT_TRUE(baseline.ok() && object.ok());
  return ExcessOf(*object, *baseline, kKernels);
}

TEST(ObjectSymbolsTest, AnHonestKernelBringsNothingMore) { EXPECT_EQ(Excess(""), ""); }

TEST(ObjectSymbolsTest, HostCodeIsFoundInEveryGuise) {
  EXPECT_THAT(Excess("extern \"C\" int puts(const char*);\nstatic int a() { return puts(\"\"); }\nint (*p)() = a;\n"),
              HasSubstr("needs 'puts' of the host"));
  EXPECT_THAT(Excess("extern int launch_count;\nstruct S { S() { *(volatile int*)8 = 1; } } s;\n"),
              HasSubstr("runs code of its own when it is loaded"));
  EXPECT_THAT(Excess("int twice(int x) { return 2 * x; }\n"), HasSubstr("is a host function"));
  EXPECT_THAT(Excess("static int hidden(int x) { return 2 * x; }\nint (*keep)(int) = hidden;\n"),
              HasSubstr("is a host function"));
  EXPECT_THAT(Excess("extern \"C\" void softmax_helper() {}\n"), HasSubstr("'softmax_helper' is a host function"));
}

TEST(ObjectSymbolsTest, DamagedFilesAreRefusedAndNeverReadBeyond) {
  const std::string sound = Compiled(Host("ks_empty"));
  EXPECT_FALSE(ReadObjectSymbols("").ok());
  EXPECT_FALSE(ReadObjectSymbols("not an object at all").ok());
  for (size_t size = 0; size < sound.size(); size += 97) (void)ReadObjectSymbols(sound.substr(0, size)).ok();
  for (size_t at = 0; at < sound.size(); at += 13) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(~damaged[at]);
    (void)ReadObjectSymbols(damaged).ok();
  }
}

}  // namespace
}  // namespace kernelsmith::worker
