// The PyTorch baseline on a card, as far as it can be tried without one: against a stand-in for torch_npu that has no
// card and says so (scripted_torch_npu).
#include "worker/devices/ascend/card_baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "worker/devices/ascend/ascend_runtime.h"
#include "worker/reference/reference.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

constexpr char kPython[] = "/usr/bin/python3";

BaselineCard StandIn(const std::string& device = "npu:0") {
  BaselineCard card;
  card.device = device;
  card.env = {{"PYTHONPATH", "/torch_npu"}};
  card.read_only = {{SCRIPTED_TORCH_NPU, "/torch_npu"}};
  return card;
}

TimeLimit Soon() { return TimeLimit(absl::Seconds(120)); }

TEST(CardBaselineTest, AnEmulatedCardHasNoneAndSaysSo) {
  const absl::StatusOr<BaselineCard> baseline = FindCardBaseline({}, true);
  EXPECT_EQ(baseline.status().code(), absl::StatusCode::kFailedPrecondition);
  const TimingPolicy policy = AscendTimingPolicy(true, baseline);
  EXPECT_FALSE(policy.baseline);
  EXPECT_THAT(policy.no_baseline, HasSubstr("an emulated card has no PyTorch baseline"));
}

TEST(CardBaselineTest, WithoutTorchNpuThereIsNoneAndItSaysWhatIsMissing) {
  BaselineCard card;
  card.device = "npu:0";
  const absl::StatusOr<BaselineCard> tried = TryCardBaseline(card, kPython);
  ASSERT_EQ(tried.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(tried.status().message()), HasSubstr("No module named 'torch_npu'"));
}

TEST(CardBaselineTest, ACardThatTorchNpuDoesNotHaveIsNamed) {
  EXPECT_THAT(std::string(TryCardBaseline(StandIn("npu:3"), kPython).status().message()),
              HasSubstr("npu:0, not npu:3"));
}

TEST(CardBaselineTest, IsTimedByTheCardsEventsOnFreshCopiesOfTheInputs) {
  const absl::StatusOr<BaselineCard> card = TryCardBaseline(StandIn(), kPython);
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->software, "torch_npu scripted, no card");
  const TimingPolicy policy = AscendTimingPolicy(false, card);
  EXPECT_TRUE(policy.baseline);
  EXPECT_EQ(policy.clock, v1::DEVICE_EVENT);

  // The reference insists that what it is called with lies on the card, weights included.
  v1::TaskSource source;
  source.mutable_kernelbench()->set_file_name("task.py");
  source.mutable_kernelbench()->set_source(
      "import torch\nimport torch.nn as nn\n"
      "class Model(nn.Module):\n"
      "    def __init__(self):\n        super().__init__()\n        self.linear = nn.Linear(8, 8)\n"
      "    def forward(self, x):\n"
      "        if hasattr(torch, 'npu') and not getattr(x, 'on_card', False):\n"
      "            raise RuntimeError('an input on the host')\n"
      "        return self.linear(x)\n"
      "def get_inputs():\n    return [torch.randn(4, 8)]\n"
      "def get_init_inputs():\n    return []\n");
  ReferenceOptions options;
  options.card = *card;
  TimeLimit limit = Soon();
  auto reference = Reference::Start(source, options, limit);
  ASSERT_TRUE(reference.ok()) << reference.status();
  const auto pool = *SlotPool::Create((*reference)->spec().cases(0), 4);
  const absl::Status opened = (*reference)->OpenBaseline(*pool, limit);
  ASSERT_TRUE(opened.ok()) << opened;
  const std::vector<int> slots = {2, 0, 3};
  const absl::StatusOr<absl::Duration> time = (*reference)->RunBaseline(slots, limit);
  ASSERT_TRUE(time.ok()) << time.status();
  EXPECT_EQ(*time, absl::Microseconds(3 * 250)) << "the events', not the wall";
  EXPECT_EQ(*(*reference)->RunEmptyBaseline(slots, limit), absl::ZeroDuration());
  EXPECT_TRUE((*reference)->CloseBaseline(limit).ok());
  EXPECT_TRUE((*reference)->OpenBaseline(*pool, limit).ok());
  EXPECT_EQ(*(*reference)->RunBaseline({1}, limit), absl::Microseconds(250));
}

}  // namespace
}  // namespace kernelsmith::worker
