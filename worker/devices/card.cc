#include "worker/devices/card.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "worker/devices/ascend/ascend_card.h"
#include "worker/devices/ascend/self_check.h"
#include "worker/devices/cpu_card.h"

namespace kernelsmith::worker {
namespace {

struct Kind {
  const char* name;
  absl::StatusOr<OpenedCard> (*open)(const config::v1::WorkerConfig&);
  std::vector<CardCheckStep> (*try_out)(const config::v1::WorkerConfig&);
};

constexpr std::array kKinds = {Kind{"cpu", OpenCpuCard, TryCpuCard}, Kind{"ascend", OpenAscendCard, TryAscendCard}};

}  // namespace

std::vector<std::string> CardKinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

absl::StatusOr<OpenedCard> OpenCard(const config::v1::WorkerConfig& config) {
  for (const Kind& kind : kKinds) {
    if (config.card_kind() == kind.name) return kind.open(config);
  }
  return common::InvalidField("card_kind", absl::StrCat("is '", config.card_kind(), "', which is unknown"));
}

std::vector<CardCheckStep> TryCard(const config::v1::WorkerConfig& config) {
  for (const Kind& kind : kKinds) {
    if (config.card_kind() == kind.name) return kind.try_out(config);
  }
  return {{"card", false, absl::StrCat("card_kind '", config.card_kind(), "' is unknown"), "give cpu or ascend"}};
}

}  // namespace kernelsmith::worker
