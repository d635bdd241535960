// The candidates in docs/knowledge/ascend_c/implementation-examples.md, as they stand there, on the emulated card.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/server/catalog/ascend_run.h"
#include "tests/server/catalog/candidate_run.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {
namespace {

struct Example {
  std::string heading;  // of its section begins with this
  v1::DType dtype = v1::FP32;
  bool weight = false;
  bool transposed = false;
  std::function<Numbers(const std::vector<Numbers>&, int64_t rows, int64_t columns)> reference;
};

double Silu(double x) { return x / (1 + std::exp(-x)); }

const std::vector<Example>& Examples() {
  static const auto* const examples = new std::vector<Example>{
      {"Element-wise", v1::FP16, false, false,
       [](const std::vector<Numbers>& in, int64_t, int64_t) {
         Numbers y;
         for (double x : in[0]) y.push_back(Silu(x));
         return y;
       }},
      {"Softmax", v1::FP32, false, false,
       [](const std::vector<Numbers>& in, int64_t rows, int64_t columns) {
         Numbers y = in[0];
         for (int64_t r = 0; r < rows; ++r) {
           const auto row = y.begin() + r * columns;
           const double max = *std::max_element(row, row + columns);
           double sum = 0;
           for (auto x = row; x < row + columns; ++x) sum += * x = std::exp(*x - max);
           for (auto x = row; x < row + columns; ++x) *x /= sum;
         }
         return y;
       }},
      {"RMSNorm", v1::FP32, true, false,
       [](const std::vector<Numbers>& in, int64_t rows, int64_t columns) {
         Numbers y = in[0];
         for (int64_t r = 0; r < rows; ++r) {
           double sum = 0;
           for (int64_t j = 0; j < columns; ++j) sum += y[size_t(r * columns + j)] * y[size_t(r * columns + j)];
           const double scale = 1 / std::sqrt(sum / double(columns) + 1e-6);
           for (int64_t j = 0; j < columns; ++j) y[size_t(r * columns + j)] *= scale * in[1][size_t(j)];
         }
         return y;
       }},
      {"Transposition", v1::FP32, false, true,
       [](const std::vector<Numbers>& in, int64_t rows, int64_t columns) {
         Numbers y(in[0].size());
         for (int64_t i = 0; i < rows; ++i) {
           for (int64_t j = 0; j < columns; ++j) y[size_t(j * rows + i)] = in[0][size_t(i * columns + j)];
         }
         return y;
       }},
  };
  return *examples;
}

// The code block behind a line that says only `name`, in the section whose heading begins with `heading`.
std::string BlockOf(const std::string& document, const std::string& heading, const std::string& name) {
  const size_t section = document.find("\n## " + heading);
  const size_t label = document.find("\n" + name + "\n", section);
  const size_t begin = document.find("```cpp\n", label) + 7;
  return document.substr(begin, document.find("\n```", begin) + 1 - begin);
}

class AscendExamples : public ::testing::TestWithParam<size_t> {};

TEST_P(AscendExamples, CompilesAndIsRightAndClean) {
  ASSERT_TRUE(AscendCandidate::Available()) << "the emulated CANN is not built; build the target emulated_cann";
  const Example& example = Examples()[GetParam()];
  std::stringstream document;
  document << std::ifstream(std::string(KERNELSMITH_SOURCE_DIR) + "/docs/knowledge/ascend_c/implementation-examples.md")
                  .rdbuf();
  const AscendSource source = {BlockOf(document.str(), example.heading, "kernel.asc"),
                               BlockOf(document.str(), example.heading, "plan.cpp")};
  std::string error;
  const auto candidate = AscendCandidate::Compile(source, false, &error);
  ASSERT_NE(candidate, nullptr) << error;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 1);
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 16}, {65, 130}, {41, 2000}}) {
    v1::TaskSpec task = NewTask("example");
    AddTensor(&task, "x", example.dtype, {rows, columns});
    if (example.weight) AddTensor(&task, "w", example.dtype, {columns}, true);
    AddResult(&task, "y", example.dtype, example.transposed ? Shape{columns, rows} : Shape{rows, columns});
    std::vector<Numbers> inputs;
    for (const v1::TensorDescriptor& t : task.cases(0).inputs()) {
      Numbers numbers;
      for (int64_t i = 0; i < (t.name() == "w" ? columns : rows * columns); ++i) {
        numbers.push_back(Rounded(normal(random), example.dtype));
      }
      inputs.push_back(numbers);
    }
    std::vector<Numbers> got;
    const AscendOutcome outcome = candidate->Call(task.cases(0), inputs, &got);
    ASSERT_EQ(outcome.plan, 0);
    EXPECT_EQ(outcome.error, 0);
    EXPECT_EQ(outcome.findings, "");
    const Numbers want = example.reference(inputs, rows, columns);
    ASSERT_EQ(got.size(), 1U);
    ASSERT_EQ(got[0].size(), want.size());
    const double tolerance = example.dtype == v1::FP16 ? 2e-3 : 1e-4;
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(got[0][i], want[i], tolerance * (std::fabs(want[i]) + 0.01)) << rows << "x" << columns << " at " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Knowledge, AscendExamples, ::testing::Range(size_t{0}, size_t{4}));

}  // namespace
}  // namespace kernelsmith::server::testing
