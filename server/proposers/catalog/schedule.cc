#include "server/proposers/catalog/schedule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {
std::vector<ParameterSpace> SpaceOf(const Problem& problem) { return problem.target->Space(problem); }

Parameters Normalise(const Problem& problem, const Parameters& parameters) {
  Parameters out;
  const std::vector<ParameterSpace> space = SpaceOf(problem);
  for (const ParameterSpace& p : space) {
    const auto given = parameters.find(p.key);
    const bool known = given != parameters.end() && std::count(p.values.begin(), p.values.end(), given->second) > 0;
    out[p.key] = known ? given->second : p.values.front();
  }
  for (const ParameterSpace& p : space) {
    if (!problem.target->HasEffect(problem, p.key, out)) out[p.key] = p.values.front();
  }
  return out;
}

std::string Describe(const Problem& problem, const Parameters& parameters) {
  const Parameters full = Normalise(problem, parameters);
  std::string text;
  for (const ParameterSpace& p : SpaceOf(problem)) {
    const std::string& value = full.at(p.key);
    if (value != p.values.front()) absl::StrAppend(&text, text.empty() ? "" : " ", p.key, "=", value);
  }
  return text.empty() ? "naive" : text;
}

}  // namespace kernelsmith::server
