// A handful of rendered candidates, one or two a family; sweep_test.cc has the rest.
#include <gtest/gtest.h>

#include "server/proposers/catalog/cpu/render.h"
#include "tests/server/catalog/candidate_check.h"
#include "tests/server/catalog/candidate_run.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {
namespace {

Problem ProblemOf(const std::string& name) { return *Understand(FindOperator(name).task(5, 40)); }

TEST(Candidate, NaiveSoftmaxIsCorrect) { ExpectCorrect(FindOperator("softmax"), {}); }

TEST(Candidate, StrongLayerNormIsCorrect) {
  ExpectCorrect(FindOperator("layer_norm"), StrongSchedule(ProblemOf("layer_norm")));
}

TEST(Candidate, VectorFunctionsAreAccurate) {
  ExpectCorrect(FindOperator("unary"), StrongSchedule(ProblemOf("unary")));
}

TEST(Candidate, TiledMatmulIsCorrect) { ExpectCorrect(FindOperator("matmul"), StrongSchedule(ProblemOf("matmul"))); }

TEST(Candidate, RefusesACallItWasNotMadeFor) {
  std::string error;
  const auto candidate = LoadedCandidate::Compile(Render(ProblemOf("rms_norm"), {}), &error);
  ASSERT_NE(candidate, nullptr) << error;
  const v1::TaskSpec good = FindOperator("rms_norm").task(2, 3);
  const std::vector<Numbers> inputs = {Numbers(6, 1.0), Numbers(3, 1.0)};
  std::vector<Numbers> outputs;
  EXPECT_EQ(candidate->Call(good.cases(0), inputs, &outputs), 0);

  v1::TaskCase one_input = good.cases(0);
  one_input.mutable_inputs()->RemoveLast();
  EXPECT_EQ(candidate->Call(one_input, inputs, &outputs), 1);

  v1::TaskCase short_weight = good.cases(0);
  short_weight.mutable_inputs(1)->set_shape(0, 2);
  EXPECT_EQ(candidate->Call(short_weight, {inputs[0], Numbers(2, 1.0)}, &outputs), 2);

  v1::TaskCase other_type = good.cases(0);
  other_type.mutable_inputs(0)->set_dtype(v1::INT32);
  EXPECT_EQ(candidate->Call(other_type, inputs, &outputs), 2);

  v1::TaskCase other_rank = good.cases(0);
  other_rank.mutable_inputs(0)->add_shape(1);
  EXPECT_EQ(candidate->Call(other_rank, inputs, &outputs), 2);
}

}  // namespace
}  // namespace kernelsmith::server::testing
