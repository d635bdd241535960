#include "server/proposers/catalog/target.h"

#include "server/proposers/catalog/ascend/ascend_target.h"
#include "server/proposers/catalog/cpu/cpu_target.h"

namespace kernelsmith::server {

const std::vector<const CatalogTarget*>& AllTargets() {
  static const auto* const targets = new std::vector<const CatalogTarget*>{&CpuTarget(), &AscendTarget()};
  return *targets;
}

const CatalogTarget* FindTarget(const std::string& card_kind) {
  for (const CatalogTarget* target : AllTargets()) {
    if (target->CardKind() == card_kind) return target;
  }
  return nullptr;
}

}  // namespace kernelsmith::server
