// A core of an emulated card with nothing but its memories and a trace: instructions of the operations library run on
// it without a kernel.
//
// Example:
//   class AddTest : public VectorFixture {};
//   TEST_F(AddTest, ...) {
//     const kse_tensor x = Put<float>(0, KSE_FLOAT, {1, 2, 3});
//     ...
//     EXPECT_THAT(Get<float>(y, 3), ElementsAre(...));
//     EXPECT_THAT(findings(), IsEmpty());
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "worker/emulator/device/core.h"
#include "worker/emulator/device/core_memory.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/device/pipe_state.h"
#include "worker/emulator/device/vector/lanes.h"
#include "worker/emulator/include/ks/vector_abi.h"
#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator::vector {

class VectorFixture : public ::testing::Test {
 protected:
  struct Seen {
    Check check;
    bool error;
    std::string text;
  };
  struct Issued {
    Record record;
    std::vector<Access> accesses;
  };

  VectorFixture() : block_(kTraceBytes), trace_(block_.data(), block_.size()) {
    soc_.set_ub_bytes(196608);
    soc_.set_ub_reserved_bytes(0);
    soc_.set_block_bytes(32);
    memory_ = std::make_unique<CoreMemory>(soc_, 0);
    // Nothing here runs a kernel, so no image is ever looked at.
    const auto& image = *reinterpret_cast<const Image*>(&no_image_);
    state_ = std::make_unique<LaunchState>(launch_, soc_, global_, image, -1, trace_);
    core_ = std::make_unique<Core>(*state_, Core::Identity{}, *memory_);
    Core::SetCurrent(core_.get());
    Record launch{};
    launch.kind = Kind::kLaunch;
    core_->Append(launch, nullptr, 0, where_);
  }
  ~VectorFixture() override { Core::SetCurrent(nullptr); }

  Core& core() { return *core_; }

  // A tensor in UB.
  static kse_tensor Tensor(uint64_t address, kse_element element, uint64_t bytes) {
    return {.address = address,
            .bytes = bytes,
            .elements = bytes * 8 / ElementBits(static_cast<Element>(element)),
            .space = KSE_SPACE_UB,
            .position = 0,
            .element = element,
            .uncached = 0,
            .buffer = 1,
            .queue = 0};
  }
  template <class T>
  kse_tensor Put(uint64_t address, kse_element element, const std::vector<T>& values) {
    std::byte* to = core_->Arena(Space::kUb) + address;
    std::memcpy(to, values.data(), values.size() * sizeof(T));
    core_->SetDefined(to, values.size() * sizeof(T));
    return Tensor(address, element, values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> Get(const kse_tensor& tensor, size_t n) {
    std::vector<T> values(n);
    std::memcpy(values.data(), core_->Arena(Space::kUb) + tensor.address, n * sizeof(T));
    return values;
  }
  void Undefine(const kse_tensor& tensor, uint64_t offset, uint64_t bytes) {
    core_->SetDefined(core_->Arena(Space::kUb) + tensor.address + offset, bytes, false);
  }
  std::vector<uint8_t> Shadow(const kse_tensor& tensor, uint64_t offset, uint64_t bytes) {
    const uint8_t* shadow = core_->Shadow(core_->Arena(Space::kUb) + tensor.address + offset);
    return {shadow, shadow + bytes};
  }
  bool Defined(const kse_tensor& tensor, uint64_t offset, uint64_t bytes) {
    return core_->AllDefined(core_->Arena(Space::kUb) + tensor.address + offset, bytes);
  }

  static kse_operand Strided(const kse_tensor& tensor, uint32_t block_stride = 1, uint32_t repeat_stride = 8) {
    return {.tensor = &tensor, .block_stride = block_stride, .repeat_stride = repeat_stride};
  }
  static kse_lanes Count(int64_t n) { return {{static_cast<uint64_t>(n), 0}, 1, KSE_LANES_COUNT}; }
  static kse_lanes Bits(uint64_t low, uint64_t high, int32_t repeats) { return {{low, high}, repeats, KSE_LANES_BITS}; }
  static kse_lanes Prefix(uint64_t n, int32_t repeats) { return {{n, 0}, repeats, KSE_LANES_PREFIX}; }
  static kse_lanes Register(int32_t repeats) { return {{0, 0}, repeats, KSE_LANES_REGISTER}; }

  void Run(kse_vector_operation operation, const kse_operand& dst, const kse_operand& a, const kse_operand& b,
           const kse_lanes& lanes, uint64_t scalar = 0, uint8_t rounding = 0) {
    const kse_vector_call call{dst, a, b, lanes, scalar, static_cast<uint16_t>(operation), rounding};
    kse_vector_elementwise(&call, &where_);
  }
  static constexpr kse_operand kNothing{nullptr, 1, 8};

  std::vector<Seen> findings() {
    std::vector<Seen> seen;
    ForEach([&](const Entry& entry, const TraceReader& reader) {
      if (entry.record->kind != Kind::kFinding) return;
      seen.push_back(
          {static_cast<Check>(entry.record->a), entry.record->b == 1, std::string(reader.text(entry.record->c))});
    });
    return seen;
  }
  std::vector<Issued> issued() {
    std::vector<Issued> all;
    ForEach([&](const Entry& entry, const TraceReader&) {
      if (entry.record->kind != Kind::kCompute) return;
      all.push_back({*entry.record, {entry.accesses.begin(), entry.accesses.end()}});
    });
    return all;
  }

  const kse_where where_{"Test", "kernel.asc", 7};

 private:
  static constexpr size_t kTraceBytes = 1 << 20;

  template <class Visit>
  void ForEach(const Visit& visit) {
    trace_.SetCores(1);
    absl::StatusOr<TraceReader> reader = TraceReader::Open(absl::MakeConstSpan(block_));
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    for (const Entry& entry : *reader) visit(entry, *reader);
  }

  std::vector<std::byte> block_;
  TraceBuffer trace_;
  v1::Soc soc_;
  Launch launch_;
  GlobalMemory global_;
  alignas(Image) std::byte no_image_[sizeof(Image)]{};
  std::unique_ptr<CoreMemory> memory_;
  std::unique_ptr<LaunchState> state_;
  std::unique_ptr<Core> core_;
};

}  // namespace kernelsmith::emulator::vector
