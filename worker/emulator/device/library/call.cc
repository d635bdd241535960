#include "worker/emulator/device/library/call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::library {
namespace {

using vector::Rounding;

double Load(const std::byte* from, uint64_t index, Element type) {
  uint64_t bits = 0;
  if (type == Element::kInt4) {
    const auto pair = static_cast<uint8_t>(from[index / 2]);
    const int nibble = index % 2 == 0 ? pair & 15 : pair >> 4;
    return nibble < 8 ? nibble : nibble - 16;
  }
  const uint64_t bytes = vector::ElementBits(type) / 8;
  std::memcpy(&bits, from + index * bytes, bytes);
  switch (type) {
    case Element::kFloat:
    case Element::kHalf:
    case Element::kBfloat16:
      return vector::ScalarFloat(bits, type);
    case Element::kUint64:
      return static_cast<double>(bits);
    default:
      return static_cast<double>(vector::ScalarInteger(bits, type));
  }
}

uint64_t BitsOf(double value, Element type) {
  const float narrow = static_cast<float>(value);
  const auto whole = [&](double low, double high) {
    if (std::isnan(value)) return int64_t{0};
    return static_cast<int64_t>(std::clamp(std::nearbyint(value), low, high));
  };
  switch (type) {
    case Element::kFloat:
      return vector::FloatBits(narrow);
    case Element::kHalf:
      return vector::FloatToHalf(narrow, Rounding::kRint);
    case Element::kBfloat16:
      return vector::FloatToBfloat16(narrow, Rounding::kRint);
    case Element::kInt8:
      return static_cast<uint64_t>(whole(-128, 127));
    case Element::kUint8:
      return static_cast<uint64_t>(whole(0, 255));
    case Element::kInt16:
      return static_cast<uint64_t>(whole(-32768, 32767));
    case Element::kUint16:
      return static_cast<uint64_t>(whole(0, 65535));
    case Element::kInt32:
      return static_cast<uint64_t>(whole(-2147483648.0, 2147483647.0));
    default:
      return static_cast<uint64_t>(whole(-9.2e18, 9.2e18));
  }
}

}  // namespace

bool Values::RowDefined(uint64_t r, uint64_t n) const {
  return n == 0 || std::memchr(defined.data() + r * columns, 0, n) == nullptr;
}

Call::Call(Core& core, const kse_library_call& call, const kse_where& where)
    : abi(call), core_(core), instruction_(core, Pipe::kVector, Kind::kCompute, where) {}

uint64_t Call::PerBlock(Element type) { return 256 / vector::ElementBits(type); }

bool Call::Bind(const kse_tensor& tensor, const Grid& grid, AccessKind kind) {
  if (!ok() || grid.Count() == 0) return false;
  if (tensor.space != KSE_SPACE_UB) {
    Forbid("an operand is not in the unified buffer, where the vector unit works; copy it there first");
    return false;
  }
  const uint32_t bits = vector::ElementBits(static_cast<Element>(tensor.element));
  if (bits == 0) {
    Forbid("an operand has an element type that the function does not know");
    return false;
  }
  if (!vector::CheckAligned(instruction_, tensor, 32)) return false;
  Span span{.run_bytes = static_cast<uint32_t>((grid.columns * bits + 7) / 8)};
  if (grid.fractal != 0) {
    span = {.run_bytes = static_cast<uint32_t>(grid.rows * grid.fractal * bits / 8),
            .runs = static_cast<uint32_t>((grid.columns + grid.fractal - 1) / grid.fractal),
            .run_stride = static_cast<uint32_t>(grid.pitch * grid.fractal * bits / 8)};
  } else if (grid.rows > 1 && grid.pitch == grid.columns) {
    span.run_bytes = static_cast<uint32_t>((grid.Count() * bits + 7) / 8);
  } else if (grid.rows > 1) {
    span.runs = static_cast<uint32_t>(grid.rows);
    span.run_stride = static_cast<uint32_t>(grid.pitch * bits / 8);
  }
  vector::Declare(instruction_, tensor, span, kind);
  return ok();
}

Values Call::Read(int in, const Grid& grid) { return ReadAs(in, TypeOfIn(in), grid); }

Values Call::ReadAs(int in, Element type, const Grid& grid) {
  Values values(grid.rows, grid.columns);
  kse_tensor tensor = *abi.in[in];
  tensor.element = static_cast<uint8_t>(type);
  if (!Bind(tensor, grid, AccessKind::kRead)) return values;
  const std::byte* from = core_.Arena(Space::kUb) + tensor.address;
  const uint8_t* shadow = core_.Shadow(from);
  const uint64_t bits = vector::ElementBits(type);
  for (uint64_t r = 0; r < grid.rows; ++r) {
    for (uint64_t c = 0; c < grid.columns; ++c) {
      const uint64_t at = grid.At(r, c);
      values(r, c) = Load(from, at, type);
      values.Defined(r, c) = std::memchr(shadow + at * bits / 8, 0, std::max<uint64_t>(bits / 8, 1)) == nullptr ? 1 : 0;
    }
  }
  if (grid.Count() > elements_) {
    elements_ = grid.Count();
    bytes_ = (grid.Count() * bits + 7) / 8;
    element_ = type;
  }
  return values;
}

void Call::Write(int out, const Grid& grid, Values values) {
  const kse_tensor* tensor = abi.out[out];
  if (tensor == nullptr || !Bind(*tensor, grid, AccessKind::kWrite)) return;
  results_.push_back({tensor, grid, std::move(values)});
}

void Call::Finish(uint32_t passes, Compute compute) {
  if (!ok()) return;
  for (const Result& stored : results_) {
    const auto type = static_cast<Element>(stored.tensor->element);
    const uint64_t bytes = std::max<uint64_t>(vector::ElementBits(type) / 8, 1);
    std::byte* to = core_.Arena(Space::kUb) + stored.tensor->address;
    uint8_t* shadow = core_.Shadow(to);
    for (uint64_t r = 0; r < stored.grid.rows; ++r) {
      for (uint64_t c = 0; c < stored.grid.columns; ++c) {
        const uint64_t at = stored.grid.At(r, c) * bytes;
        const uint64_t bits = BitsOf(stored.values(r, c), type);
        std::memcpy(to + at, &bits, bytes);
        std::memset(shadow + at, stored.values.Defined(r, c), bytes);
      }
    }
  }
  instruction_.Issue(compute, element_, elements_, static_cast<uint32_t>(passes * ((bytes_ + 255) / 256)));
}

}  // namespace kernelsmith::emulator::library
