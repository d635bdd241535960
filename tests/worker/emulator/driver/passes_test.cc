#include "worker/emulator/driver/passes.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernelsmith::emulator {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

const std::vector<std::string> kPlain = {"/x/clang",
                                         "-cc1",
                                         "-triple",
                                         "x86_64-pc-linux-gnu",
                                         "-emit-obj",
                                         "-pic-is-pie",
                                         "-fmath-errno",
                                         "-internal-isystem",
                                         "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12",
                                         "-dependency-file",
                                         "k.d",
                                         "-MT",
                                         "k.o",
                                         "-include",
                                         "mine.h",
                                         "-O2",
                                         "-o",
                                         "object",
                                         "-x",
                                         "c++",
                                         "k.asc"};

PassSettings Settings() { return {"/bin/clang-16", "k.asc", "k.o", "/tmp/overlay.yaml", "/root/include", false, true}; }

TEST(PlainLine, IsTheLastLineOfTheAnswerUnquoted) {
  const absl::StatusOr<std::vector<std::string>> line =
      PlainLine("Debian clang\nclang: warning: x\n \"/a b/clang\" \"-cc1\" \"-DS=\\\"q\\\\\\\"\" \"k.asc\"\n");
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(*line, ElementsAre("/a b/clang", "-cc1", "-DS=\"q\\\"", "k.asc"));
}

TEST(PlainLine, AnAnswerWithoutOneIsAnError) {
  EXPECT_EQ(PlainLine("").status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(PlainLine("\"/usr/bin/ld\" \"-o\" \"x\"\n").status().code(), absl::StatusCode::kInternal);
}

TEST(SupportLibrary, LiesBesideTheHeadersOfTheLibrary) {
  EXPECT_EQ(SupportLibrary(kPlain), "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/libgcc.a");
  EXPECT_EQ(SupportLibrary({"clang", "-cc1"}), "");
}

TEST(DevicePass, IsInstrumentedAndFreeOfHostOptions) {
  const std::vector<std::string> line = DevicePass(kPlain, Settings());
  EXPECT_THAT(line, IsSupersetOf({"-fcuda-is-device", "-fsanitize=kernel-address", "-fsanitize-coverage-trace-pc",
                                  "-D__NPU_ARCH__=2201", "-DKSE_IMAGE_FLAGS=2", "-std=gnu++17", "-O2"}));
  EXPECT_THAT(line, AllOf(Not(Contains("-pic-is-pie")), Not(Contains("-dependency-file")), Not(Contains("k.d")),
                          Not(Contains("-fmath-errno")), Not(Contains("c++"))));
  EXPECT_EQ(line.back(), "k.asc");
}

TEST(HostPass, KeepsHostOptionsAndEmbedsTheImage) {
  const std::vector<std::string> line = HostPass(kPlain, Settings());
  EXPECT_THAT(line, IsSupersetOf({"-pic-is-pie", "-dependency-file", "-fcuda-include-gpubinary", "-fmath-errno"}));
  EXPECT_THAT(line, Not(Contains("-D__NPU_ARCH__=2201")));
}

TEST(HostPass, WritesNothingWhereThereIsNoOutput) {
  PassSettings settings = Settings();
  settings.output.clear();
  EXPECT_THAT(HostPass(kPlain, settings), AllOf(Contains("-fsyntax-only"), Not(Contains("-fcuda-include-gpubinary"))));
}

TEST(Passes, PutTheLanguageBeforeTheAuthorsIncludes) {
  for (const std::vector<std::string>& line : {DevicePass(kPlain, Settings()), HostPass(kPlain, Settings())}) {
    const auto language = std::find(line.begin(), line.end(), "/root/include/ks/language.h");
    const auto mine = std::find(line.begin(), line.end(), "mine.h");
    EXPECT_LT(language, mine);
    EXPECT_NE(mine, line.end());
  }
}

TEST(Passes, KeepTheAuthorsStandard) {
  std::vector<std::string> plain = kPlain;
  plain.insert(plain.begin() + 2, "-std=c++20");
  EXPECT_THAT(HostPass(plain, Settings()), AllOf(Contains("-std=c++20"), Not(Contains("-std=gnu++17"))));
}

}  // namespace
}  // namespace kernelsmith::emulator
