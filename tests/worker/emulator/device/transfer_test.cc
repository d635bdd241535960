#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFile[] = "transfers.asc";
constexpr uint16_t kHalf[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900};

TEST(TransferTest, BurstsKeepTheirGaps) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(64);
  auto* out = run.Allocate<float>(64);
  for (int i = 0; i < 64; ++i) in[i] = static_cast<float>(i + 1);
  run.Pass(in).Pass(out).Launch("Bursts");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[7], 8);
  EXPECT_THAT(std::vector<float>(out + 8, out + 24), Each(0));
  EXPECT_EQ(out[24], 17);
  EXPECT_EQ(out[31], 24);
}

// 16 values of the first block behind the transfer, 3 of the next burst.
struct Padding {
  int form;
  std::vector<uint16_t> first;
};

TEST(TransferTest, PaddingFillsBlocksAsAsked) {
  const std::vector<Padding> forms = {
      {0,
       {0x4700, 0x4700, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4700, 0x4700,
        0x4700, 0x4700}},
      {1,
       {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x3c00, 0x3c00, 0x3c00, 0x3c00,
        0x3c00, 0x3c00}},
      {2,
       {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4200, 0x4200, 0x4200, 0x4200,
        0x4200, 0x4200}},
      {3,
       {0x3c00, 0x4000, 0x4200, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000,
        0x4000, 0x4000}},
  };
  for (const Padding& padding : forms) {
    KernelRun run(kFile);
    auto* in = run.Allocate<uint16_t>(64);
    auto* out = run.Allocate<uint16_t>(64);
    for (int i = 0; i < 22; ++i) in[i] = kHalf[i % 11 + (i < 11 ? 1 : 0) > 10 ? 10 : i % 11 + (i < 11 ? 1 : 0)];
    run.Pass(in).Pass(out).Pass(padding.form).Launch("Pads");
    EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
    EXPECT_EQ(std::vector<uint16_t>(out, out + 16), padding.first) << padding.form;
  }
}

TEST(TransferTest, PaddingWithoutAValueIsUndefined) {
  KernelRun run(kFile);
  auto* in = run.Allocate<uint16_t>(64);
  run.Pass(in).Pass(run.Allocate<uint16_t>(64)).Pass(4).Launch("Pads");
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kUninitialized));
}

TEST(TransferTest, PaddedBurstsGoOutWithoutTheirPadding) {
  KernelRun run(kFile);
  auto* in = run.Allocate<int8_t>(256);
  auto* out = run.Allocate<int8_t>(256);
  for (int i = 0; i < 256; ++i) in[i] = static_cast<int8_t>(i);
  run.Pass(in).Pass(out).Launch("PadsOut");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  EXPECT_THAT(std::vector<int>(out, out + 20),
              ElementsAre(0, 1, 2, 3, 4, 0, 0, 64, 65, 66, 67, 68, 0, 0, -128, -127, -126, -125, -124, 0));
  EXPECT_EQ(out[64 + 32], 32);
  EXPECT_EQ(out[64 + 33], 64);
  EXPECT_EQ(out[64 + 65], 96);
}

TEST(TransferTest, WhatTheParametersForbidIsNamed) {
  const char* texts[] = {"no multiple of the element's 4 bytes", "each may take 32 bytes at most", "exceeds 4095",
                         "atomic writes exist for"};
  for (int form = 0; form < 4; ++form) {
    KernelRun run(kFile);
    run.Pass(run.Allocate<float>(64)).Pass(form).Launch("BadPads");
    EXPECT_THAT(run.Errors(), ElementsAre(Check::kArgument)) << form;
    EXPECT_THAT(run.Find(Check::kArgument).text, HasSubstr(texts[form]));
  }
}

TEST(TransferTest, TransfersOfNothingDoNothing) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<float>(8)).Launch("Nothing");
  EXPECT_EQ(run.end(), LaunchEnd::kDone);
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(run.Count(Kind::kMove), 0u);
}

TEST(TransferTest, CopyMovesTheLanesOfItsMask) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(256);
  auto* out = run.Allocate<float>(128);
  for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i);
  run.Pass(in).Pass(out).Launch("Masked");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  for (int i = 0; i < 128; ++i) {
    const bool moved = i % 64 < 3 || i == 10;
    ASSERT_EQ(out[i], static_cast<float>(moved ? i : i + 128)) << i;
  }
}

TEST(TransferTest, AtomicWritesCombineWithWhatIsThere) {
  for (int operation = 1; operation <= 3; ++operation) {
    const float expected[] = {0, 3 * 40 + 1, 3, 1};
    KernelRun floats(kFile);
    auto* in = floats.Allocate<float>(8);
    auto* out = floats.Allocate<float>(8);
    in[0] = 3;
    out[0] = 1;
    floats.Pass(in).Pass(out).Pass(operation).Launch("AccumulateFloat", 40);
    EXPECT_EQ(out[0], expected[operation]);
    KernelRun halves(kFile);
    auto* half_in = halves.Allocate<uint16_t>(16);
    auto* half_out = halves.Allocate<uint16_t>(16);
    half_in[0] = 0x4200;
    half_out[0] = 0x3c00;
    halves.Pass(half_in).Pass(half_out).Pass(operation).Launch("AccumulateHalf", 1);
    EXPECT_EQ(half_out[0], operation == 1 ? 0x4400 : operation == 2 ? 0x4200 : 0x3c00);
    KernelRun integers(kFile);
    auto* int_in = integers.Allocate<int32_t>(8);
    auto* int_out = integers.Allocate<int32_t>(8);
    int_in[0] = -3;
    integers.Pass(int_in).Pass(int_out).Pass(operation).Launch("AccumulateInt", 2);
    EXPECT_EQ(int_out[0], operation == 1 ? -6 : operation == 2 ? 0 : -3);
    EXPECT_THAT(integers.Errors(), IsEmpty());
    EXPECT_EQ(integers.Count(Kind::kAtomicMode), 4u);
  }
}

TEST(TransferTest, FillsReachEveryElement) {
  KernelRun run(kFile);
  auto* out = run.Allocate<float>(20010);
  for (int i = 20000; i < 20010; ++i) out[i] = 9;
  run.Pass(out).Launch("Fills");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<float>(out, out + 20000), Each(1.5f));
  EXPECT_THAT(std::vector<float>(out + 20000, out + 20010), Each(0));
}

TEST(TransferTest, WritesSayHowMuchTheyChange) {
  KernelRun run(kFile);
  auto* in = run.Allocate<int32_t>(16);
  auto* out = run.Allocate<int32_t>(16);
  in[3] = 1;
  in[9] = 1;
  run.Pass(in).Pass(out).Launch("SameAgain");
  const Record* write = nullptr;
  for (const SeenRecord& seen : run.records()) {
    if (seen.record.kind == Kind::kMove && seen.record.pipe == Pipe::kMte3) write = &seen.record;
  }
  ASSERT_NE(write, nullptr);
  EXPECT_EQ(write->c, 12u);
  EXPECT_EQ(write->d, 27u);
}

}  // namespace
}  // namespace kernelsmith::emulator
