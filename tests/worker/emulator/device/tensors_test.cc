#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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

TEST(TensorsTest, PlacesAreNamedByTraitsAndFromTheBaseOfTheirPosition) {
  KernelRun run(kFile);
  auto* out = run.Allocate<uint32_t>(16);
  run.Pass(out).Launch("Places");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_EQ(out[0], 128u) << "16 times 8";
  EXPECT_EQ(out[1], 512u) << "behind 128 floats";
}

TEST(TensorsTest, WatchedMemoryStopsTheCoreAtAccessesOfTheKind) {
  KernelRun written(kFile);
  written.Pass(written.Allocate<float>(64)).Launch("WatchedWrite");
  EXPECT_EQ(written.end(), LaunchEnd::kFault);
  EXPECT_THAT(written.Find(Check::kAssert).text,
              HasSubstr("writes bytes 1792 to 2048 of UB, which CheckLocalMemoryIA"));
  for (const char* kernel : {"WatchedElsewhere", "WatchedNoMore"}) {
    KernelRun run(kFile);
    run.Pass(run.Allocate<float>(64)).Launch(kernel);
    EXPECT_EQ(run.end(), LaunchEnd::kDone) << kernel << ": " << run.message();
    EXPECT_THAT(run.Errors(), IsEmpty()) << kernel;
  }
  KernelRun beyond(kFile);
  beyond.Pass(beyond.Allocate<float>(64)).Launch("WatchedBeyondRegisters");
  EXPECT_THAT(beyond.Find(Check::kArgument).text, HasSubstr("registers 0 to 3"));
}

TEST(TensorsTest, CacheHintsAreRecordedWithTheTransfer) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<float>(64)).Launch("CacheHints");
  std::vector<uint32_t> hints;
  for (const SeenRecord& seen : run.records()) {
    if (seen.record.kind == Kind::kMove) hints.push_back(seen.record.hints);
  }
  EXPECT_EQ(hints, (std::vector<uint32_t>{kUncached, 0}));
}

}  // namespace
}  // namespace kernelsmith::emulator
