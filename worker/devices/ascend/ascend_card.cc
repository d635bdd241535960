#include "worker/devices/ascend/ascend_card.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/mutex.h"
#include "common/status.h"
#include "worker/devices/ascend/ascend_runtime.h"
#include "worker/devices/ascend/card_baseline.h"
#include "worker/toolchains/ascend/ascend_toolchain.h"
#include "worker/toolchains/ascend/soc_table.h"

namespace kernelsmith::worker {
namespace {

// Set by whoever meets an error of the card, cleared by the next check.
class CardTrouble {
 public:
  void Note() { seen_ = true; }
  bool seen() const { return seen_; }
  void Clear() { seen_ = false; }

 private:
  std::atomic<bool> seen_{false};
};

std::vector<int> DiesOf(const config::v1::WorkerConfig& config) {
  std::vector<int> dies(config.devices().begin(), config.devices().end());
  if (dies.empty()) dies.push_back(0);
  return dies;
}

int HostThreads() {
  cpu_set_t allowed;
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::max(1, CPU_COUNT(&allowed)) : 1;
}

v1::CardState CheckCard(v1::CardState state, const AscendCardOptions& options) {
  const absl::StatusOr<CardFacts> facts = DescribeAscendCard(options);
  state.set_health(facts.ok() ? v1::HEALTHY : v1::QUARANTINED);
  state.set_health_detail(facts.ok() ? "" : std::string(facts.status().message()));
  return state;
}

}  // namespace

std::vector<std::string> DeviceNodes(const std::vector<int>& dies) {
  std::vector<std::string> nodes = {"/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"};
  for (const int die : dies) nodes.push_back(absl::StrCat("/dev/davinci", die));
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                             [](const std::string& node) { return ::access(node.c_str(), F_OK) != 0; }),
              nodes.end());
  return nodes;
}

std::string ToolchainLabel(const CannRoot& root, const CardFacts& facts) {
  return facts.emulated() ? facts.label : absl::StrCat("cann ", root.version.text);
}

absl::StatusOr<AscendCardOptions> AscendOptionsFor(const config::v1::WorkerConfig& config) {
  AscendCardOptions options;
  ASSIGN_OR_RETURN(options.root, FindCannRoot(config.cann_root()));
  const std::vector<int> dies = DiesOf(config);
  options.device = dies.front();
  options.device_nodes = DeviceNodes(dies);
  options.emulated_soc = config.emulated_soc().empty() ? "Ascend910B3" : config.emulated_soc();
  return options;
}

absl::StatusOr<OpenedCard> OpenAscendCard(const config::v1::WorkerConfig& config) {
  ASSIGN_OR_RETURN(AscendCardOptions options, AscendOptionsFor(config));
  ASSIGN_OR_RETURN(const CardFacts facts, DescribeAscendCard(options));
  ASSIGN_OR_RETURN(const SocArchitecture architecture, ArchitectureOf(facts.soc));
  AscendToolchainOptions tools;
  tools.cache_dir = config.data_dir() + "/compiled";
  tools.cache_bytes = config.compile_cache_bytes();
  tools.root = options.root;
  tools.soc = facts.soc;
  tools.label = ToolchainLabel(options.root, facts);
  OpenedCard card;
  ASSIGN_OR_RETURN(card.toolchain, MakeAscendToolchain(tools));
  options.cores = std::max(1, facts.aiv_cores);
  const auto trouble = std::make_shared<CardTrouble>();
  card.check = [options, trouble](v1::CardState state) {
    trouble->Clear();
    return CheckCard(std::move(state), options);
  };
  card.suspect = [trouble] { return trouble->seen(); };
  options.on_card_trouble = [trouble](const std::string&) { trouble->Note(); };
  card.runtime = MakeAscendRuntime(options, facts.emulated(), FindCardBaseline(options, facts.emulated()));
  card.host_threads = HostThreads();
  v1::Target* target = card.state.mutable_target();
  target->set_architecture(architecture.name);
  target->set_soc(facts.soc);
  target->set_toolchain(tools.label);
  target->set_driver(facts.driver);
  for (const int die : DiesOf(config)) card.state.add_dies(die);
  card.state.set_memory_bytes(facts.memory_bytes);
  card.state.set_emulated(facts.emulated());
  card.state.set_health(v1::HEALTHY);
  return card;
}

}  // namespace kernelsmith::worker
