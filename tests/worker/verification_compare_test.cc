// What passes and what does not, element by element, for every type and every kind of mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "worker/verification/compare.h"
#include "worker/verification/half.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

v1::TensorDescriptor Tensor(v1::DType dtype, const std::vector<int64_t>& shape) {
  v1::TensorDescriptor tensor;
  tensor.set_name("y");
  tensor.set_dtype(dtype);
  for (const int64_t extent : shape) tensor.add_shape(extent);
  return tensor;
}

template <typename T>
absl::Span<const std::byte> Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}

double Rms(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += std::isfinite(value) ? double{value} * value : 0;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

OutputVerdict CompareFloats(const std::vector<float>& want, const std::vector<float>& got,
                            std::vector<int64_t> shape = {}, absl::Span<const std::byte> poison = {},
                            double error = 0) {
  if (shape.empty()) shape = {static_cast<int64_t>(want.size())};
  const v1::TensorDescriptor tensor = Tensor(v1::FP32, shape);
  return CompareOutput({tensor, Bytes(want), Rms(want), error}, {*LayoutOf(tensor), Bytes(got), poison}, {});
}

std::vector<float> Softmax(int rows, int columns) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += values[static_cast<size_t>(r * columns + c)] = std::exp(normal(random));
    for (int c = 0; c < columns; ++c) values[static_cast<size_t>(r * columns + c)] /= static_cast<float>(sum);
  }
  return values;
}

TEST(CompareTest, AcceptsEqualAndRoundedValues) {
  const std::vector<float> want = Softmax(8, 1024);
  std::vector<float> got = want;
  EXPECT_EQ(CompareFloats(want, got).status, v1::PASSED);
  for (float& value : got) value *= 1 + 3e-7f;
  const OutputVerdict verdict = CompareFloats(want, got);
  EXPECT_EQ(verdict.status, v1::PASSED);
  EXPECT_GT(verdict.max_abs_error, 0);
}

TEST(CompareTest, ZerosDoNotPassASoftmax) {
  const std::vector<float> want = Softmax(4, 16384);  // every value is near 6e-5, below a fixed atol of 1e-4
  const OutputVerdict verdict = CompareFloats(want, std::vector<float>(want.size(), 0.0f), {4, 16384});
  EXPECT_EQ(verdict.status, v1::INCORRECT_NUMERICAL);
  EXPECT_GT(verdict.mismatch.wrong(), static_cast<int64_t>(want.size()) * 9 / 10);
  EXPECT_THAT(verdict.mismatch.pattern(), HasSubstr("the values are zero"));
}

TEST(CompareTest, OneWrongElementAmongAMillionIsEnough) {
  std::vector<float> want(1 << 20, 1.0f);
  std::vector<float> got = want;
  got[777777] = 1.001f;
  const OutputVerdict verdict = CompareFloats(want, got, {1024, 1024});
  EXPECT_EQ(verdict.status, v1::INCORRECT_NUMERICAL);
  EXPECT_EQ(verdict.mismatch.wrong(), 1);
  EXPECT_THAT(verdict.mismatch.worst_index(), ::testing::ElementsAre(777777 / 1024, 777777 % 1024));
  EXPECT_FLOAT_EQ(static_cast<float>(verdict.mismatch.got()), 1.001f);
  EXPECT_EQ(verdict.mismatch.expected(), 1.0);
  EXPECT_NEAR(verdict.mismatch.allowed(), 2e-4, 1e-6);
}

TEST(CompareTest, NanAndInfinityMatchByPositionAndSign) {
  const std::vector<float> want = {1, kInf, -kInf, kNan, 2};
  struct Case {
    const char* what;
    std::vector<float> got;
    v1::EvaluationStatus status;
  };
  const Case cases[] = {
      {"the same", {1, kInf, -kInf, kNan, 2}, v1::PASSED},
      {"NaN with the other sign bit", {1, kInf, -kInf, -kNan, 2}, v1::PASSED},
      {"infinity of the wrong sign", {1, -kInf, -kInf, kNan, 2}, v1::INCORRECT_NONFINITE},
      {"NaN for infinity", {1, kNan, -kInf, kNan, 2}, v1::INCORRECT_NONFINITE},
      {"a number for NaN", {1, kInf, -kInf, 0, 2}, v1::INCORRECT_NONFINITE},
      {"a number for infinity", {1, 3e38f, -kInf, kNan, 2}, v1::INCORRECT_NONFINITE},
      {"NaN for a number", {kNan, kInf, -kInf, kNan, 2}, v1::INCORRECT_NONFINITE},
      {"infinity for a number", {kInf, kInf, -kInf, kNan, 2}, v1::INCORRECT_NONFINITE},
      {"only a wrong number", {1.1f, kInf, -kInf, kNan, 2}, v1::INCORRECT_NUMERICAL},
  };
  for (const Case& entry : cases) EXPECT_EQ(CompareFloats(want, entry.got).status, entry.status) << entry.what;
}

TEST(CompareTest, TypeAndShapeAreExact) {
  const std::vector<float> values(6, 1.0f);
  const v1::TensorDescriptor want = Tensor(v1::FP32, {2, 3});
  for (const auto& [tensor, status] :
       {std::pair{Tensor(v1::FP32, {2, 3}), v1::PASSED}, std::pair{Tensor(v1::FP32, {3, 2}), v1::INCORRECT_SHAPE},
        std::pair{Tensor(v1::FP32, {1, 2, 3}), v1::INCORRECT_SHAPE},
        std::pair{Tensor(v1::FP32, {1}), v1::INCORRECT_SHAPE},
        std::pair{Tensor(v1::INT32, {2, 3}), v1::INCORRECT_DTYPE},
        std::pair{Tensor(v1::BF16, {2, 3}), v1::INCORRECT_DTYPE}}) {
    EXPECT_EQ(CompareOutput({want, Bytes(values), 1, 0}, {*LayoutOf(tensor), Bytes(values), {}}, {}).status, status);
  }
}

TEST(CompareTest, AMissingOutputIsACountError) {
  const std::vector<float> values(4, 1.0f);
  const v1::TensorDescriptor tensor = Tensor(v1::FP32, {4});
  const ExpectedOutput want{tensor, Bytes(values), 1, 0};
  const ObservedOutput got{*LayoutOf(tensor), Bytes(values), {}};
  EXPECT_EQ(Overall(CompareOutputs({want, want}, {got}, {})), v1::INCORRECT_COUNT);
  EXPECT_EQ(Overall(CompareOutputs({want, want}, {got, got}, {})), v1::PASSED);
}

TEST(CompareTest, IntegersCompareExactlyEvenWhereDoublesWouldNot) {
  const v1::TensorDescriptor tensor = Tensor(v1::INT64, {3});
  const std::vector<int64_t> want = {1, (int64_t{1} << 53) + 1, -5};
  std::vector<int64_t> got = want;
  EXPECT_EQ(CompareOutput({tensor, Bytes(want), 0, 0}, {*LayoutOf(tensor), Bytes(got), {}}, {}).status, v1::PASSED);
  got[1] -= 1;
  const OutputVerdict verdict = CompareOutput({tensor, Bytes(want), 0, 0}, {*LayoutOf(tensor), Bytes(got), {}}, {});
  EXPECT_EQ(verdict.status, v1::INCORRECT_NUMERICAL);
  EXPECT_THAT(verdict.mismatch.worst_index(), ::testing::ElementsAre(1));
}

TEST(CompareTest, EveryIntegerTypeSeesAnOffByOne) {
  for (const v1::DType dtype : {v1::INT8, v1::INT16, v1::INT32, v1::INT64, v1::UINT8, v1::BOOL}) {
    const v1::TensorDescriptor tensor = Tensor(dtype, {5});
    std::vector<std::byte> want(static_cast<size_t>(5 * ElementBytes(dtype)));
    std::vector<std::byte> got = want;
    got[static_cast<size_t>(2 * ElementBytes(dtype))] = std::byte{1};
    const OutputVerdict verdict = CompareOutput({tensor, want, 0, 0}, {*LayoutOf(tensor), got, {}}, {});
    EXPECT_EQ(verdict.status, v1::INCORRECT_NUMERICAL) << v1::DType_Name(dtype);
    EXPECT_EQ(verdict.mismatch.wrong(), 1);
    EXPECT_EQ(verdict.mismatch.got(), 1);
  }
}

TEST(CompareTest, HalfTypesHaveTheToleranceOfTheirClass) {
  struct Case {
    v1::DType dtype;
    float factor;
    v1::EvaluationStatus status;
  };
  for (const Case& entry : {Case{v1::FP16, 1.001f, v1::PASSED}, Case{v1::FP16, 1.01f, v1::INCORRECT_NUMERICAL},
                            Case{v1::BF16, 1.01f, v1::PASSED}, Case{v1::BF16, 1.1f, v1::INCORRECT_NUMERICAL}}) {
    const v1::TensorDescriptor tensor = Tensor(entry.dtype, {300});
    const std::vector<float> want(300, 2.0f);
    std::vector<uint16_t> got;
    for (const float value : want) {
      got.push_back(entry.dtype == v1::FP16 ? Fp16FromFloat(value * entry.factor)
                                            : Bf16FromFloat(value * entry.factor));
    }
    EXPECT_EQ(CompareOutput({tensor, Bytes(want), 2, 0}, {*LayoutOf(tensor), Bytes(got), {}}, {}).status, entry.status)
        << v1::DType_Name(entry.dtype) << " " << entry.factor;
  }
}

TEST(CompareTest, DoublesAreHeldToTheirOwnClass) {
  const v1::TensorDescriptor tensor = Tensor(v1::FP64, {2});
  const std::vector<double> want = {1, 2};
  for (const auto& [factor, status] :
       {std::pair{1 + 1e-11, v1::PASSED}, std::pair{1 + 1e-8, v1::INCORRECT_NUMERICAL}}) {
    const std::vector<double> got = {1 * factor, 2};
    EXPECT_EQ(CompareOutput({tensor, Bytes(want), 1.6, 0}, {*LayoutOf(tensor), Bytes(got), {}}, {}).status, status);
  }
}

TEST(CompareTest, TheErrorOfTheReferenceWidensTheToleranceToTenTimesAtMost) {
  const std::vector<float> want(100, 1.0f);
  std::vector<float> got = want;
  got[3] = 1.0015f;  // the class allows 2e-4
  EXPECT_EQ(CompareFloats(want, got, {}, {}, 0).status, v1::INCORRECT_NUMERICAL);
  EXPECT_EQ(CompareFloats(want, got, {}, {}, 1e-3).status, v1::PASSED);
  got[3] = 1.0025f;
  EXPECT_EQ(CompareFloats(want, got, {}, {}, 1.0).status, v1::INCORRECT_NUMERICAL);
}

TEST(CompareTest, StridedOutputsCompareByIndex) {
  v1::TensorDescriptor tensor = Tensor(v1::FP32, {2, 3});
  const std::vector<float> want = {0, 1, 2, 3, 4, 5};
  for (const int64_t stride : {1, 2}) tensor.add_strides(stride);  // column-major
  tensor.set_storage_offset(1);
  std::vector<float> got = {-9, 0, 3, 1, 4, 2, 5};
  const v1::TensorDescriptor plain = Tensor(v1::FP32, {2, 3});
  EXPECT_EQ(CompareOutput({plain, Bytes(want), 3, 0}, {*LayoutOf(tensor), Bytes(got), {}}, {}).status, v1::PASSED);
  got[2] = 7;
  const OutputVerdict verdict = CompareOutput({plain, Bytes(want), 3, 0}, {*LayoutOf(tensor), Bytes(got), {}}, {});
  EXPECT_THAT(verdict.mismatch.worst_index(), ::testing::ElementsAre(1, 0));
}

TEST(CompareTest, UnwrittenElementsAreNumericalAndSaySo) {
  const std::vector<float> want(1000, 1.0f);
  std::vector<float> poison(1000, kNan);
  std::vector<float> got = want;
  std::copy(poison.begin() + 600, poison.end(), got.begin() + 600);
  const OutputVerdict verdict = CompareFloats(want, got, {1000}, Bytes(poison));
  EXPECT_EQ(verdict.status, v1::INCORRECT_NUMERICAL);
  EXPECT_THAT(verdict.mismatch.pattern(), HasSubstr("still poison from element 600"));
  EXPECT_THAT(CompareFloats(want, poison, {1000}, Bytes(poison)).mismatch.pattern(),
              HasSubstr("was not written at all"));
}

TEST(CompareTest, AScalarComparesToo) {
  const std::vector<float> want = {3};
  const v1::TensorDescriptor tensor = Tensor(v1::FP32, {});
  EXPECT_EQ(CompareOutput({tensor, Bytes(want), 3, 0}, {*LayoutOf(tensor), Bytes(want), {}}, {}).status, v1::PASSED);
}

}  // namespace
}  // namespace kernelsmith::worker
