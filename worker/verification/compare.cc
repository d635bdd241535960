#include "worker/verification/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "worker/verification/element_block.h"
#include "worker/verification/half.h"
#include "worker/verification/patterns.h"
#include "worker/verification/strided.h"
#include "worker/verification/tolerance.h"

namespace kernelsmith::worker {
namespace {

constexpr size_t kBlock = 4096;

// What the scan of all elements found.
struct Scan {
  int64_t wrong = 0;
  int64_t nonfinite = 0;  // of the wrong ones: NaN or infinity misplaced
  int64_t worst = -1;
  double worst_score = -1;
  double max_abs = 0;
  double max_rel = 0;
  std::vector<uint8_t> flags;  // allocated at the first wrong element
};

void Mark(Scan& scan, int64_t index, int64_t elements, double score) {
  if (scan.flags.empty()) scan.flags.resize(elements, 0);
  scan.flags[index] = 1;
  ++scan.wrong;
  if (score > scan.worst_score) {
    scan.worst_score = score;
    scan.worst = index;
  }
}

void Inspect(Scan& scan, int64_t index, int64_t elements, double got, double want, const ToleranceRule& rule,
             double rms) {
  const bool matches_nonfinite =
      (std::isnan(got) && std::isnan(want)) || (std::isinf(got) && std::isinf(want) && (got > 0) == (want > 0));
  if (matches_nonfinite) return;
  if (!std::isfinite(got) || !std::isfinite(want)) {
    ++scan.nonfinite;
    Mark(scan, index, elements, std::numeric_limits<double>::infinity());
    return;
  }
  const double difference = std::fabs(got - want);
  const double allowed = Allowed(rule, want);
  scan.max_abs = std::max(scan.max_abs, difference);
  scan.max_rel = std::max(scan.max_rel, difference / (std::fabs(want) + (rms > 0 ? rms : 1e-300)));
  if (!(difference <= allowed)) {
    Mark(scan, index, elements, allowed > 0 ? difference / allowed : std::numeric_limits<double>::max());
  }
}

// Both arrays hold Real; `load` gives `count` values of the observed tensor from `first` on.
template <typename Real, typename Load>
Scan ScanFloats(int64_t elements, const std::byte* want_bytes, Load load, const ToleranceRule& rule, double rms) {
  Scan scan;
  std::vector<Real> got_block(kBlock);
  std::vector<Real> want_block(kBlock);
  for (int64_t first = 0; first < elements; first += kBlock) {
    const size_t count = static_cast<size_t>(std::min<int64_t>(kBlock, elements - first));
    load(first, count, got_block.data());
    std::memcpy(want_block.data(), want_bytes + first * sizeof(Real), count * sizeof(Real));
    const BlockSummary summary = SummarizeBlock(got_block.data(), want_block.data(), count, rule, rms);
    if (summary.clean) {
      scan.max_abs = std::max(scan.max_abs, summary.max_abs);
      scan.max_rel = std::max(scan.max_rel, summary.max_rel);
      continue;
    }
    for (size_t i = 0; i < count; ++i) {
      Inspect(scan, first + static_cast<int64_t>(i), elements, got_block[i], want_block[i], rule, rms);
    }
  }
  return scan;
}

// Value of an integer or bool element.
int64_t IntegerAt(const std::byte* data, v1::DType dtype, int64_t index) {
  auto read = [&](auto zero) {
    decltype(zero) value;
    std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(value)), sizeof(value));
    return static_cast<int64_t>(value);
  };
  switch (dtype) {
    case v1::INT8:
      return read(int8_t{0});
    case v1::INT16:
      return read(int16_t{0});
    case v1::INT32:
      return read(int32_t{0});
    case v1::INT64:
      return read(int64_t{0});
    default:
      return read(uint8_t{0});
  }
}

double DoubleAt(const std::byte* data, v1::DType dtype, int64_t index) {
  switch (dtype) {
    case v1::FP32: {
      float value;
      std::memcpy(&value, data + index * 4, 4);
      return value;
    }
    case v1::FP64: {
      double value;
      std::memcpy(&value, data + index * 8, 8);
      return value;
    }
    case v1::FP16:
    case v1::BF16: {
      uint16_t bits;
      std::memcpy(&bits, data + index * 2, 2);
      return dtype == v1::FP16 ? FloatFromFp16(bits) : FloatFromBf16(bits);
    }
    default:
      return static_cast<double>(IntegerAt(data, dtype, index));
  }
}

Scan ScanIntegers(int64_t elements, v1::DType dtype, int64_t width, const std::byte* got, const std::byte* want) {
  Scan scan;
  for (int64_t first = 0; first < elements; first += kBlock) {
    const int64_t count = std::min<int64_t>(kBlock, elements - first);
    if (std::memcmp(got + first * width, want + first * width, static_cast<size_t>(count * width)) == 0) continue;
    for (int64_t i = first; i < first + count; ++i) {
      const int64_t g = IntegerAt(got, dtype, i);
      const int64_t w = IntegerAt(want, dtype, i);
      if (g == w) continue;
      const double difference = std::fabs(static_cast<double>(g) - static_cast<double>(w));
      scan.max_abs = std::max(scan.max_abs, difference);
      Mark(scan, i, elements, difference);
    }
  }
  return scan;
}

Scan ScanOutput(const ExpectedOutput& want, v1::DType dtype, int64_t elements, int64_t width, const std::byte* got,
                const ToleranceRule& rule) {
  switch (dtype) {
    case v1::FP32:
      return ScanFloats<float>(
          elements, want.values.data(),
          [got](int64_t first, size_t count, float* out) { std::memcpy(out, got + first * 4, count * 4); }, rule,
          want.rms);
    case v1::FP16:
      return ScanFloats<float>(
          elements, want.values.data(),
          [got](int64_t first, size_t count, float* out) { FloatsFromFp16(got + first * 2, count, out); }, rule,
          want.rms);
    case v1::BF16:
      return ScanFloats<float>(
          elements, want.values.data(),
          [got](int64_t first, size_t count, float* out) { FloatsFromBf16(got + first * 2, count, out); }, rule,
          want.rms);
    case v1::FP64:
      return ScanFloats<double>(
          elements, want.values.data(),
          [got](int64_t first, size_t count, double* out) { std::memcpy(out, got + first * 8, count * 8); }, rule,
          want.rms);
    default:
      return ScanIntegers(elements, dtype, width, got, want.values.data());
  }
}

std::string ShapeText(absl::Span<const int64_t> shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

std::vector<int64_t> ShapeOf(const v1::TensorDescriptor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

v1::DType ExpectedType(v1::DType dtype) { return dtype == v1::FP16 || dtype == v1::BF16 ? v1::FP32 : dtype; }

}  // namespace

OutputVerdict CompareOutput(const ExpectedOutput& want, const ObservedOutput& got, const v1::Tolerance& tolerance) {
  OutputVerdict verdict;
  const std::string& name = want.tensor.name();
  verdict.mismatch.set_output(name);
  const v1::DType dtype = want.tensor.dtype();
  if (got.layout.dtype != dtype) {
    verdict.status = v1::INCORRECT_DTYPE;
    verdict.detail = absl::StrCat("output '", name, "' has type ", v1::DType_Name(got.layout.dtype), ", expected ",
                                  v1::DType_Name(dtype));
    return verdict;
  }
  const std::vector<int64_t> shape = ShapeOf(want.tensor);
  if (got.layout.shape != shape) {
    verdict.status = v1::INCORRECT_SHAPE;
    verdict.detail =
        absl::StrCat("output '", name, "' has shape ", ShapeText(got.layout.shape), ", expected ", ShapeText(shape));
    return verdict;
  }
  const int64_t elements = got.layout.elements;
  const int64_t width = got.layout.element_bytes;
  const std::byte* data = got.buffer.data();
  std::vector<std::byte> packed;
  if (!IsContiguous(got.layout)) {
    packed.resize(static_cast<size_t>(elements * width));
    Gather(got.buffer, got.layout, absl::MakeSpan(packed));
    data = packed.data();
  }
  const ToleranceRule rule = RuleFor(dtype, tolerance, want.rms, want.error);
  Scan scan = ScanOutput(want, dtype, elements, width, data, rule);
  verdict.max_abs_error = scan.max_abs;
  verdict.max_rel_error = scan.max_rel;
  if (scan.wrong == 0) return verdict;

  WrongElements wrong{shape, std::move(scan.flags), {}};
  int64_t stale = 0;
  if (!got.poison.empty()) {
    std::vector<std::byte> before(static_cast<size_t>(elements * width));
    Gather(got.poison, got.layout, absl::MakeSpan(before));
    wrong.poison.resize(static_cast<size_t>(elements));
    for (int64_t i = 0; i < elements; ++i) {
      wrong.poison[i] = std::memcmp(data + i * width, before.data() + i * width, static_cast<size_t>(width)) == 0;
      stale += wrong.poison[i] & wrong.wrong[i];
    }
  }
  const v1::DType stored = ExpectedType(dtype);
  auto got_at = [&](int64_t i) { return DoubleAt(data, dtype, i); };
  auto want_at = [&](int64_t i) { return DoubleAt(want.values.data(), stored, i); };
  // Poison is often NaN, yet an unwritten output is not a non-finite result.
  const bool unwritten = 2 * stale >= scan.wrong && stale > 0;
  verdict.status = scan.nonfinite > 0 && !unwritten ? v1::INCORRECT_NONFINITE : v1::INCORRECT_NUMERICAL;
  v1::Mismatch& mismatch = verdict.mismatch;
  mismatch.set_elements(elements);
  mismatch.set_wrong(scan.wrong);
  for (const int64_t index : MultiIndex(scan.worst, shape)) mismatch.add_worst_index(index);
  mismatch.set_got(got_at(scan.worst));
  mismatch.set_expected(want_at(scan.worst));
  mismatch.set_allowed(Allowed(rule, mismatch.expected()));
  if (!std::isfinite(mismatch.allowed())) mismatch.set_allowed(0);
  mismatch.set_pattern(DescribePattern(wrong, got_at, want_at));
  verdict.detail =
      absl::StrFormat("output '%s': %d of %d elements are wrong (%s)", name, scan.wrong, elements, mismatch.pattern());
  return verdict;
}

std::vector<OutputVerdict> CompareOutputs(absl::Span<const ExpectedOutput> want, absl::Span<const ObservedOutput> got,
                                          const v1::Tolerance& tolerance) {
  if (want.size() != got.size()) {
    OutputVerdict verdict;
    verdict.status = v1::INCORRECT_COUNT;
    verdict.detail = absl::StrCat("the kernel has ", got.size(), " outputs, the task ", want.size());
    return {verdict};
  }
  std::vector<OutputVerdict> verdicts;
  verdicts.reserve(want.size());
  for (size_t i = 0; i < want.size(); ++i) verdicts.push_back(CompareOutput(want[i], got[i], tolerance));
  return verdicts;
}

v1::EvaluationStatus Overall(absl::Span<const OutputVerdict> verdicts) {
  constexpr v1::EvaluationStatus kOrder[] = {v1::INCORRECT_COUNT, v1::INCORRECT_DTYPE, v1::INCORRECT_SHAPE,
                                             v1::INCORRECT_NONFINITE, v1::INCORRECT_NUMERICAL};
  for (const v1::EvaluationStatus status : kOrder) {
    for (const OutputVerdict& verdict : verdicts) {
      if (verdict.status == status) return status;
    }
  }
  return v1::PASSED;
}

}  // namespace kernelsmith::worker
