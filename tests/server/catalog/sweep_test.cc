// Every operator of catalog_tasks.h that the cpu target knows, under its naive, its strong and several drawn schedules:
// what the search can reach compiles without a warning and is right.
#include <gtest/gtest.h>

#include "server/proposers/catalog/problem.h"
#include "tests/server/catalog/candidate_check.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {
namespace {

constexpr uint64_t kDrawn = 3;

class Sweep : public ::testing::TestWithParam<std::string> {};

TEST_P(Sweep, EverySampledScheduleIsCorrect) {
  const Operator& op = FindOperator(GetParam());
  const absl::StatusOr<Problem> problem = Understand(op.task(5, 40));
  ASSERT_TRUE(problem.ok()) << problem.status();
  ExpectCorrect(op, {});
  ExpectCorrect(op, StrongSchedule(*problem));
  for (uint64_t seed = 1; seed <= kDrawn; ++seed) {
    ExpectCorrect(op, RandomSchedule(*problem, seed + std::hash<std::string>()(op.name) % 1000 * 4));
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Operator& op : CpuOperators()) names.push_back(op.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Sweep, ::testing::ValuesIn(Names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace kernelsmith::server::testing
