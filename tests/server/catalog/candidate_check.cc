#include "tests/server/catalog/candidate_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>

#include "server/proposers/catalog/ascend/render.h"
#include "server/proposers/catalog/cpu/render.h"
#include "tests/server/catalog/ascend_run.h"
#include "tests/server/catalog/candidate_run.h"

namespace kernelsmith::server::testing {
namespace {

struct Distribution {
  double offset;
  double scale;
};

using Call =
    std::function<void(const v1::TaskCase&, const std::vector<Numbers>& inputs, std::vector<Numbers>* outputs)>;

void Compare(const Operator& op, const Call& call, int64_t rows, int64_t columns, Distribution d) {
  const v1::TaskSpec task = op.task(rows, columns);
  const v1::TaskCase& c = task.cases(0);
  std::mt19937_64 random(uint64_t(rows * 1000 + columns));
  std::normal_distribution<double> normal(0, 1);
  std::vector<Numbers> inputs;
  for (int i = 0; i < c.inputs_size(); ++i) {
    int64_t elements = 1;
    for (int64_t extent : c.inputs(i).shape()) elements *= extent;
    Numbers numbers;
    for (int64_t n = 0; n < elements; ++n) {
      const double value = i == 0 ? d.offset + d.scale * normal(random) : normal(random);
      numbers.push_back(Rounded(c.inputs(i).dtype() == v1::INT32 ? value * 10 : value, c.inputs(i).dtype()));
    }
    inputs.push_back(std::move(numbers));
  }
  std::vector<Numbers> got;
  call(c, inputs, &got);
  const std::vector<Numbers> want = op.reference(c, inputs);
  ASSERT_EQ(got.size(), want.size());
  for (size_t o = 0; o < want.size(); ++o) {
    ASSERT_EQ(got[o].size(), want[o].size());
    const v1::DType dtype = c.outputs(int(o)).dtype();
    const double rtol = dtype == v1::FP16 ? 1e-3 : dtype == v1::BF16 ? 1e-2 : dtype == v1::INT32 ? 0 : 1e-4;
    double squares = 0;
    for (double w : want[o]) squares += std::min(w * w, 1e60);
    const double rms = std::sqrt(squares / double(want[o].size()));
    int wrong = 0;
    for (size_t i = 0; i < want[o].size() && wrong < 3; ++i) {
      const double allowed = rtol * std::fabs(want[o][i]) + rtol * rms + (dtype == v1::INT32 ? 0 : 1e-30);
      const bool overflow = std::fabs(want[o][i]) > 3e38 && std::isinf(got[o][i]);
      if (!overflow && !(std::fabs(got[o][i] - want[o][i]) <= allowed)) {
        ++wrong;
        ADD_FAILURE() << op.name << " [" << rows << ", " << columns << "] result " << o << " ("
                      << c.outputs(int(o)).name() << ") element " << i << " of " << want[o].size() << ": got "
                      << got[o][i] << ", expected " << want[o][i] << ", allowed " << allowed << ", input "
                      << (i < inputs[0].size() ? inputs[0][i] : 0);
      }
    }
  }
}

}  // namespace

void ExpectCorrect(const Operator& op, const Parameters& schedule) {
  const absl::StatusOr<Problem> problem = Understand(op.task(5, 40));
  ASSERT_TRUE(problem.ok()) << op.name << ": " << problem.status();
  SCOPED_TRACE(op.name + ": " + Describe(*problem, schedule));
  const std::string source = Render(*problem, schedule);
  std::string error;
  const auto candidate = LoadedCandidate::Compile(source, &error);
  ASSERT_NE(candidate, nullptr) << error << "\n" << source;
  const Call call = [&](const v1::TaskCase& c, const std::vector<Numbers>& inputs, std::vector<Numbers>* outputs) {
    EXPECT_EQ(candidate->Call(c, inputs, outputs), 0);
  };
  const std::vector<std::pair<int64_t, int64_t>> shapes = {{1, 1},  {1, 17},   {3, 16},   {16, 3},
                                                           {7, 64}, {33, 129}, {130, 67}, {4, 5001}};
  for (const auto& [rows, columns] : shapes) {
    for (const Distribution d : {Distribution{0, 1}, Distribution{-2, 20}, Distribution{100, 3}}) {
      Compare(op, call, rows, columns, d);
    }
  }
}

void ExpectCorrectOnAscend(const Operator& op, const Parameters& schedule, bool auto_sync,
                           const std::vector<std::pair<int64_t, int64_t>>& shapes) {
  const absl::StatusOr<Problem> problem = Understand(op.task(5, 40), "ascend");
  ASSERT_TRUE(problem.ok()) << op.name << ": " << problem.status();
  SCOPED_TRACE(op.name + ": " + Describe(*problem, schedule) + (auto_sync ? ", auto-sync" : ""));
  const AscendSource source = RenderAscend(*problem, schedule);
  std::string error;
  const auto candidate = AscendCandidate::Compile(source, auto_sync, &error);
  ASSERT_NE(candidate, nullptr) << error << "\n" << source.kernel << "\n" << source.plan;
  for (const auto& [rows, columns] : shapes) {
    const Call call = [&](const v1::TaskCase& c, const std::vector<Numbers>& inputs, std::vector<Numbers>* outputs) {
      const AscendOutcome outcome = candidate->Call(c, inputs, outputs);
      EXPECT_EQ(outcome.plan, 0);
      EXPECT_EQ(outcome.error, 0);
      EXPECT_EQ(outcome.findings, "") << "rows " << c.inputs(0).shape(0);
      if (std::getenv("KERNELSMITH_CATALOG_TIMES") != nullptr) {
        std::cout << op.name << " " << rows << "x" << columns << " " << outcome.us
                  << " us: " << Describe(*problem, schedule) << std::endl;
      }
    };
    Compare(op, call, rows, columns, Distribution{0, 1});
  }
}

Parameters RandomSchedule(const Problem& problem, uint64_t seed) {
  std::mt19937_64 random(seed);
  Parameters schedule;
  for (const ParameterSpace& p : SpaceOf(problem)) schedule[p.key] = p.values[random() % p.values.size()];
  const bool product = problem.family == Family::kMatmul;
  if (seed % 4 != 0) schedule["loops"] = product ? "tiled" : "fused";
  return Normalise(problem, schedule);
}

Parameters StrongSchedule(const Problem& problem) {
  if (problem.family == Family::kMatmul) {
    return Normalise(problem, {{"loops", "tiled"}, {"tile_m", "8"}, {"threads", "all"}, {"block_k", "128"}});
  }
  return Normalise(problem, {{"loops", "fused"},
                             {"lanes", "16"},
                             {"unroll", "4"},
                             {"math", "polynomial"},
                             {"threads", "all"},
                             {"keep", "buffer"},
                             {"store", "stream"}});
}

}  // namespace kernelsmith::server::testing
