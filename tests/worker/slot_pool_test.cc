#include "worker/runner/slot_pool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "common/status.h"
#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {
namespace {

v1::TensorDescriptor Tensor(v1::DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {},
                            int64_t offset = 0) {
  v1::TensorDescriptor tensor;
  tensor.set_name("t");
  tensor.set_dtype(dtype);
  for (const int64_t extent : shape) tensor.add_shape(extent);
  for (const int64_t stride : strides) tensor.add_strides(stride);
  tensor.set_storage_offset(offset);
  return tensor;
}

v1::TaskCase Case(const v1::TensorDescriptor& input, const v1::TensorDescriptor& output) {
  v1::TaskCase task_case;
  *task_case.add_inputs() = input;
  *task_case.add_outputs() = output;
  return task_case;
}

TEST(TensorLayoutTest, BufferReachesFromOffsetToLastElement) {
  struct Row {
    v1::TensorDescriptor tensor;
    int64_t elements;
    int64_t bytes;
    bool gaps;
  };
  const Row rows[] = {
      {Tensor(v1::FP32, {}), 1, 4, false},
      {Tensor(v1::FP32, {3, 4}), 12, 48, false},
      {Tensor(v1::FP16, {3, 4}, {1, 3}), 12, 24, false},  // transposed
      {Tensor(v1::FP32, {3, 4}, {8, 1}), 12, 80, true},   // rows apart
      {Tensor(v1::FP64, {4}, {0}), 4, 8, true},           // broadcast
      {Tensor(v1::INT8, {5}, {}, 3), 5, 8, true},         // offset
      {Tensor(v1::BOOL, {0, 7}), 0, 0, false},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<TensorLayout> layout = LayoutOf(row.tensor);
    ASSERT_TRUE(layout.ok()) << layout.status();
    EXPECT_EQ(layout->elements, row.elements) << row.tensor.ShortDebugString();
    EXPECT_EQ(layout->buffer_bytes, row.bytes) << row.tensor.ShortDebugString();
    EXPECT_EQ(layout->has_gaps, row.gaps) << row.tensor.ShortDebugString();
  }
}

TEST(TensorLayoutTest, RefusalNamesTheField) {
  const std::pair<v1::TensorDescriptor, std::string> rows[] = {
      {Tensor(v1::DTYPE_UNSPECIFIED, {1}), "dtype"},
      {Tensor(v1::FP32, {-1}), "shape"},
      {Tensor(v1::FP32, {2, 2}, {1}), "strides"},
      {Tensor(v1::FP32, {2}, {-1}), "strides"},
      {Tensor(v1::FP32, {2}, {}, -1), "storage_offset"},
      {Tensor(v1::FP32, {int64_t{1} << 40, int64_t{1} << 40}), "shape"},
      {Tensor(v1::FP32, {2}, {int64_t{1} << 62}), "strides"},
      {Tensor(v1::FP32, {1, 1, 1, 1, 1, 1, 1, 1, 1}), "shape"},
  };
  for (const auto& [tensor, field] : rows) {
    EXPECT_EQ(common::FieldOf(LayoutOf(tensor).status()), field) << tensor.ShortDebugString();
  }
  v1::TensorDescriptor fractal = Tensor(v1::FP16, {16, 16});
  fractal.set_format(v1::NZ);
  EXPECT_EQ(common::FieldOf(LayoutOf(fractal).status()), "format");
}

TEST(TensorLayoutTest, ElementsAreVisitedInRowMajorOrder) {
  const TensorLayout layout = *LayoutOf(Tensor(v1::INT16, {2, 3}, {1, 2}, 1));
  std::vector<int64_t> offsets;
  ForEachElement(layout, [&](int64_t at) { offsets.push_back(at); });
  EXPECT_THAT(offsets, ::testing::ElementsAre(2, 6, 10, 4, 8, 12));
}

TEST(SlotPoolTest, BuffersAreAlignedAndApart) {
  auto pool = *SlotPool::Create(Case(Tensor(v1::FP32, {7}), Tensor(v1::FP64, {3})), 5);
  EXPECT_EQ(*SlotPool::BytesPerSlot(pool->task_case()) * 5, pool->total_bytes());
  std::byte* previous = nullptr;
  for (int slot = 0; slot < 5; ++slot) {
    EXPECT_EQ(pool->Input(slot, 0).size(), 28u);
    EXPECT_EQ(pool->Output(slot, 0).size(), 24u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pool->Input(slot, 0).data()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pool->Output(slot, 0).data()) % 64, 0u);
    EXPECT_NE(pool->Output(slot, 0).data(), previous);
    previous = pool->Output(slot, 0).data();
  }
}

TEST(SlotPoolTest, PoisonCoversOutputsAndDiffersBySlotAndPattern) {
  auto pool = *SlotPool::Create(Case(Tensor(v1::FP32, {64}), Tensor(v1::FP32, {64})), 2);
  pool->Poison(0, 1);
  pool->Poison(1, 1);
  const auto bytes = [&](int slot) {
    const auto span = pool->Output(slot, 0);
    return std::string(reinterpret_cast<const char*>(span.data()), span.size());
  };
  EXPECT_EQ(pool->PoisonedElements(0, 0), 64);
  EXPECT_NE(bytes(0), bytes(1));
  const std::string first = bytes(0);
  pool->Poison(0, 2);
  EXPECT_NE(bytes(0), first);
  std::memset(pool->Output(0, 0).data(), 0, 4 * 10);
  EXPECT_EQ(pool->PoisonedElements(0, 0), 54);
  EXPECT_TRUE(pool->GuardsIntact(0));
}

TEST(SlotPoolTest, GuardsCatchWritesBesideOutputs) {
  auto pool = *SlotPool::Create(Case(Tensor(v1::FP32, {5}), Tensor(v1::FP32, {5})), 2);
  for (const int64_t at : {int64_t{-1}, int64_t{20}, int64_t{-200}, int64_t{100}}) {
    pool->Poison(0, 3);
    pool->Poison(1, 3);
    std::byte* const out = pool->Output(0, 0).data();
    out[at] = ~out[at];
    EXPECT_FALSE(pool->GuardsIntact(0)) << at;
    EXPECT_TRUE(pool->GuardsIntact(1)) << at;
  }
}

TEST(SlotPoolTest, GapsOfStridedOutputsAreGuarded) {
  auto pool = *SlotPool::Create(Case(Tensor(v1::FP32, {2, 2}), Tensor(v1::FP32, {2, 2}, {4, 1})), 1);
  pool->Poison(0, 3);
  std::byte* const out = pool->Output(0, 0).data();
  std::memset(out, 0, 8);
  std::memset(out + 16, 0, 8);
  EXPECT_TRUE(pool->GuardsIntact(0));
  out[9] = ~out[9];
  EXPECT_FALSE(pool->GuardsIntact(0));
}

TEST(SlotPoolTest, ChildCannotMapInputsForWritingNorResizeAnything) {
  auto pool = *SlotPool::Create(Case(Tensor(v1::FP32, {64}), Tensor(v1::FP32, {64})), 1);
  const int fd = pool->input_memory().fd();
  EXPECT_EQ(::mmap(nullptr, 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
  void* const view = ::mmap(nullptr, 64, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(view, MAP_FAILED);
  EXPECT_NE(::mprotect(view, 64, PROT_READ | PROT_WRITE), 0);
  ::munmap(view, 64);
  EXPECT_LT(::pwrite(fd, "x", 1, 0), 0);
  EXPECT_NE(::ftruncate(fd, 0), 0);
  EXPECT_NE(::ftruncate(pool->output_memory().fd(), 0), 0);
  pool->Input(0, 0)[0] = std::byte{1};  // the parent still can
}

TEST(SlotPoolTest, CaseWithoutInputsWorks) {
  v1::TaskCase task_case;
  *task_case.add_outputs() = Tensor(v1::FP32, {4});
  auto pool = *SlotPool::Create(task_case, 3);
  EXPECT_EQ(pool->input_memory().fd(), -1);
  EXPECT_EQ(pool->PoisonedElements(2, 0), 4);
}

}  // namespace
}  // namespace kernelsmith::worker
