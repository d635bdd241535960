// Candidates that behave, in real processes. Those that do not are in tests/hostile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/time/clock.h"
#include "tests/worker/support/compiled_candidate.h"
#include "worker/runner/candidate_process.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;
using testing_support::Compiled;
using testing_support::kDouble;
using testing_support::VectorCase;

TimeLimit Soon() { return TimeLimit(absl::Seconds(30)); }

float* Floats(absl::Span<std::byte> bytes) { return reinterpret_cast<float*>(bytes.data()); }

std::unique_ptr<CandidateProcess> Start(const std::string& body, const SlotPool& pool, int cpu_count = 1) {
  CandidateSpec spec;
  spec.object_path = Compiled(body);
  spec.cpu_count = cpu_count;
  spec.pool_bytes = pool.total_bytes();
  auto process = CandidateProcess::Create(spec);
  if (!process.ok()) ADD_FAILURE() << process.status();
  return process.ok() ? *std::move(process) : nullptr;
}

void FillInputs(SlotPool& pool) {
  for (int slot = 0; slot < pool.slots(); ++slot) {
    float* const x = Floats(pool.Input(slot, 0));
    for (size_t i = 0; i < pool.Input(slot, 0).size() / 4; ++i)
      x[i] = static_cast<float>(slot * 1000 + static_cast<int>(i));
  }
}

TEST(CandidateProcessTest, CallsEverySlotOfABatchAndNoOther) {
  auto pool = *SlotPool::Create(VectorCase(100), 8);
  FillInputs(*pool);
  auto process = Start(kDouble, *pool);
  const int handle = *process->AddPool(*pool);
  const BatchOutcome outcome = *process->RunBatch(handle, {1, 3, 5}, Soon());
  EXPECT_EQ(outcome.end, BatchEnd::kDone);
  EXPECT_EQ(outcome.tasks, 1);
  EXPECT_GT(outcome.wall, absl::ZeroDuration());
  for (int slot = 0; slot < 8; ++slot) {
    const bool called = slot == 1 || slot == 3 || slot == 5;
    EXPECT_EQ(pool->PoisonedElements(slot, 0), called ? 0 : 100) << slot;
    EXPECT_TRUE(pool->GuardsIntact(slot));
    if (called) {
      EXPECT_EQ(Floats(pool->Output(slot, 0))[7], 2.0f * (static_cast<float>(slot) * 1000 + 7));
    }
  }
  const ExitReport exit = process->Quit();
  EXPECT_EQ(exit.kind, ExitKind::kExited);
  EXPECT_EQ(exit.code, 0);
}

TEST(CandidateProcessTest, ServesManyBatchesWithNewInputs) {
  auto pool = *SlotPool::Create(VectorCase(16), 4);
  auto process = Start(kDouble, *pool);
  const int handle = *process->AddPool(*pool);
  for (int round = 0; round < 200; ++round) {
    const int slot = round % 4;
    std::fill_n(Floats(pool->Input(slot, 0)), 16, static_cast<float>(round));
    pool->Poison(slot, static_cast<uint64_t>(round));
    ASSERT_EQ(process->RunBatch(handle, {slot}, Soon())->end, BatchEnd::kDone);
    ASSERT_EQ(Floats(pool->Output(slot, 0))[15], 2.0f * static_cast<float>(round));
  }
}

TEST(CandidateProcessTest, OneProcessServesSeveralCases) {
  auto small = *SlotPool::Create(VectorCase(3), 2);
  auto large = *SlotPool::Create(VectorCase(5000), 2);
  FillInputs(*small);
  FillInputs(*large);
  auto process = Start(kDouble, *large);
  const int a = *process->AddPool(*small);
  const int b = *process->AddPool(*large);
  EXPECT_EQ(process->RunBatch(b, {1}, Soon())->end, BatchEnd::kDone);
  EXPECT_EQ(process->RunBatch(a, {0}, Soon())->end, BatchEnd::kDone);
  EXPECT_EQ(Floats(small->Output(0, 0))[2], 4.0f);
  EXPECT_EQ(Floats(large->Output(1, 0))[4999], 2.0f * 5999);
}

TEST(CandidateProcessTest, BatchesMayHoldThousandsOfSlots) {
  auto pool = *SlotPool::Create(VectorCase(4), 8192);
  FillInputs(*pool);
  auto process = Start(kDouble, *pool);
  const int handle = *process->AddPool(*pool);
  std::vector<int> slots(8192);
  std::iota(slots.begin(), slots.end(), 0);
  EXPECT_EQ(process->RunBatch(handle, slots, Soon())->end, BatchEnd::kDone);
  EXPECT_EQ(pool->PoisonedElements(8191, 0), 0);
  EXPECT_FALSE(process->RunBatch(handle, {}, Soon()).ok());
}

TEST(CandidateProcessTest, PassesShapesStridesAttributesAndProcessors) {
  v1::TaskCase task_case = VectorCase(6);
  task_case.mutable_inputs(0)->clear_shape();
  for (const int64_t extent : {2, 3}) task_case.mutable_inputs(0)->add_shape(extent);
  for (const int64_t stride : {1, 2}) task_case.mutable_inputs(0)->add_strides(stride);
  task_case.mutable_inputs(0)->set_storage_offset(1);
  (*task_case.mutable_attributes())["dim"] = "-1";
  (*task_case.mutable_attributes())["alpha"] = "0.5";
  auto pool = *SlotPool::Create(task_case, 2);
  for (int i = 0; i < 7; ++i) Floats(pool->Input(1, 0))[i] = static_cast<float>(i);
  auto process = Start(R"(
#include <cstring>
extern "C" int ks_kernel(const ks_call* call) {
  const ks_tensor& x = call->inputs[0];
  if (call->abi_version != KS_ABI_VERSION || call->cpu_count != 2) return 1;
  if (call->n_inputs != 1 || call->n_outputs != 1 || call->n_attributes != 2) return 2;
  if (x.dtype != KS_FP32 || x.rank != 2 || x.shape[0] != 2 || x.shape[1] != 3) return 3;
  if (x.strides[0] != 1 || x.strides[1] != 2 || x.elements != 6) return 4;
  if (std::strcmp(call->attributes[0].name, "alpha") || std::strcmp(call->attributes[0].json, "0.5")) return 5;
  if (std::strcmp(call->attributes[1].name, "dim") || std::strcmp(call->attributes[1].json, "-1")) return 6;
  const float* data = static_cast<const float*>(x.data);
  float* y = static_cast<float*>(call->outputs[0].data);
  for (int i = 0; i < 6; ++i) y[i] = data[i / 3 * x.strides[0] + i % 3 * x.strides[1]];
  return 0;
}
)",
                       *pool, 2);
  const BatchOutcome outcome = *process->RunBatch(*process->AddPool(*pool), {1}, Soon());
  EXPECT_EQ(outcome.end, BatchEnd::kDone) << outcome.return_code;
  const float* const y = Floats(pool->Output(1, 0));
  EXPECT_THAT(std::vector<float>(y, y + 6), ::testing::ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(CandidateProcessTest, JoinedThreadsAreFine) {
  auto pool = *SlotPool::Create(VectorCase(64), 4);
  FillInputs(*pool);
  auto process = Start(R"(
#include <thread>
#include <vector>
extern "C" int ks_kernel(const ks_call* call) {
  const float* x = static_cast<const float*>(call->inputs[0].data);
  float* y = static_cast<float*>(call->outputs[0].data);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([=] { for (int i = t * 16; i < t * 16 + 16; ++i) y[i] = 2 * x[i]; });
  for (std::thread& thread : threads) thread.join();
  return 0;
}
)",
                       *pool);
  const int handle = *process->AddPool(*pool);
  for (int round = 0; round < 50; ++round) {
    pool->Poison(round % 4, static_cast<uint64_t>(round));
    const BatchOutcome outcome = *process->RunBatch(handle, {round % 4}, Soon());
    ASSERT_EQ(outcome.end, BatchEnd::kDone);
    ASSERT_EQ(outcome.tasks, 1) << "round " << round;
    ASSERT_EQ(pool->PoisonedElements(round % 4, 0), 0);
  }
}

TEST(CandidateProcessTest, ReportsReturnCodeAndSlot) {
  auto pool = *SlotPool::Create(VectorCase(4), 4);
  auto process = Start(R"(
extern "C" int ks_kernel(const ks_call* call) { return static_cast<const float*>(call->inputs[0].data)[0] > 1 ? 42 : 0; }
)",
                       *pool);
  Floats(pool->Input(2, 0))[0] = 5;
  const int handle = *process->AddPool(*pool);
  const BatchOutcome outcome = *process->RunBatch(handle, {0, 2, 3}, Soon());
  EXPECT_EQ(outcome.end, BatchEnd::kFailed);
  EXPECT_EQ(outcome.return_code, 42);
  EXPECT_EQ(outcome.slot, 2);
  EXPECT_EQ(process->RunBatch(handle, {0}, Soon())->end, BatchEnd::kDone);
}

TEST(CandidateProcessTest, ReportsExceptions) {
  auto pool = *SlotPool::Create(VectorCase(4), 1);
  auto process = Start(R"(
#include <stdexcept>
extern "C" int ks_kernel(const ks_call*) { throw std::runtime_error("shape not supported"); }
)",
                       *pool);
  const BatchOutcome outcome = *process->RunBatch(*process->AddPool(*pool), {0}, Soon());
  EXPECT_EQ(outcome.end, BatchEnd::kException);
  EXPECT_THAT(outcome.detail, HasSubstr("shape not supported"));
}

TEST(CandidateProcessTest, ObjectWithoutKernelOrThatIsNoneIsRefusedWithTheLoadersWords) {
  auto folder = testing::TempDir();
  const std::string path = folder + "/not-an-object-" + std::to_string(::getpid());
  FILE* const file = std::fopen(path.c_str(), "w");
  std::fputs("this is text", file);
  std::fclose(file);
  CandidateSpec spec;
  spec.object_path = path;
  const absl::Status status = CandidateProcess::Create(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("file too short"));
  std::remove(path.c_str());
  spec.object_path = "/does/not/exist.so";
  EXPECT_EQ(CandidateProcess::Create(spec).status().code(), absl::StatusCode::kNotFound);
}

TEST(CandidateProcessTest, EmptyBatchesHaveACalibratedTime) {
  auto pool = *SlotPool::Create(VectorCase(4), 16);
  const absl::StatusOr<absl::Duration> empty = MeasureEmptyBatch(*pool, 16, 21);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_GT(*empty, absl::ZeroDuration());
  RecordProperty("empty_batch_us", std::to_string(absl::ToDoubleMicroseconds(*empty)));
}

TEST(CandidateProcessTest, WallCoversTheWork) {
  auto pool = *SlotPool::Create(VectorCase(4), 4);
  auto process = Start(R"(
#include <chrono>
extern "C" int ks_kernel(const ks_call*) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
  while (std::chrono::steady_clock::now() < end) {}
  return 0;
}
)",
                       *pool);
  const BatchOutcome outcome = *process->RunBatch(*process->AddPool(*pool), {0, 1, 2, 3}, Soon());
  EXPECT_GE(outcome.wall, absl::Milliseconds(40));
}

TEST(CandidateProcessTest, KillEndsABatchUnderWay) {
  auto pool = *SlotPool::Create(VectorCase(4), 1);
  auto process = Start("extern \"C\" int ks_kernel(const ks_call*) { for (;;) asm volatile(\"\"); }", *pool);
  const int handle = *process->AddPool(*pool);
  std::thread killer([&] { process->Kill(); });
  const BatchOutcome outcome = *process->RunBatch(handle, {0}, Soon());
  killer.join();
  EXPECT_EQ(outcome.end, BatchEnd::kDied);
  EXPECT_EQ(process->exit().kind, ExitKind::kKilled);
  EXPECT_EQ(process->CountTasks(), 0);
}

}  // namespace
}  // namespace kernelsmith::worker
