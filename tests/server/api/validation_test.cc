// Every request that is wrong by itself is refused, and the error names the field.
#include "server/api/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "common/policies/presets.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

v1::JobSpec GoodSpec() {
  v1::JobSpec spec;
  spec.mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  return spec;
}

void AddFile(v1::Candidate& candidate, const std::string& name, const std::string& content) {
  candidate.add_files()->set_name(name);
  candidate.mutable_files(candidate.files_size() - 1)->set_content(content);
}

TEST(Spec, IsCompletedWithDefaults) {
  config::v1::CoordinatorConfig config;
  const auto spec = CompleteSpec(GoodSpec(), config);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->card_kind(), "cpu");
  EXPECT_TRUE(spec->proposer().has_catalog());
  EXPECT_EQ(spec->budget().rounds(), 30);
  config.set_default_rounds(7);
  EXPECT_EQ(CompleteSpec(GoodSpec(), config)->budget().rounds(), 7);
}

TEST(Spec, IsRefusedWithTheNameOfTheField) {
  struct Row {
    const char* field;
    std::function<void(v1::JobSpec&)> spoil;
  };
  const std::vector<Row> table = {
      {"spec.task", [](v1::JobSpec& spec) { spec.clear_task(); }},
      {"spec.task.kernelbench.source",
       [](v1::JobSpec& spec) { spec.mutable_task()->mutable_kernelbench()->set_source(" \n"); }},
      {"spec.task",
       [](v1::JobSpec& spec) {
         spec.mutable_task()->mutable_kernelbench()->set_source(std::string(kMaxTaskBytes + 1, 'x'));
       }},
      {"spec.task.native.files",
       [](v1::JobSpec& spec) { spec.mutable_task()->mutable_native()->add_files()->set_name("task.yaml"); }},
      {"spec.task.native.files[0].name",
       [](v1::JobSpec& spec) { spec.mutable_task()->mutable_native()->add_files()->set_name("../reference.py"); }},
      {"spec.task.native.files[1].name",
       [](v1::JobSpec& spec) {
         spec.mutable_task()->mutable_native()->add_files()->set_name("task.yaml");
         spec.mutable_task()->mutable_native()->add_files()->set_name("task.yaml");
       }},
      {"spec.task.overrides",
       [](v1::JobSpec& spec) {
         spec.mutable_task()->mutable_overrides()->insert({"1N", "2"});
       }},
      {"spec.task.overrides",
       [](v1::JobSpec& spec) {
         spec.mutable_task()->mutable_overrides()->insert({"N", ""});
       }},
      {"spec.name", [](v1::JobSpec& spec) { spec.set_name(std::string(300, 'n')); }},
      {"spec.card_kind", [](v1::JobSpec& spec) { spec.set_card_kind("gpu"); }},
      {"spec.proposer.chat.endpoint",
       [](v1::JobSpec& spec) { spec.mutable_proposer()->mutable_chat()->set_endpoint("elsewhere"); }},
      {"spec.proposer.chat.temperature",
       [](v1::JobSpec& spec) { spec.mutable_proposer()->mutable_chat()->set_temperature(-1); }},
      {"spec.proposer.chat.max_completion_tokens",
       [](v1::JobSpec& spec) { spec.mutable_proposer()->mutable_chat()->set_max_completion_tokens(-1); }},
      {"spec.budget.rounds", [](v1::JobSpec& spec) { spec.mutable_budget()->set_rounds(-3); }},
      {"spec.budget.rounds", [](v1::JobSpec& spec) { spec.mutable_budget()->set_rounds(100001); }},
      {"spec.budget.tokens", [](v1::JobSpec& spec) { spec.mutable_budget()->set_tokens(-1); }},
      {"spec.budget.money", [](v1::JobSpec& spec) { spec.mutable_budget()->set_money(std::nan("")); }},
      {"spec.budget.wall_s", [](v1::JobSpec& spec) { spec.mutable_budget()->set_wall_s(-0.5); }},
      {"spec.goal.latency_us", [](v1::JobSpec& spec) { spec.mutable_goal()->set_latency_us(-1); }},
      {"spec.goal.speedup_vs_baseline", [](v1::JobSpec& spec) { spec.mutable_goal()->set_speedup_vs_baseline(-1); }},
      {"spec.goal.rounds_without_gain", [](v1::JobSpec& spec) { spec.mutable_goal()->set_rounds_without_gain(-1); }},
      {"spec.policy.preset", [](v1::JobSpec& spec) { spec.mutable_policy()->set_preset("magic"); }},
      {"spec.policy.gamma", [](v1::JobSpec& spec) { spec.mutable_policy()->set_gamma(-1); }},
      {"spec.policy.eta_min", [](v1::JobSpec& spec) { spec.mutable_policy()->set_eta_min(2); }},
      {"spec.policy.top_k", [](v1::JobSpec& spec) { spec.mutable_policy()->set_top_k(201); }},
      {"spec.policy.pool", [](v1::JobSpec& spec) { spec.mutable_policy()->set_pool(-1); }},
      {"spec.priority", [](v1::JobSpec& spec) { spec.set_priority(101); }},
      {"spec.priority", [](v1::JobSpec& spec) { spec.set_priority(-101); }},
      {"spec.start_from.kind", [](v1::JobSpec& spec) { AddFile(*spec.mutable_start_from(), "kernel.cpp", "x"); }},
      {"spec.start_from.files",
       [](v1::JobSpec& spec) { spec.mutable_start_from()->set_kind(v1::Candidate::CPU_SOURCE); }},
      {"spec.start_from.files",
       [](v1::JobSpec& spec) {
         spec.mutable_start_from()->set_kind(v1::Candidate::CPU_SOURCE);
         AddFile(*spec.mutable_start_from(), "kernel.cpp", std::string((1 << 20) + 1, 'x'));
       }},
      {"spec.evaluation.max_samples", [](v1::JobSpec& spec) { spec.mutable_evaluation()->set_max_samples(-1); }},
      {"spec.evaluation.early_stop_relative",
       [](v1::JobSpec& spec) { spec.mutable_evaluation()->set_early_stop_relative(-1); }},
      {"spec.evaluation.limits.compile_s",
       [](v1::JobSpec& spec) { spec.mutable_evaluation()->mutable_limits()->set_compile_s(1000); }},
  };
  config::v1::CoordinatorConfig config;
  config.add_endpoints()->set_name("local");
  for (const Row& row : table) {
    v1::JobSpec spec = GoodSpec();
    row.spoil(spec);
    const auto checked = CompleteSpec(spec, config);
    EXPECT_EQ(checked.status().code(), absl::StatusCode::kInvalidArgument) << row.field;
    EXPECT_EQ(common::FieldOf(checked.status()).value_or(""), row.field) << checked.status();
  }
}

TEST(Spec, TakesTheOnlyEndpointByDefaultAndNeedsOne) {
  v1::JobSpec spec = GoodSpec();
  spec.mutable_proposer()->mutable_chat();
  config::v1::CoordinatorConfig config;
  EXPECT_EQ(common::FieldOf(CompleteSpec(spec, config).status()), "spec.proposer.chat");
  config.add_endpoints()->set_name("local");
  EXPECT_TRUE(CompleteSpec(spec, config).ok());
  config.add_endpoints()->set_name("other");
  EXPECT_EQ(common::FieldOf(CompleteSpec(spec, config).status()), "spec.proposer.chat.endpoint");
}

TEST(Spec, MayNameEveryPolicyPreset) {
  EXPECT_GE(common::PolicyPresetNames().size(), 14U);
  for (const std::string& name : common::PolicyPresetNames()) {
    v1::JobSpec spec = GoodSpec();
    spec.mutable_policy()->set_preset(name);
    const auto checked = CompleteSpec(spec, config::v1::CoordinatorConfig());
    EXPECT_TRUE(checked.ok()) << name << ": " << checked.status();
  }
}

TEST(RequestId, IsShortAndPrintable) {
  EXPECT_TRUE(CheckRequestId("6a7e2c").ok());
  for (const std::string& bad : {std::string(), std::string(129, 'x'), std::string("a\nb"), std::string("\xff")}) {
    EXPECT_EQ(common::FieldOf(CheckRequestId(bad)), "request_id") << bad;
  }
}

TEST(Extension, AddsSomethingAndTakesNothing) {
  v1::Budget extra;
  EXPECT_EQ(common::FieldOf(CheckExtension(extra)), "extra");
  extra.set_rounds(2);
  EXPECT_TRUE(CheckExtension(extra).ok());
  extra.set_tokens(-1);
  EXPECT_EQ(common::FieldOf(CheckExtension(extra)), "extra.tokens");
}

}  // namespace
}  // namespace kernelsmith::server
