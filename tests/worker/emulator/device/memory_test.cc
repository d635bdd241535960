#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFile[] = "memory.asc";

TEST(MemoryTest, ScalarsAndRawPointersReachTheSameBytes) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(16);
  auto* out = run.Allocate<float>(16);
  for (int i = 0; i < 16; ++i) in[i] = 5;
  run.Pass(in).Pass(out).Launch("Scalars");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  EXPECT_THAT(std::vector<float>(out, out + 5), ElementsAre(5, 6, 7, 8, 5));
  EXPECT_EQ(out[8], 5);
  EXPECT_EQ(out[9], 5);
  EXPECT_GE(run.Count(Kind::kScalarLoad), 4u);
  EXPECT_GE(run.Count(Kind::kScalarStore), 4u);
}

struct Wrong {
  const char* kernel;
  Check check;
  LaunchEnd end;
  const char* text;
};

class WrongAccessTest : public testing::TestWithParam<Wrong> {};

TEST_P(WrongAccessTest, IsNamed) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(1024);
  auto* out = run.Allocate<float>(1024);
  run.Pass(in).Pass(out).Launch(GetParam().kernel);
  EXPECT_EQ(run.end(), GetParam().end) << run.message();
  EXPECT_THAT(run.Errors(), ElementsAre(GetParam().check));
  EXPECT_THAT(run.Find(GetParam().check).text, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Memory, WrongAccessTest,
    testing::Values(
        Wrong{"PastUb", Check::kOutOfBounds, LaunchEnd::kFault,
              "writes bytes 196352 to 196864 of UB, which has 196608"},
        Wrong{"PastBuffer", Check::kOutOfBounds, LaunchEnd::kDone, "256 bytes past the end of a buffer of 256 bytes"},
        Wrong{"PastGlobal", Check::kOutOfBounds, LaunchEnd::kFault, "past the end of the allocation of 4096 bytes"},
        Wrong{"NoMemory", Check::kArgument, LaunchEnd::kFault, "never given memory"},
        Wrong{"Misaligned", Check::kMisaligned, LaunchEnd::kFault, "byte 16 of UB"},
        Wrong{"MisalignedGlobal", Check::kMisaligned, LaunchEnd::kFault, "global address"},
        Wrong{"RoundedDown", Check::kRoundedDown, LaunchEnd::kDone, "copies 52 bytes, of which the hardware moves 32"},
        Wrong{"PastUbRaw", Check::kOutOfBounds, LaunchEnd::kFault, "through a pointer"}),
    [](const auto& wrong) { return wrong.param.kernel; });

TEST(MemoryTest, ARawPointerPastAnAllocationEndsTheCoreBeforeItWrites) {
  KernelRun run(kFile);
  auto* x = run.Allocate<float>(100);
  run.Pass(x).Pass(uint32_t{100}).Launch("PastGlobalRaw");
  EXPECT_EQ(run.end(), LaunchEnd::kFault);
  EXPECT_THAT(run.message(), HasSubstr("0 bytes past the end of the allocation of 400 bytes"));
  EXPECT_EQ(x[99], 1);
  EXPECT_EQ(x[100], 0);
}

TEST(MemoryTest, ARawPointerIsPlacedByTheCallBeforeIt) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<float>(16)).Pass(run.Allocate<float>(16)).Launch("Scalars");
  const SeenRecord* raw = nullptr;
  for (const SeenRecord& seen : run.records()) {
    if (seen.operation == "raw pointer after this line") raw = &seen;
  }
  ASSERT_NE(raw, nullptr);
  EXPECT_NE(raw->record.line, 0u);
}

TEST(MemoryTest, ATransferMayFillTheLastBlockOfATensor) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<float>(16)).Launch("PartBlock");
  EXPECT_EQ(run.end(), LaunchEnd::kDone);
  EXPECT_THAT(run.findings(), IsEmpty());
}

TEST(MemoryTest, ANullPointerIsAFaultOfTheKernel) {
  KernelRun run(kFile);
  run.Allocate<float>(8);
  run.Pass(uint64_t{0}).Launch("NullRaw", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kFault);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kOutOfBounds));
}

TEST(MemoryTest, UndefinedBytesAreReportedWhereTheyMatter) {
  for (const char* kernel : {"UndefinedOut", "UndefinedScalar", "UndefinedThroughCopy"}) {
    KernelRun run(kFile);
    run.Pass(run.Allocate<float>(1024)).Launch(kernel);
    EXPECT_EQ(run.end(), LaunchEnd::kDone) << kernel;
    EXPECT_THAT(run.Errors(), ElementsAre(Check::kUninitialized)) << kernel;
  }
}

TEST(MemoryTest, UndefinedBytesAreCounted) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<float>(1024)).Launch("UndefinedOut");
  EXPECT_THAT(run.Find(Check::kUninitialized).text, HasSubstr("28 undefined bytes, the first at byte 4 of UB"));
}

TEST(MemoryTest, CoresThatPollMemorySeeEachOther) {
  KernelRun run(kFile);
  auto* flags = run.Allocate<uint32_t>(16);
  run.Pass(flags).StepLimit(10000000).Launch("Poll", 8);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<uint32_t>(flags, flags + 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(MemoryTest, AnEndlessLoopEndsAtTheStepLimit) {
  KernelRun run(kFile);
  auto* out = run.Allocate<uint32_t>(8);
  run.Pass(out).StepLimit(100000).Launch("Endless", 4);
  EXPECT_EQ(run.end(), LaunchEnd::kTimeout);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kTimeout));
  EXPECT_THAT(run.message(), HasSubstr("basic blocks"));
}

TEST(MemoryTest, CoresThatPollAFailedOneEndWithIt) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<uint32_t>(100)).Launch("PollTheDead", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kFault);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kOutOfBounds));
}

TEST(MemoryTest, DivisionByZeroEndsTheCore) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(8)).Pass(int32_t{0}).Launch("DivideByZero", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kFault);
  EXPECT_THAT(run.message(), HasSubstr("divides an integer by zero"));
}

TEST(MemoryTest, AStackOverflowEndsTheCore) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(8)).Launch("DeepRecursion");
  EXPECT_EQ(run.end(), LaunchEnd::kFault);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kOutOfBounds));
}

TEST(MemoryTest, MoreBlocksThanCoresRunInWaves) {
  KernelRun run(kFile);
  auto* out = run.Allocate<int32_t>(8 * 100);
  run.Pass(out).Launch("Waves", 100);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 800; ++i) ASSERT_EQ(out[i], i);
  EXPECT_EQ(run.Count(Kind::kLaunch), 100u);
  EXPECT_EQ(run.Count(Kind::kEnd), 100u);
}

struct Three {
  uint8_t a, b, c;
};
struct Large {
  int64_t a;
  double b;
  float c[5];
};

TEST(MemoryTest, ArgumentsOfEverySizeArrive) {
  KernelRun run(kFile);
  auto* out = run.Allocate<double>(16);
  run.Pass(out).Pass(uint8_t{200}).Pass(1.5f).Pass(2.25).Pass(uint16_t{0x3c00}).Pass(Three{1, 2, 3});
  run.Pass(Large{-4, 5.5, {0, 0, 0, 0, 6.5f}}).Pass(true).Pass(int64_t{-7}).Pass(uint16_t{0x4080});
  run.Launch("Arguments", 1);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<double>(out, out + 12), ElementsAre(200, 1.5, 2.25, 1, 321, -4, 5.5, 6.5, 1, -7, 4, 1));
}

TEST(MemoryTest, TilingDataIsReadFromGlobalMemory) {
  struct Tiling {
    uint32_t n;
    float scale;
  };
  KernelRun run(kFile);
  auto* out = run.Allocate<float>(8);
  auto* tiling = run.Allocate<Tiling>(1);
  *tiling = {3, 0.5f};
  run.Pass(out).Pass(tiling).Launch("ReadsTiling");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_EQ(out[0], 6.5f);
}

TEST(MemoryTest, AnUnknownKernelIsNoLaunch) {
  KernelRun run(kFile);
  run.Launch("NotThere");
  EXPECT_EQ(run.end(), LaunchEnd::kUnknownKernel);
  EXPECT_THAT(run.message(), HasSubstr("NotThere"));
}

TEST(MemoryTest, NoBlocksAreNoLaunch) {
  KernelRun run(kFile);
  run.Launch("PastUbRaw", 0);
  EXPECT_EQ(run.end(), LaunchEnd::kFault);
  EXPECT_THAT(run.message(), HasSubstr("0 blocks"));
}

}  // namespace
}  // namespace kernelsmith::emulator
