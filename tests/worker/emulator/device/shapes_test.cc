#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::IsEmpty;

constexpr char kFile[] = "shapes.asc";

template <typename T>
void Count(T* values, int n) {
  for (int i = 0; i < n; ++i) values[i] = static_cast<T>(i);
}

TEST(ShapesTest, SlicesLeaveOutWhatLiesBetweenThem) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(3 * 87);
  auto* out = run.Allocate<float>(96);
  Count(in, 3 * 87);
  run.Pass(in).Pass(out).Launch("Slices");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 48; ++i) {
      EXPECT_EQ(out[row * 48 + i], in[row * 2 * 87 + 16 + i / 24 * (24 + 7) + i % 24]) << row << " " << i;
    }
  }
}

TEST(ShapesTest, ASliceOfOneDimensionIsAStretch) {
  KernelRun run(kFile);
  auto* in = run.Allocate<uint16_t>(64);
  auto* out = run.Allocate<uint16_t>(32);
  Count(in, 64);
  run.Pass(in).Pass(out).Launch("OneSlice");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], in[8 + i]) << i;
}

TEST(ShapesTest, MatricesBecomeColumnsOfBlocksAndRowsAgain) {
  KernelRun run(kFile);
  auto* in = run.Allocate<uint16_t>(1024);
  auto* blocks = run.Allocate<uint16_t>(1024);
  auto* rows = run.Allocate<uint16_t>(1024);
  Count(in, 1024);
  run.Pass(in).Pass(blocks).Pass(rows).Launch("Blocks");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 1024; ++i) {
    EXPECT_EQ(blocks[i], in[i % 512 / 16 * 32 + i / 512 * 16 + i % 16]) << i;
    EXPECT_EQ(rows[i], in[i]) << i;
  }
}

TEST(ShapesTest, ColumnsThatDoNotFillABlockEndInZeros) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(80);
  auto* out = run.Allocate<float>(128);
  for (int i = 0; i < 80; ++i) in[i] = static_cast<float>(i + 1);
  run.Pass(in).Pass(out).Launch("NarrowBlocks");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 16; ++column) {
        const float wanted = column < 12 ? in[matrix * 40 + row * 13 + column] : 0;
        EXPECT_EQ(out[matrix * 64 + column / 8 * 32 + row * 8 + column % 8], wanted)
            << matrix << " " << row << " " << column;
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::emulator
