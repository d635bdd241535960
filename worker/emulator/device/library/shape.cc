// Pad, UnPad, TransData, and Transpose between the layouts of matrix blocks.
#include <algorithm>
#include <array>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {

// Rows of `data` elements get `left` and `right` columns of a value; the source's rows are `stored` apart.
void Pad(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t stored = call.size(1);
  const uint64_t data = call.size(2);
  const uint64_t left = call.size(3);
  const uint64_t right = call.size(4);
  if (rows == 0 || data == 0 || data > stored) return call.Forbid("the tiling names no rows or no columns");
  const Values x = call.Read(0, {.rows = rows, .columns = data, .pitch = stored});
  const uint64_t width = left + data + right;
  Values y(rows, width);
  for (uint64_t r = 0; r < rows; ++r) {
    for (uint64_t c = 0; c < width; ++c) {
      const bool inside = c >= left && c < left + data;
      y(r, c) = inside ? x(r, c - left) : call.real(0);
      y.Defined(r, c) = inside ? x.Defined(r, c - left) : 1;
    }
  }
  call.Write(0, Dense(rows, width), std::move(y));
  call.Finish(4, Compute::kCopy);
}

void UnPad(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t stored = call.size(1);
  const uint64_t right = call.size(2);
  if (rows == 0 || right >= stored) return call.Forbid("rightPad has to be less than the width");
  Values x = call.Read(0, {.rows = rows, .columns = stored - right, .pitch = stored});
  call.Write(0, Dense(rows, stored - right), std::move(x));
  call.Finish(4, Compute::kCopy);
}

namespace {

uint64_t Up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

// Moves every element to where `place` says.
template <class Place>
void Rearrange(Call& call, uint64_t from_elements, uint64_t to_elements, uint64_t moved, const Place& place) {
  const Values x = call.Read(0, Row(from_elements));
  Values y(1, to_elements);
  for (uint64_t i = 0; i < moved; ++i) {
    const auto [from, to] = place(i);
    y(0, to) = x(0, from);
    y.Defined(0, to) = x.Defined(0, from);
  }
  call.Write(0, Row(to_elements), std::move(y));
  call.Finish(4, Compute::kTranspose);
}

struct Pair {
  uint64_t from;
  uint64_t to;
};

}  // namespace

// Channels (and batches) in groups of sixteen; h w of NCDHW is stored in whole blocks of 32 bytes. Places of channels
// and batches that do not exist hold 0.
void TransData(Call& call) {
  const uint64_t n = call.size(0);
  const uint64_t c = call.size(1);
  const uint64_t d = call.size(2);
  const uint64_t hw = uint64_t{call.size(3)} * call.size(4);
  const uint32_t kind = call.size(5);
  if (n == 0 || c == 0 || d == 0 || hw == 0) return call.Forbid("a dimension is 0");
  const uint64_t stored = Up(hw, 16);
  const uint64_t c1 = Up(c, 16) / 16;
  const uint64_t n1 = Up(n, 16) / 16;
  const auto channels_first = [=](uint64_t in, uint64_t ic, uint64_t id, uint64_t at) {
    return ((in * c + ic) * d + id) * stored + at;
  };
  const auto five = [=](uint64_t in, uint64_t ic, uint64_t id, uint64_t at) {
    return (((in * d + id) * c1 + ic / 16) * hw + at) * 16 + ic % 16;
  };
  const auto fractal = [=](uint64_t in, uint64_t ic, uint64_t id, uint64_t at) {
    return ((((id * c1 + ic / 16) * hw + at) * n1 + in / 16) * 16 + in % 16) * 16 + ic % 16;
  };
  const uint64_t first = n * c * d * stored;
  const bool z = kind == KSE_NCDHW_TO_FRACTAL_Z_3D || kind == KSE_FRACTAL_Z_3D_TO_NCDHW;
  const uint64_t grouped = z ? d * c1 * hw * n1 * 256 : n * d * c1 * hw * 16;
  const bool back = kind == KSE_NDC1HWC0_TO_NCDHW || kind == KSE_FRACTAL_Z_3D_TO_NCDHW;
  const auto place = [&](uint64_t i) {
    const uint64_t at = i % hw;
    const uint64_t id = i / hw % d;
    const uint64_t ic = i / hw / d % c;
    const uint64_t in = i / hw / d / c;
    const uint64_t plain = channels_first(in, ic, id, at);
    const uint64_t other = z ? fractal(in, ic, id, at) : five(in, ic, id, at);
    return back ? Pair{other, plain} : Pair{plain, other};
  };
  Rearrange(call, back ? grouped : first, back ? first : grouped, n * c * d * hw, place);
}

// sizes: TransposeType, then b, n, s, h / n of the scenes 1 to 6, or up to three dimensions of the others.
void ConfusionTranspose(Call& call) {
  const uint32_t type = call.size(0);
  const uint64_t b = call.size(1);
  const uint64_t n = call.size(2);
  const uint64_t s = call.size(3);
  const uint64_t h = call.size(4);  // of one of n
  const uint64_t all = b * n * s * h;
  if (all == 0) return call.Forbid("the tiling names a dimension of 0; fill it by GetTransposeTilingInfo");
  if (type >= 7) {
    // b, n, s, h hold 1 and the three dimensions from the left.
    const std::array<uint64_t, 3> size = {n, s, h};
    std::array<int, 3> order = {0, 2, 1};
    if (type == 14) order = {1, 0, 2};
    if (type == 15) order = {2, 1, 0};
    const auto place = [&](uint64_t i) {
      const std::array<uint64_t, 3> at = {i / (size[1] * size[2]), i / size[2] % size[1], i % size[2]};
      const auto axis = [&](int k) { return static_cast<size_t>(order[static_cast<size_t>(k)]); };
      return Pair{i, (at[axis(0)] * size[axis(1)] + at[axis(1)]) * size[axis(2)] + at[axis(2)]};
    };
    return Rearrange(call, all, all, all, place);
  }
  // Element (ib, in, is, ih) of [B, N, S, H/N]. NZ keeps the last axis in sixteens before the one before it.
  const auto fractal = [](uint64_t outer, uint64_t rows, uint64_t columns, uint64_t r, uint64_t c) {
    return outer * rows * columns + (c / 16 * rows + r) * 16 + c % 16;
  };
  if (s % 16 != 0 || h % 16 != 0 || (type == 2 && n % 16 != 0)) {
    return call.Forbid("the axes that are stored in blocks have to be multiples of 16");
  }
  const auto place = [&](uint64_t i) {
    const uint64_t ih = i % h;
    const uint64_t is = i / h % s;
    const uint64_t in = i / h / s % n;
    const uint64_t ib = i / h / s / n;
    const uint64_t split = fractal(ib * n + in, s, h, is, ih);       // [B, N, H/N/16, S/16, 16, 16]
    const uint64_t merged = fractal(ib, s, n * h, is, in * h + ih);  // [B, H/16, S/16, 16, 16]
    switch (type) {
      case 1:  // to [B, S, N, H/N]
        return Pair{split, ((ib * s + is) * n + in) * h + ih};
      case 2:  // to [B, S, H/N/16, N/16, 16, 16]
        return Pair{split, fractal(ib * s + is, n, h, in, ih)};
      case 3:
        return Pair{merged, split};
      case 4:
        return Pair{merged, ((ib * n + in) * s + is) * h + ih};
      case 5:
        return Pair{split, (ib * s + is) * n * h + in * h + ih};
      default:  // 6
        return Pair{split, merged};
    }
  };
  Rearrange(call, all, all, all, place);
}

}  // namespace kernelsmith::emulator::library
