// What a plan may say.
#include "worker/devices/ascend/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

const std::vector<KernelSignature>& Kernels() {
  static const auto& kernels = *new std::vector<KernelSignature>{{"first", 3}, {"second", 0}};
  return kernels;
}

// A sound plan: first(input 0, output 0, tiling), 8 blocks.
std::unique_ptr<ks_plan> Sound() {
  auto plan = std::make_unique<ks_plan>();
  plan->abi_version = KS_ABI_VERSION;
  plan->workspace_bytes = 4096;
  plan->zeroed_bytes = 64;
  plan->tiling_bytes = 64;
  ks_launch* launch = ks_add_launch(plan.get(), "first", 8);
  ks_add_input(launch, 0);
  ks_add_output(launch, 0);
  ks_add_tiling(launch, 32);
  return plan;
}

TEST(CheckPlanTest, ASoundPlanIsTranslated) {
  const auto plan = CheckPlan(*Sound(), std::string(64, 't'), Kernels(), 1, 1);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->workspace_bytes, 4096);
  EXPECT_EQ(plan->zeroed_bytes, 64);
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_EQ(plan->launches[0].kernel, 0);
  EXPECT_EQ(plan->launches[0].blocks, 8u);
  EXPECT_EQ(plan->launches[0].arguments[2].kind, KS_ARGUMENT_TILING);
  EXPECT_EQ(plan->launches[0].arguments[2].value, 32);
}

TEST(CheckPlanTest, WhatIsWrongIsNamed) {
  struct Case {
    const char* says;
    std::function<void(ks_plan&)> change;
  };
  const Case cases[] = {
      {"launches nothing", [](ks_plan& p) { p.n_launches = 0; }},
      {"at most 16", [](ks_plan& p) { p.n_launches = 17; }},
      {"names no kernel of kernel.asc; it has first, second", [](ks_plan& p) { p.launches[0].kernel[0] = 'X'; }},
      {"names no kernel", [](ks_plan& p) { std::fill_n(p.launches[0].kernel, KS_PLAN_MAX_NAME, 'x'); }},
      {"has 0 blocks", [](ks_plan& p) { p.launches[0].blocks = 0; }},
      {"has 65536 blocks", [](ks_plan& p) { p.launches[0].blocks = 65536; }},
      {"gives 2 arguments; the kernel has 3", [](ks_plan& p) { p.launches[0].n_arguments = 2; }},
      {"gives 4000000000 arguments", [](ks_plan& p) { p.launches[0].n_arguments = 4000000000u; }},
      {"argument 0 is input 1; the case has 1", [](ks_plan& p) { p.launches[0].arguments[0].value = 1; }},
      {"is input -1", [](ks_plan& p) { p.launches[0].arguments[0].value = -1; }},
      {"argument 1 is output 7", [](ks_plan& p) { p.launches[0].arguments[1].value = 7; }},
      {"unknown kind 9", [](ks_plan& p) { p.launches[0].arguments[0].kind = 9; }},
      {"offset 8 into the tiling is no multiple of 32", [](ks_plan& p) { p.launches[0].arguments[2].value = 8; }},
      {"lies at byte 64 of the tiling, which has 64", [](ks_plan& p) { p.launches[0].arguments[2].value = 64; }},
      {"lies at byte 4096 of the workspace",
       [](ks_plan& p) {
         p.launches[0].arguments[2] = {KS_ARGUMENT_WORKSPACE, 0, 4096};
       }},
      {"tiling bytes; at most", [](ks_plan& p) { p.tiling_bytes = KS_PLAN_MAX_TILING_BYTES + 1; }},
      {"tiling is null", [](ks_plan& p) { p.tiling_bytes = 128; }},
      {"zeroed_bytes is 8192", [](ks_plan& p) { p.zeroed_bytes = 8192; }},
      {"workspace of 18446744073709551615", [](ks_plan& p) { p.workspace_bytes = ~uint64_t{0}; }},
  };
  for (const Case& entry : cases) {
    const std::unique_ptr<ks_plan> plan = Sound();
    entry.change(*plan);
    const absl::Status status = CheckPlan(*plan, std::string(64, 't'), Kernels(), 1, 1).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << entry.says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(entry.says));
  }
}

TEST(CheckPlanTest, AKernelWithoutParametersNeedsNone) {
  auto plan = std::make_unique<ks_plan>();
  ks_add_launch(plan.get(), "second", 1);
  EXPECT_TRUE(CheckPlan(*plan, "", Kernels(), 0, 1).ok());
}

}  // namespace
}  // namespace kernelsmith::worker
