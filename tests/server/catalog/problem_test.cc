#include "server/proposers/catalog/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {
namespace {

using ::testing::HasSubstr;

Family FamilyOf(const std::string& name) { return Understand(FindOperator(name).task(4, 8))->family; }

TEST(Problem, OperatorsFallIntoTheirFamilies) {
  EXPECT_EQ(FamilyOf("unary"), Family::kElementwise);
  EXPECT_EQ(FamilyOf("integer"), Family::kElementwise);
  EXPECT_EQ(FamilyOf("softmax"), Family::kRowReduction);
  EXPECT_EQ(FamilyOf("rms_norm"), Family::kRowReduction);
  EXPECT_EQ(FamilyOf("linear_gelu"), Family::kMatmul);
}

TEST(Problem, SoftmaxNeedsThreePasses) {
  const Problem problem = *Understand(FindOperator("softmax").task(4, 8));
  EXPECT_EQ(problem.program.Passes(), 3);
  EXPECT_EQ(problem.single_pass.Passes(), 2);
}

TEST(Problem, EqualShapesBecomeOneRow) {
  const Problem problem = *Understand(FindOperator("integer").task(4, 8));
  EXPECT_EQ(problem.program.reduced_begin, 0);
  EXPECT_EQ(problem.program.reduced_end, 2);
}

struct Refusal {
  const char* what;
  v1::TaskSpec task;
  const char* message;
};

v1::TaskSpec TaskWith(const std::string& op, const Attributes& attributes, const Shape& in, const Shape& out) {
  v1::TaskSpec task = NewTask("t");
  AddTensor(&task, "x", v1::FP32, in);
  AddNode(&task, "node", op, {"x"}, attributes);
  AddResult(&task, "y", v1::FP32, out);
  AddOutput(&task, {"node"});
  return task;
}

TEST(Problem, WhatNoFamilyKnowsIsNamed) {
  v1::TaskSpec untraced = FindOperator("softmax").task(2, 2);
  untraced.clear_graph();
  v1::TaskSpec hidden = FindOperator("softmax").task(2, 2);
  hidden.mutable_cases(0)->set_hidden(true);
  v1::TaskSpec mixed = FindOperator("softmax").task(2, 2);
  *mixed.add_cases() = FindOperator("softmax_bf16").task(2, 2).cases(0);
  v1::TaskSpec doubles = FindOperator("softmax").task(2, 2);
  doubles.mutable_cases(0)->mutable_inputs(0)->set_dtype(v1::FP64);
  v1::TaskSpec two_reductions = TaskWith("sum", {{"dim", "1"}, {"keepdim", "true"}}, {4, 8}, {4, 8});
  two_reductions.mutable_graph()->RemoveLast();
  AddNode(&two_reductions, "second", "sum", {"x"}, {{"dim", "0"}, {"keepdim", "true"}});
  AddNode(&two_reductions, "both", "add", {"node", "second"});
  AddOutput(&two_reductions, {"both"});
  v1::TaskSpec computed_factor = FindOperator("matmul").task(4, 8);
  computed_factor.mutable_graph(2)->set_inputs(0, "relu");
  AddNode(&computed_factor, "relu", "relu", {"a"});
  const std::vector<Refusal> refusals = {
      {"an operation", TaskWith("conv2d", {}, {4, 8}, {4, 8}), "'conv2d' (node 'node')"},
      {"an untraced reference", untraced, "could not be traced"},
      {"no visible case", hidden, "no visible case"},
      {"cases of different types", mixed, "another rank or type"},
      {"a type", doubles, "FP64"},
      {"a cumulative sum", TaskWith("cumsum", {{"dim", "1"}}, {4, 8}, {4, 8}), "cumsum"},
      {"dimensions that are not adjacent", TaskWith("sum", {{"dim", "[0, 2]"}}, {4, 8, 2}, {8}), "not adjacent"},
      {"reductions over different dimensions", two_reductions, "different dimensions"},
      {"indices of a maximum", TaskWith("getitem", {{"arg1", "1"}}, {4, 8}, {4, 8}), "indices"},
      {"a factor that is computed", computed_factor, "is computed"},
  };
  for (const Refusal& refusal : refusals) {
    const absl::StatusOr<Problem> problem = Understand(refusal.task);
    ASSERT_FALSE(problem.ok()) << refusal.what;
    EXPECT_EQ(problem.status().code(), absl::StatusCode::kFailedPrecondition) << refusal.what;
    EXPECT_THAT(std::string(problem.status().message()), HasSubstr(refusal.message)) << refusal.what;
  }
}

TEST(Problem, AnUnknownOperationIsAnsweredWithTheFamiliesKnown) {
  const std::string message(Understand(TaskWith("conv2d", {}, {4, 8}, {4, 8})).status().message());
  for (const char* family : {"elementwise", "row_reduction", "matmul"}) EXPECT_THAT(message, HasSubstr(family));
}

TEST(Problem, ANumberOnTheLeftOfADivisionStaysThere) {
  v1::TaskSpec task = TaskWith("div", {{"self", "1"}}, {4, 8}, {4, 8});
  const Problem problem = *Understand(task);
  const Value& last = problem.program.values[size_t(problem.program.outputs[0].value)];
  ASSERT_EQ(last.args.size(), 2u);
  EXPECT_EQ(problem.program.values[size_t(last.args[0])].kind, ValueKind::kConstant);
}

}  // namespace
}  // namespace kernelsmith::server::testing
