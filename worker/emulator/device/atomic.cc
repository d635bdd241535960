#include "worker/emulator/device/atomic.h"

#include <algorithm>
#include <cstring>

#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator {
namespace {

struct Half {
  static float Wide(uint16_t bits) { return vector::HalfToFloat(bits); }
  static uint16_t Narrow(float value) { return vector::FloatToHalf(value, vector::Rounding::kRint); }
};

struct Brain {
  static float Wide(uint16_t bits) { return vector::Bfloat16ToFloat(bits); }
  static uint16_t Narrow(float value) { return vector::FloatToBfloat16(value, vector::Rounding::kRint); }
};

template <typename T>
T Combine(Core::Atomic operation, T old, T value) {
  switch (operation) {
    case Core::Atomic::kMax:
      return std::max(old, value);
    case Core::Atomic::kMin:
      return std::min(old, value);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint32_t>(old) + static_cast<uint32_t>(value));
  } else {
    return old + value;
  }
}

template <typename T>
void Apply(Core::Atomic operation, std::byte* to, const std::byte* from, size_t bytes) {
  for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old;
    T value;
    std::memcpy(&old, to + at, sizeof(T));
    std::memcpy(&value, from + at, sizeof(T));
    old = Combine(operation, old, value);
    std::memcpy(to + at, &old, sizeof(T));
  }
}

template <typename Format>
void ApplyNarrow(Core::Atomic operation, std::byte* to, const std::byte* from, size_t bytes) {
  for (size_t at = 0; at + 2 <= bytes; at += 2) {
    uint16_t old;
    uint16_t value;
    std::memcpy(&old, to + at, 2);
    std::memcpy(&value, from + at, 2);
    old = Format::Narrow(Combine(operation, Format::Wide(old), Format::Wide(value)));
    std::memcpy(to + at, &old, 2);
  }
}

}  // namespace

bool AtomicSupports(Element element) {
  switch (element) {
    case Element::kInt8:
    case Element::kInt16:
    case Element::kInt32:
    case Element::kHalf:
    case Element::kBfloat16:
    case Element::kFloat:
      return true;
    default:
      return false;
  }
}

void ApplyAtomic(Core::Atomic operation, Element element, std::byte* to, const std::byte* from, size_t bytes) {
  switch (element) {
    case Element::kInt8:
      return Apply<int8_t>(operation, to, from, bytes);
    case Element::kInt16:
      return Apply<int16_t>(operation, to, from, bytes);
    case Element::kInt32:
      return Apply<int32_t>(operation, to, from, bytes);
    case Element::kHalf:
      return ApplyNarrow<Half>(operation, to, from, bytes);
    case Element::kBfloat16:
      return ApplyNarrow<Brain>(operation, to, from, bytes);
    default:
      return Apply<float>(operation, to, from, bytes);
  }
}

}  // namespace kernelsmith::emulator
