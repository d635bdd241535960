#include "tests/server/catalog/ascend_schedules.h"

#include <set>

#include "tests/server/catalog/candidate_check.h"

namespace kernelsmith::server::testing {

absl::StatusOr<Problem> AscendProblem(const Operator& op) { return Understand(op.task(5, 40), "ascend"); }

std::vector<Parameters> AscendSchedules(const Problem& problem, int drawn) {
  std::vector<Parameters> schedules;
  std::set<Parameters> seen;
  const auto add = [&](const Parameters& parameters) {
    const Parameters schedule = Normalise(problem, parameters);
    if (seen.insert(schedule).second) schedules.push_back(schedule);
  };
  add({});
  const Parameters strong = {{"engine", "vector"}, {"cores", "all"}, {"passes", "fused"}, {"row", "kept"},
                             {"rows", "8"},        {"buffers", "2"}, {"tile", "8192"}};
  add(strong);
  for (const ParameterSpace& p : SpaceOf(problem)) {
    for (const std::string& value : p.values) {
      Parameters schedule = strong;
      schedule[p.key] = value;
      add(schedule);
    }
  }
  add({{"engine", "vector"}});
  for (int seed = 1; seed <= drawn; ++seed) {
    Parameters schedule = RandomSchedule(problem, static_cast<uint64_t>(seed));
    if (seed % 4 != 0) schedule["engine"] = "vector";
    add(schedule);
  }
  return schedules;
}

}  // namespace kernelsmith::server::testing
