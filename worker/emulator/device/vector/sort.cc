// Sorting of (score, index) pairs of 8 bytes: score in the low bytes, index in the high four. Descending; equal scores
// keep their order; a NaN sorts above every number.

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "worker/emulator/device/vector/operands.h"

namespace kernelsmith::emulator::vector {
namespace {

constexpr uint32_t kPairBytes = 8;
constexpr uint32_t kSorted = 32;  // pairs of one repeat

struct Pair {
  float score;
  bool defined;
  std::array<std::byte, kPairBytes> bytes;
};

bool Above(const Pair& a, const Pair& b) {
  const bool a_nan = a.score != a.score;
  const bool b_nan = b.score != b.score;
  return a_nan ? !b_nan : a.score > b.score;
}

bool SupportedType(Instruction& instruction, Element type) {
  if (type == Element::kFloat || type == Element::kHalf) return true;
  instruction.Forbid(absl::StrCat(std::string(TypeName(type)), " is not supported on dav-2201; sort half or float"));
  return false;
}

bool RepeatsAllowed(Instruction& instruction, int32_t repeats) {
  if (repeats >= 0 && repeats <= 255) return true;
  instruction.Forbid(absl::StrCat("repeat ", repeats, " is not in 0 to 255; split the call"));
  return false;
}

Pair LoadPair(const std::byte* from, const uint8_t* shadow, Element type) {
  Pair pair;
  std::memcpy(pair.bytes.data(), from, kPairBytes);
  uint32_t score = 0;
  std::memcpy(&score, from, ElementBits(type) / 8);
  pair.score = ScalarFloat(score, type);
  // The two bytes between a half and its index mean nothing.
  pair.defined = std::memchr(shadow, 0, ElementBits(type) / 8) == nullptr && std::memchr(shadow + 4, 0, 4) == nullptr;
  return pair;
}

void StorePairs(const Operand& to, uint64_t at, absl::Span<const Pair> pairs) {
  for (const Pair& pair : pairs) {
    std::memcpy(to.data + at, pair.bytes.data(), kPairBytes);
    std::memset(to.shadow + at, pair.defined ? 1 : 0, kPairBytes);
    at += kPairBytes;
  }
}

// Pairs from separate scores and indices.
std::vector<Pair> Zip(const Operand& scores, const Operand& indices, uint64_t first, uint64_t n) {
  const uint32_t bytes = scores.bits() / 8;
  std::vector<Pair> pairs(n);
  for (uint64_t i = 0; i < n; ++i) {
    std::array<std::byte, kPairBytes> value{};
    std::array<uint8_t, kPairBytes> shadow;
    shadow.fill(1);
    std::memcpy(value.data(), scores.data + (first + i) * bytes, bytes);
    std::memcpy(shadow.data(), scores.shadow + (first + i) * bytes, bytes);
    std::memcpy(value.data() + 4, indices.data + (first + i) * 4, 4);
    std::memcpy(shadow.data() + 4, indices.shadow + (first + i) * 4, 4);
    pairs[i] = LoadPair(value.data(), shadow.data(), scores.type);
  }
  return pairs;
}

// Sort32 (full = false), or Sort with everything in one order.
void SortPairs(Core& core, const kse_tensor& dst, const kse_tensor& scores, const kse_tensor& indices,
               const kse_tensor* workspace, int32_t repeats, bool full, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(scores);
  if (!SupportedType(instruction, type) || !RepeatsAllowed(instruction, repeats) || repeats == 0) return;
  const uint64_t n = static_cast<uint64_t>(repeats) * kSorted;
  const Operand from = BindRange(core, instruction, scores, n * ElementBits(type) / 8, AccessKind::kRead);
  const Operand tags = BindRange(core, instruction, indices, n * 4, AccessKind::kRead);
  Operand spare;
  if (workspace != nullptr) spare = BindRange(core, instruction, *workspace, n * kPairBytes, AccessKind::kWrite);
  const Operand to = BindRange(core, instruction, dst, n * kPairBytes, AccessKind::kWrite);
  if (!instruction.ok()) return;
  const uint64_t part = full ? n : kSorted;
  std::vector<Pair> all = Zip(from, tags, 0, n);
  if (spare.data != nullptr) std::memset(spare.shadow, 0, n * kPairBytes);
  for (uint64_t first = 0; first < n; first += part) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(part), Above);
  }
  StorePairs(to, 0, all);
  // A full sort merges four lists at a time: every level passes over all pairs.
  uint32_t passes = 1;
  for (uint64_t lists = full ? static_cast<uint64_t>(repeats) : 1; lists > 1; lists = (lists + 3) / 4) ++passes;
  instruction.Issue(Compute::kSort, type, n, static_cast<uint32_t>(repeats) * passes);
}

void Merge(Core& core, const kse_tensor& dst, const kse_tensor* sources, const uint16_t* lengths, uint32_t valid,
           bool suspend, int32_t repeats, uint16_t* taken, const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(dst);
  if (valid != 3 && valid != 7 && valid != 15) {
    instruction.Forbid(absl::StrCat("validBit ", valid, " names no lists; it has to be 3, 7 or 15"));
    return;
  }
  const uint32_t lists = valid == 3 ? 2 : (valid == 7 ? 3 : 4);
  if (!SupportedType(instruction, type) || !RepeatsAllowed(instruction, repeats)) return;
  uint64_t total = 0;
  for (uint32_t i = 0; i < lists; ++i) {
    if (lengths[i] > 4095) {
      instruction.Forbid(absl::StrCat("list ", i + 1, " has ", lengths[i], " pairs; at most 4095 are merged"));
      return;
    }
    total += lengths[i];
  }
  bool repeatable = lists == 4 && !suspend;
  for (uint32_t i = 1; i < lists; ++i) {
    repeatable = repeatable && lengths[i] == lengths[0] &&
                 sources[i].address == sources[i - 1].address + uint64_t{lengths[0]} * kPairBytes;
  }
  if (repeats > 1 && !repeatable) {
    instruction.Forbid("more than one repeat needs four lists of equal length, one after another, without suspension");
    return;
  }
  if (repeats == 0 || total == 0) return;
  const uint64_t rounds = static_cast<uint64_t>(repeats);
  std::array<Operand, 4> from;
  for (uint32_t i = 0; i < lists; ++i) {
    if (repeatable && rounds > 1 && i > 0) break;  // the first access names all
    const uint64_t bytes = repeatable && rounds > 1 ? total * rounds * kPairBytes : uint64_t{lengths[i]} * kPairBytes;
    from[i] = BindRange(core, instruction, sources[i], bytes, AccessKind::kRead, 8);
  }
  if (!instruction.ok() || !CheckAligned(instruction, dst, kBlockBytes)) return;
  std::vector<Pair> merged;
  std::array<uint16_t, 4> used{};
  for (uint64_t round = 0; round < rounds; ++round) {
    std::array<std::vector<Pair>, 4> pairs;
    for (uint32_t i = 0; i < lists; ++i) {
      const bool shared = repeatable && rounds > 1;
      const Operand& list = shared ? from[0] : from[i];
      const uint64_t first = shared ? round * total + uint64_t{i} * lengths[0] : 0;
      for (uint64_t k = first; k < first + lengths[i]; ++k) {
        pairs[i].push_back(LoadPair(list.data + k * kPairBytes, list.shadow + k * kPairBytes, type));
      }
    }
    used = {};
    while (true) {
      int best = -1;
      for (uint32_t i = 0; i < lists; ++i) {
        if (used[i] == lengths[i]) continue;
        if (best < 0 || Above(pairs[i][used[i]], pairs[static_cast<size_t>(best)][used[static_cast<size_t>(best)]])) {
          best = static_cast<int>(i);
        }
      }
      if (best < 0) break;
      const auto list = static_cast<size_t>(best);
      merged.push_back(pairs[list][used[list]++]);
      if (suspend && used[list] == lengths[list]) break;
    }
  }
  const Operand to = BindRange(core, instruction, dst, merged.size() * kPairBytes, AccessKind::kWrite);
  if (!instruction.ok()) return;
  StorePairs(to, 0, merged);
  std::copy(used.begin(), used.end(), core.vector().merged);
  if (taken != nullptr) std::copy(used.begin(), used.end(), taken);
  instruction.Issue(Compute::kMergeSort, type, merged.size(), static_cast<uint32_t>((merged.size() + 31) / 32));
}

void Extract(Core& core, const kse_tensor& values, const kse_tensor& indices, const kse_tensor& sorted, int32_t repeats,
             const kse_where& where) {
  Instruction instruction(core, Pipe::kVector, Kind::kCompute, where);
  const Element type = TypeOf(sorted);
  if (!SupportedType(instruction, type) || !RepeatsAllowed(instruction, repeats) || repeats == 0) return;
  const uint32_t bytes = ElementBits(type) / 8;
  const uint64_t n = static_cast<uint64_t>(repeats) * kSorted;
  const Operand from = BindRange(core, instruction, sorted, n * kPairBytes, AccessKind::kRead);
  const Operand scores = BindRange(core, instruction, values, n * bytes, AccessKind::kWrite);
  const Operand tags = BindRange(core, instruction, indices, n * 4, AccessKind::kWrite);
  if (!instruction.ok()) return;
  const std::vector<std::byte> data(from.data, from.data + n * kPairBytes);
  const std::vector<uint8_t> shadows(from.shadow, from.shadow + n * kPairBytes);
  for (uint64_t i = 0; i < n; ++i) {
    std::memcpy(scores.data + i * bytes, data.data() + i * kPairBytes, bytes);
    std::memcpy(scores.shadow + i * bytes, shadows.data() + i * kPairBytes, bytes);
    std::memcpy(tags.data + i * 4, data.data() + i * kPairBytes + 4, 4);
    std::memcpy(tags.shadow + i * 4, shadows.data() + i * kPairBytes + 4, 4);
  }
  instruction.Issue(Compute::kGatherMask, type, 2 * n, static_cast<uint32_t>(repeats) * 2);
}

}  // namespace
}  // namespace kernelsmith::emulator::vector

extern "C" {

using kernelsmith::emulator::Core;
namespace vector = kernelsmith::emulator::vector;

void kse_vector_sort32(const kse_tensor* dst, const kse_tensor* scores, const kse_tensor* indices, int32_t repeats,
                       const kse_where* where) {
  vector::SortPairs(Core::Current(), *dst, *scores, *indices, nullptr, repeats, /*full=*/false, *where);
}

void kse_vector_sort_all(const kse_tensor* dst, const kse_tensor* concatenated, const kse_tensor* indices,
                         const kse_tensor* workspace, int32_t repeats, const kse_where* where) {
  vector::SortPairs(Core::Current(), *dst, *concatenated, *indices, workspace, repeats, /*full=*/true, *where);
}

void kse_vector_merge_sort(const kse_tensor* dst, const kse_tensor* sources, const uint16_t* lengths, uint32_t valid,
                           bool suspend, int32_t repeats, uint16_t* taken, const kse_where* where) {
  vector::Merge(Core::Current(), *dst, sources, lengths, valid, suspend, repeats, taken, *where);
}

void kse_vector_merged(uint16_t* taken) { std::memcpy(taken, Core::Current().vector().merged, 8); }

void kse_vector_extract(const kse_tensor* values, const kse_tensor* indices, const kse_tensor* sorted, int32_t repeats,
                        const kse_where* where) {
  vector::Extract(Core::Current(), *values, *indices, *sorted, repeats, *where);
}
}
