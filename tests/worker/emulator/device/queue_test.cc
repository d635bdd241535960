#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFile[] = "queues.asc";

TEST(QueueTest, ATiledKernelMovesEverything) {
  constexpr uint32_t kElements = 1 << 20;
  KernelRun run("stream.asc");
  auto* x = run.Allocate<uint16_t>(kElements);
  auto* z = run.Allocate<uint16_t>(kElements);
  for (uint32_t i = 0; i < kElements; ++i) x[i] = static_cast<uint16_t>(i * 7);
  run.Pass(x).Pass(z).Pass(kElements).Launch("Stream", 32);
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_EQ(std::memcmp(x, z, kElements * 2), 0);
  EXPECT_THAT(run.Errors(), IsEmpty());
}

TEST(QueueTest, QueuesSetAndAwaitTheFlagsOfTheirPositions) {
  KernelRun run("stream.asc");
  auto* x = run.Allocate<uint16_t>(3 * 8192);
  auto* z = run.Allocate<uint16_t>(3 * 8192);
  run.Pass(x).Pass(z).Pass(uint32_t{3 * 8192}).Launch("Stream", 1);
  std::vector<std::string> order;
  static constexpr const char* kPipes[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  for (const SeenRecord& seen : run.records()) {
    const std::string pipe = seen.record.pipe == Pipe::kAll ? "ALL" : kPipes[static_cast<size_t>(seen.record.pipe)];
    const std::string other = kPipes[seen.record.a % 7];
    switch (seen.record.kind) {
      case Kind::kSetFlag:
        order.push_back("set " + pipe + "_" + other);
        break;
      case Kind::kWaitFlag:
        order.push_back("wait " + other + "_" + pipe);
        break;
      case Kind::kMove:
        order.push_back(pipe);
        break;
      case Kind::kBarrier:
        order.push_back("barrier " + pipe);
        break;
      default:
        break;
    }
  }
  const std::vector<std::string> tile = {"MTE2",       "set MTE2_V",  "wait MTE2_V", "V",         "set V_MTE3",
                                         "set V_MTE2", "wait V_MTE3", "MTE3",        "set MTE3_V"};
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) {
    for (const std::string& step : tile) {
      // With two buffers the third tile takes up the first one again.
      if (i == 2 && step == "MTE2") expected.push_back("wait V_MTE2");
      if (i == 2 && step == "V") expected.push_back("wait MTE3_V");
      expected.push_back(step);
    }
  }
  for (const char* left : {"wait V_MTE2", "wait V_MTE2", "wait MTE3_V", "wait MTE3_V", "barrier ALL"}) {
    expected.push_back(left);
  }
  EXPECT_EQ(order, expected);
}

struct Wrong {
  const char* kernel;
  Check check;
  LaunchEnd end;
  const char* text;
};

class WrongQueueTest : public testing::TestWithParam<Wrong> {};

TEST_P(WrongQueueTest, IsNamed) {
  KernelRun run(kFile);
  run.Pass(run.Allocate<float>(1024)).Launch(GetParam().kernel);
  EXPECT_EQ(run.end(), GetParam().end) << run.message();
  EXPECT_THAT(run.Errors(), ElementsAre(GetParam().check));
  const SeenFinding finding = run.Find(GetParam().check);
  EXPECT_THAT(finding.text, HasSubstr(GetParam().text));
  EXPECT_NE(finding.line, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Queues, WrongQueueTest,
    testing::Values(Wrong{"AllocAll", Check::kPairing, LaunchEnd::kHang, "all 2 buffers of the queue are in use"},
                    Wrong{"FreeTwice", Check::kPairing, LaunchEnd::kDone, "free already"},
                    Wrong{"FreeElsewhere", Check::kPairing, LaunchEnd::kDone, "does not come from this queue"},
                    Wrong{"FreeQueued", Check::kPairing, LaunchEnd::kDone, "still in the queue"},
                    Wrong{"DeQueEmpty", Check::kPairing, LaunchEnd::kHang, "the queue is empty"},
                    Wrong{"EnQueTwice", Check::kPairing, LaunchEnd::kDone, "in the queue already"},
                    Wrong{"EnQueFull", Check::kPairing, LaunchEnd::kDone, "its depth is 1"},
                    Wrong{"NoBuffers", Check::kPairing, LaunchEnd::kFault, "call InitBuffer first"},
                    Wrong{"TooLarge", Check::kCapacity, LaunchEnd::kDone,
                          "196608 bytes of a memory of which a kernel may "
                          "use 196352"},
                    Wrong{"TooMany", Check::kCapacity, LaunchEnd::kDone, "64 buffers"},
                    Wrong{"TooLargeStatic", Check::kCapacity, LaunchEnd::kDone, "225536 bytes"},
                    Wrong{"TwoPipes", Check::kArgument, LaunchEnd::kDone, "second TPipe"},
                    Wrong{"WaitNever", Check::kHang, LaunchEnd::kHang, "MTE2_V with id 3, which nothing sets"},
                    Wrong{"WaitNeverScalar", Check::kHang, LaunchEnd::kHang, "V_S with id 3"},
                    Wrong{"WaitNeverBarrier", Check::kHang, LaunchEnd::kHang, "MTE2_V with id 3"},
                    Wrong{"BadEvent", Check::kArgument, LaunchEnd::kDone, "event id 8"},
                    Wrong{"ReleaseForeign", Check::kPairing, LaunchEnd::kDone, "not allocated"},
                    Wrong{"AllocateEvents", Check::kPairing, LaunchEnd::kDone, "no event id is left"}),
    [](const auto& wrong) { return wrong.param.kernel; });

TEST(QueueTest, ACoreThatHangsRunsNoFurther) {
  for (const char* kernel : {"WaitNeverScalar", "WaitNeverBarrier"}) {
    KernelRun run(kFile);
    auto* x = run.Allocate<float>(8);
    run.Pass(x).Launch(kernel);
    EXPECT_EQ(x[0], 0) << kernel;
  }
}

TEST(QueueTest, WhatTheAnalysisOfTheTraceFindsIsNotReportedTwice) {
  for (const char* kernel : {"SetTwice", "WaitFirst", "NeverFreed"}) {
    KernelRun run(kFile);
    run.Pass(run.Allocate<float>(1024)).Launch(kernel);
    EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
    EXPECT_THAT(run.findings(), IsEmpty()) << kernel;
  }
}

TEST(QueueTest, OneBufferServesInputAndOutput) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(256);
  auto* out = run.Allocate<float>(256);
  for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i);
  run.Pass(in).Pass(out).Launch("Bound");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  EXPECT_EQ(std::memcmp(in, out, 1024), 0);
  for (const SeenRecord& seen : run.records()) {
    if (seen.record.kind != Kind::kSetFlag) continue;
    EXPECT_TRUE(seen.record.pipe == Pipe::kMte2 || seen.record.pipe == Pipe::kMte3);
  }
}

TEST(QueueTest, QueuesBuffersEventsAndPoolsAnswerWhatTheyHold) {
  KernelRun run(kFile);
  auto* y = run.Allocate<int32_t>(16);
  run.Pass(y).Launch("Asks");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.Errors(), IsEmpty());
  EXPECT_THAT(std::vector<int32_t>(y, y + 15),
              ElementsAre(1, 32, 0, 2, 0, 128, 0, 1, 0, 512, 10, 64, 1, 196352 - 256 - 1024 - 4096, 4096));
}

TEST(QueueTest, StaticTensorsNeedNoPipe) {
  KernelRun run(kFile);
  auto* in = run.Allocate<float>(512);
  auto* out = run.Allocate<float>(512);
  for (int i = 0; i < 512; ++i) in[i] = static_cast<float>(i);
  run.Pass(in).Pass(out).Launch("Static");
  EXPECT_EQ(run.end(), LaunchEnd::kDone) << run.message();
  EXPECT_THAT(run.findings(), IsEmpty());
  EXPECT_EQ(std::memcmp(in, out, 2048), 0);
}

}  // namespace
}  // namespace kernelsmith::emulator
