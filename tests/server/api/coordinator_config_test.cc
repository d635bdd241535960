#include "server/coordinator_config.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "common/status.h"

namespace kernelsmith::server {
namespace {

config::v1::CoordinatorConfig GoodConfig() {
  config::v1::CoordinatorConfig config;
  config.set_data_dir("data");
  config.mutable_memory()->set_address("127.0.0.1:1");
  return config;
}

TEST(CoordinatorConfig, WorksWithItsDefaults) { EXPECT_TRUE(CheckCoordinatorConfig(GoodConfig()).ok()); }

TEST(CoordinatorConfig, IsRefusedWithTheNameOfTheField) {
  struct Row {
    const char* field;
    std::function<void(config::v1::CoordinatorConfig&)> spoil;
  };
  const std::vector<Row> table = {
      {"data_dir", [](auto& config) { config.clear_data_dir(); }},
      {"memory.address", [](auto& config) { config.clear_memory(); }},
      {"lease_s", [](auto& config) { config.set_lease_s(5); }},
      {"lease_s", [](auto& config) { config.set_heartbeat_s(4); }},
      {"heartbeat_s", [](auto& config) { config.set_heartbeat_s(-1); }},
      {"max_active_jobs", [](auto& config) { config.set_max_active_jobs(-1); }},
      {"artifact_days", [](auto& config) { config.set_artifact_days(-1); }},
      {"limits.compile_s", [](auto& config) { config.mutable_limits()->set_compile_s(301); }},
      {"limits.reference_s", [](auto& config) { config.mutable_limits()->set_evaluation_s(100); }},
      {"teams[0].team", [](auto& config) { config.add_teams(); }},
      {"teams[1].team",
       [](auto& config) {
         config.add_teams()->set_team("a");
         config.add_teams()->set_team("a");
       }},
      {"teams[0].weight",
       [](auto& config) {
         config.add_teams()->set_team("a");
         config.mutable_teams(0)->set_weight(-1);
       }},
  };
  for (const Row& row : table) {
    config::v1::CoordinatorConfig config = GoodConfig();
    row.spoil(config);
    const absl::Status status = CheckCoordinatorConfig(config);
    EXPECT_EQ(common::FieldOf(status).value_or(""), row.field) << status;
  }
}

}  // namespace
}  // namespace kernelsmith::server
