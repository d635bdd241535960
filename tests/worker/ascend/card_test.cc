// Opening and trying cards that cannot work.
#include "worker/devices/card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/status.h"
#include "worker/devices/ascend/ascend_card.h"

namespace kernelsmith::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

config::v1::WorkerConfig Config(const std::string& kind) {
  config::v1::WorkerConfig config;
  config.set_card_kind(kind);
  config.set_cann_root("/nowhere/cann");
  return config;
}

TEST(CardTest, ThisProgramDrivesTwoKinds) { EXPECT_THAT(CardKinds(), ElementsAre("cpu", "ascend")); }

TEST(CardTest, AnUnknownKindIsNamedByField) {
  EXPECT_EQ(common::FieldOf(OpenCard(Config("abacus")).status()), "card_kind");
  ASSERT_EQ(TryCard(Config("abacus")).size(), 1u);
  EXPECT_FALSE(TryCard(Config("abacus"))[0].ok);
}

TEST(CardTest, WithoutCannAnAscendCardSaysWhatToInstall) {
  EXPECT_EQ(OpenCard(Config("ascend")).status().code(), absl::StatusCode::kFailedPrecondition);
  const std::vector<CardCheckStep> steps = TryCard(Config("ascend"));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].name, "cann");
  EXPECT_FALSE(steps[0].ok);
  EXPECT_THAT(steps[0].detail, HasSubstr("/nowhere/cann is no folder"));
  EXPECT_THAT(steps[0].advice, HasSubstr("set_env.sh"));
}

TEST(CardTest, TheLabelIsTheVersionUnlessTheCardCallsItselfEmulated) {
  CannRoot root;
  root.version.text = "9.1.0";
  EXPECT_EQ(ToolchainLabel(root, CardFacts{.soc = "Ascend910B3"}), "cann 9.1.0");
  EXPECT_EQ(ToolchainLabel(root, CardFacts{.soc = "Ascend910B3", .label = "emulated-cann 0.1.0"}),
            "emulated-cann 0.1.0");
}

}  // namespace
}  // namespace kernelsmith::worker
