#include "tests/bench/memory/peers/engine.h"

#include <algorithm>

namespace kernelsmith::memory::bench {

double RecallOf(Engine& engine, const std::vector<std::vector<uint32_t>>& exact) {
  double sum = 0;
  for (size_t query = 0; query < exact.size(); ++query) {
    const std::vector<uint32_t> found = engine.Search(query);
    const auto hits = std::count_if(exact[query].begin(), exact[query].end(), [&](uint32_t item) {
      return std::find(found.begin(), found.end(), item) != found.end();
    });
    sum += exact[query].empty() ? 1 : static_cast<double>(hits) / static_cast<double>(exact[query].size());
  }
  return sum / static_cast<double>(exact.size());
}

}  // namespace kernelsmith::memory::bench
