#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr char kFile[] = "debug.asc";

TEST(DebugTest, PrintsCarryTheBlock) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(8)).Launch("Prints", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  std::string expected;
  for (const char* block : {"[AIV Block 0/2] ", "[AIV Block 1/2] "}) {
    expected += std::string(block) + "hello\n";
    expected += std::string(block) + "-3 4 1099511627776|7 ff|1.500000 2.25|text|%|c\n";
    expected += std::string(block) + "missing %d\n";
  }
  EXPECT_EQ(run.console(), expected);
}

TEST(DebugTest, TensorsAreDumpedInTheDocumentedForm) {
  KernelRun run(kFile);
  auto* in = run.Allocate<uint16_t>(16);
  for (int i = 0; i < 16; ++i) in[i] = i < 3 ? 0x3e00 : 0x4000;
  run.Pass(in).Launch("Dumps");
  EXPECT_EQ(run.console(),
            "DumpTensor: desc=5, addr=0x40, data_type=float16, position=UB, dump_size=3\n"
            "[1.500000, 1.500000, 1.500000]\n"
            "DumpTensor: desc=6, addr=0x40, data_type=float16, position=UB, dump_size=4\n"
            "shape is [2, 3], dumpSize is 4, data is not enough.\n"
            "[[1.500000,1.500000,1.500000],\n[2.000000,-,-]]\n"
            "DumpTensor: desc=7, addr=0x40, data_type=float16, position=UB, dump_size=8\n"
            "shape is [2, 3], dumpSize is 8, dumpSize is greater than shapeSize.\n"
            "[[1.500000,1.500000,1.500000],\n[2.000000,2.000000,2.000000]]\n");
}

TEST(DebugTest, AFailedAssertionEndsTheLaunch) {
  const char* lines[] = {"", "\\[ASSERT\\] .*debug.asc:[0-9]+: Assertion `value != 1' \n",
                         "\\[ASSERT\\] .*debug.asc:[0-9]+: Assertion `value != 2' The value is 2.\n",
                         "\\[ASSERT\\] .*debug.asc:[0-9]+: Assertion `value != 3 && \"three\"' \n", ""};
  for (int value = 0; value <= 4; ++value) {
    KernelRun run(kFile);
    auto* out = run.Allocate<int32_t>(8);
    run.Pass(out).Pass(value).Launch("Asserts");
    EXPECT_EQ(run.end(), value == 0 ? LaunchEnd::kDone : LaunchEnd::kAssert) << value;
    EXPECT_EQ(out[0], value == 0 ? 1 : 0);
    EXPECT_THAT(run.console(), MatchesRegex(lines[value])) << value;
    EXPECT_EQ(run.Errors(), value == 0 ? std::vector<Check>{} : std::vector<Check>{Check::kAssert});
    EXPECT_THAT(run.message(), HasSubstr(value == 2 ? "the assertion `value != 2' failed: The value is 2." : ""));
  }
}

TEST(DebugTest, ACoreKnowsItself) {
  KernelRun run(kFile);
  auto* out = run.Allocate<int64_t>(8);
  run.Pass(out).Launch("Asks", 1);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<int64_t>(out, out + 7), ElementsAre(10, 110, 196352, 1, 1, 1, 8 + 30 + 6300 + 40000));
}

}  // namespace
}  // namespace kernelsmith::emulator
