// Command lines by version of the toolkit.
#include "worker/toolchains/ascend/compile_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "worker/toolchains/ascend/api_names.h"
#include "worker/toolchains/ascend/launcher.h"

namespace kernelsmith::worker {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

CannRoot Root(const char* version) {
  CannRoot root;
  root.path = "/cann";
  root.compiler = "/cann/bin/bisheng";
  root.includes = {"/cann/include"};
  root.version = *ParseCannVersion(std::string("version=") + version);
  return root;
}

TEST(CompileLineTest, NewToolkitsTakeTheArchitectureOfTheCard) {
  const auto words = KernelCommand(Root("9.1.0"), *ArchitectureOf("Ascend910B3"), "launcher.asc", "object.so");
  EXPECT_EQ(absl::StrJoin(words, " "),
            "/cann/bin/bisheng -shared -fPIC --npu-arch=dav-2201 -O3 -std=c++17 --cce-auto-sync=on -DASCENDC_DUMP=0 -o "
            "object.so launcher.asc");
}

TEST(CompileLineTest, OldToolkitsTakeTheOneLineOfTheirTime) {
  const auto words = KernelCommand(Root("8.1.RC1"), *ArchitectureOf("Ascend910B3"), "launcher.asc", "object.so");
  EXPECT_THAT(words, Contains("-xcce"));
  EXPECT_THAT(words, Contains("--cce-aicore-arch=dav-c220"));
  EXPECT_THAT(words, Contains("-I/cann/compiler/tikcpp/tikcfw"));
  EXPECT_THAT(words, Contains("-lruntime"));
  EXPECT_THAT(words, Not(Contains(HasSubstr("--npu-arch"))));
}

TEST(CompileLineTest, AutomaticSynchronisationIsPinnedAndReported) {
  for (const char* version : {"8.1.RC1", "8.5.0", "9.1.0"}) {
    EXPECT_THAT(KernelFlags(Root(version), *ArchitectureOf("Ascend910_9391")), Contains("--cce-auto-sync=on"));
  }
}

TEST(CompileLineTest, ThePlanIsHostCodeWithItsEntryDemanded) {
  const auto words = PlanCommand(Root("9.1.0"), "include", "src/plan.cpp", "object.so");
  EXPECT_THAT(words, Contains("-Wl,--require-defined=ks_plan"));
  EXPECT_THAT(words, Contains("-I/cann/include"));
}

TEST(ApiNamesTest, ADocumentedCallThatIsMissingIsToldFromOneThatNobodyHas) {
  EXPECT_EQ(MissingCall("no member named 'Histograms' in namespace 'AscendC'"), "Histograms");
  EXPECT_EQ(MissingCall("no template named 'LayerNorm' in namespace 'AscendC'; did you mean 'Norm'?"), "LayerNorm");
  EXPECT_EQ(MissingCall("use of undeclared identifier 'GetTanhMaxMinTmpSize'"), "GetTanhMaxMinTmpSize");
  EXPECT_EQ(MissingCall("no member named 'Mulz' in namespace 'AscendC'; did you mean 'Muls'?"), "");
  EXPECT_EQ(MissingCall("no member named 'Histograms' in 'Affine'"), "");
  EXPECT_EQ(MissingCall("expected ';'"), "");
  EXPECT_EQ(MissingCall("no member named 'Histograms"), "Histograms");
  EXPECT_EQ(MissingCall("no member named '"), "");
}

TEST(LauncherTest, LaunchesEveryKernelByNumber) {
  const std::vector<KernelSignature> kernels = {{"first", 2}, {"second", 0}};
  const std::string text = LauncherText("src/kernel.asc", kernels);
  EXPECT_THAT(text, HasSubstr("#include \"src/kernel.asc\""));
  EXPECT_THAT(text, HasSubstr("case 0:\n      first<<<blocks, nullptr, stream>>>(ks_any{args[0]}, ks_any{args[1]});"));
  EXPECT_THAT(text, HasSubstr("case 1:\n      second<<<blocks, nullptr, stream>>>();"));
}

TEST(LauncherTest, MacrosOfTheCandidateDoNotReachIt) {
  const std::vector<KernelSignature> kernels = {{"first", 1}};
  const std::string text = LauncherText("k", kernels);
  const size_t code = text.find("struct ks_any");
  for (const char* word : {"switch", "return", "case", "stream", "first", "operator", "extern"}) {
    const size_t undefined = text.find(std::string("#undef ") + word + "\n");
    ASSERT_NE(undefined, std::string::npos) << word;
    EXPECT_LT(undefined, code);
  }
}

}  // namespace
}  // namespace kernelsmith::worker
