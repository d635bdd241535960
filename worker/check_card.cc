#include "worker/check_card.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/file_io.h"
#include "common/status.h"
#include "worker/devices/card.h"

namespace kernelsmith::worker {

int CheckCard(const config::v1::WorkerConfig& given, std::ostream& out) {
  config::v1::WorkerConfig config = given;
  const absl::StatusOr<common::TemporaryFolder> folder = common::TemporaryFolder::Make("kernelsmith-check");
  std::vector<CardCheckStep> steps;
  if (folder.ok()) {
    if (config.data_dir().empty()) config.set_data_dir(folder->path());
    if (config.card_kind().empty()) config.set_card_kind("cpu");
    if (config.lock_dir().empty()) config.set_lock_dir(folder->path());
    config.set_compile_cache_bytes(std::max<int64_t>(config.compile_cache_bytes(), int64_t{1} << 26));
    steps = TryCard(config);
  } else {
    steps = {{"temporary folder", false, std::string(folder.status().message()), "make room in TMPDIR"}};
  }
  auto document = nlohmann::ordered_json::array();
  for (const CardCheckStep& step : steps) {
    document.push_back({{"name", step.name}, {"ok", step.ok}, {"detail", step.detail}, {"advice", step.advice}});
  }
  out << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
  return std::all_of(steps.begin(), steps.end(), [](const CardCheckStep& step) { return step.ok; }) ? 0 : 1;
}

}  // namespace kernelsmith::worker
