#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFile[] = "sync.asc";

TEST(SyncTest, EveryWayOfSynchronisingAllCoresOrdersThem) {
  for (const char* kernel : {"All", "AllSoft", "Cross"}) {
    KernelRun run(kFile);
    auto* work = run.Allocate<int32_t>(8 * 40);
    auto* out = run.Allocate<int32_t>(8 * 40);
    run.Pass(work).Pass(out).Pass(run.Allocate<int32_t>(8 * 40)).Launch(kernel, 40);
    EXPECT_EQ(run.end(), LaunchEnd::kDone) << kernel << ": " << run.message();
    EXPECT_THAT(run.Errors(), IsEmpty()) << kernel;
    for (int block = 0; block < 40; ++block) ASSERT_EQ(out[block * 8], (block + 1) % 40) << kernel;
  }
}

TEST(SyncTest, SyncAllIsOneRecordOfEachCore) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(64)).Pass(run.Allocate<int32_t>(64)).Launch("All", 8);
  EXPECT_EQ(run.Count(Kind::kSyncAll), 8u);
}

TEST(SyncTest, SomeCoresSynchroniseBySoftware) {
  KernelRun run(kFile);
  auto* flags = run.Allocate<int32_t>(8 * 8);
  auto* out = run.Allocate<int32_t>(16 * 8);
  run.Pass(flags).Pass(out).Launch("FirstFour", 8);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  EXPECT_EQ(run.Count(Kind::kSyncSet), 4u);
  EXPECT_EQ(run.Count(Kind::kSyncWait), 16u);
}

TEST(SyncTest, SyncAllOfMoreBlocksThanCoresHangs) {
  KernelRun run(kFile);
  auto* work = run.Allocate<int32_t>(8 * 41);
  run.Pass(work).Pass(run.Allocate<int32_t>(8 * 41)).Launch("All", 41);
  EXPECT_EQ(run.end(), LaunchEnd::kHang);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kSyncAll));
  EXPECT_THAT(run.Find(Check::kSyncAll).text, HasSubstr("41 blocks on 40 cores"));
}

TEST(SyncTest, SyncAllNeedsAKernelThatIsDeclaredForIt) {
  KernelRun run(kFile);
  auto* work = run.Allocate<int32_t>(64);
  run.Pass(work).Pass(run.Allocate<int32_t>(64)).Launch("AllVector", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kDone);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kSyncAll));
  EXPECT_THAT(run.Find(Check::kSyncAll).text, HasSubstr("__mix__(0, 1)"));
}

TEST(SyncTest, SyncAllThatOneCoreMissesHangs) {
  KernelRun run(kFile);
  auto* out = run.Allocate<int32_t>(8);
  run.Pass(out).Launch("NotByAll", 4);
  EXPECT_EQ(run.end(), LaunchEnd::kHang);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kHang));
  EXPECT_THAT(run.Find(Check::kHang).text, HasSubstr("core 0 waits for SyncAll number 1"));
}

TEST(SyncTest, WaitingForCubeCoresHangs) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(8)).Launch("WithCube", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kHang);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kSyncAll));
}

TEST(SyncTest, AFlagThatNoCoreSetsHangsItsWaiter) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(8)).Launch("CrossNever", 3);
  EXPECT_EQ(run.end(), LaunchEnd::kHang);
  EXPECT_THAT(run.Find(Check::kHang).text, HasSubstr("core 0 waits for CrossCoreSetFlag of flag 5"));
}

TEST(SyncTest, FlagsForCubeCoresAreRefused) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<int32_t>(8)).Launch("CrossCube", 1);
  EXPECT_THAT(run.Errors(), ElementsAre(Check::kCrossCore));
}

TEST(SyncTest, OneBlockWaitsForAnother) {
  KernelRun run(kFile);
  auto* flags = run.Allocate<int32_t>(64);
  auto* out = run.Allocate<int32_t>(32);
  run.Pass(flags).Pass(out).Launch("PairOf", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_EQ(out[16], 42);
}

TEST(SyncTest, IBWaitWithOtherNumbersThanIBSetHangs) {
  KernelRun run(kFile);
  auto* flags = run.Allocate<int32_t>(64);
  run.Pass(flags).Pass(run.Allocate<int32_t>(32)).Launch("PairApart", 2);
  EXPECT_EQ(run.end(), LaunchEnd::kHang);
  EXPECT_THAT(run.Find(Check::kHang).text, HasSubstr("core 1 waits for IBSet of block 0 and event 0"));
}

TEST(SyncTest, BlocksTakeTurnsInOrder) {
  KernelRun run(kFile);
  auto* flags = run.Allocate<int32_t>(8 * 4);
  auto* out = run.Allocate<int32_t>(16);
  run.Pass(flags).Pass(out).Launch("InOrder", 4);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(std::vector<int32_t>(out, out + 9), ElementsAre(8, 0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(SyncTest, AGroupWaitsForAllOfAnother) {
  KernelRun run(kFile);
  auto* messages = run.Allocate<uint8_t>(4 * 512);
  auto* work = run.Allocate<int32_t>(6 * 8);
  auto* out = run.Allocate<int32_t>(3 * 8 * 8);
  run.Pass(messages).Pass(work).Pass(out).Launch("Group", 6);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_EQ(out[0], 4 * 512);
  EXPECT_EQ(run.Count(Kind::kSyncSet), 6u);
  EXPECT_EQ(run.Count(Kind::kSyncWait), 4u * 3 * 2);
  for (int turn = 0; turn < 3; ++turn) {
    for (int block = 2; block < 6; ++block) EXPECT_EQ(out[(turn * 8 + block) * 8], 10 * turn + block % 2);
  }
}

TEST(SyncTest, AGroupThatIsNeverFullHangs) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<uint8_t>(1024)).Launch("GroupNeverFull", 3);
  EXPECT_EQ(run.end(), LaunchEnd::kHang);
  EXPECT_THAT(run.message(), HasSubstr("Arrive of 2 cores"));
}

TEST(SyncTest, AGroupsWorkspaceAndNumbersAreChecked) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<uint8_t>(256)).Launch("GroupOffPlace", 1);
  EXPECT_THAT(run.Errors(), testing::UnorderedElementsAre(Check::kArgument, Check::kMisaligned, Check::kOutOfBounds));
}

}  // namespace
}  // namespace kernelsmith::emulator
