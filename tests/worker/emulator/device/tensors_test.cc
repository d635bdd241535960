#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kFile[] = "tensors.asc";

TEST(TensorsTest, ATraitNamesTheTypeOfATensor) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(64);
  auto* out = run.Allocate<float>(64);
  for (int i = 0; i < 64; ++i) in[i] = 0.01F * static_cast<float>(i);
  run.Pass(in).Pass(out).Launch("Traits");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 64; ++i) EXPECT_NEAR(out[i], std::exp(6 * in[i]), 1e-4) << i;
}

TEST(TensorsTest, ATraitCarriesALayout) {
  KernelRun run(kFile);
  auto* out = run.Allocate<int32_t>(3);
  run.Pass(out).Launch("TraitsHaveLayouts");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<int32_t>(out, out + 3), ElementsAre(20, 200, 10));
}

TEST(TensorsTest, AListOfTensorsTellsShapesAndAddresses) {
  KernelRun run(kFile);
  auto* first = run.Allocate<int64_t>(6);
  auto* second = run.Allocate<int64_t>(4);
  for (int i = 0; i < 6; ++i) first[i] = 10 + i;
  for (int i = 0; i < 4; ++i) second[i] = 20 + i;
  auto* list = run.Allocate<uint64_t>(16);
  const uint64_t description[] = {8 * 8, 3 | uint64_t{0} << 32, 1, 2, 3, 2 | uint64_t{1} << 32, 2, 2};
  std::memcpy(list, description, sizeof(description));
  list[8] = reinterpret_cast<uint64_t>(first);
  list[9] = reinterpret_cast<uint64_t>(second);
  auto* out = run.Allocate<int64_t>(11);
  run.Pass(list).Pass(out).Launch("Lists");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<int64_t>(out, out + 11), ElementsAre(2, 3, 0, 3, 10, 11, 2, 1, 2, 20, 21));
}

TEST(TensorsTest, APoolOfTheAuthorsOwnHandsOutItsMemory) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(64);
  auto* out = run.Allocate<float>(72);
  for (int i = 0; i < 64; ++i) in[i] = static_cast<float>(i);
  run.Pass(in).Pass(out).Launch("OwnPools");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], in[i] + 2) << i;
  EXPECT_EQ(out[64], 64) << "the pool begins behind the buffer of 64 bytes";
}

TEST(TensorsTest, SpilledDataComeBack) {
  KernelRun run(kFile);
  auto* in = run.Allocate<uint16_t>(64);
  auto* out = run.Allocate<uint16_t>(64);
  auto* workspace = run.Allocate<uint16_t>(256);
  for (uint16_t i = 0; i < 64; ++i) in[i] = i;
  run.Pass(in).Pass(out).Pass(workspace).Launch("Spills");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], in[i]) << i;
  EXPECT_EQ(workspace[32], in[0]) << "64 bytes in";
  EXPECT_EQ(workspace[128 + 32], in[48]) << "the second block lies one block further";
}

}  // namespace
}  // namespace kernelsmith::emulator
