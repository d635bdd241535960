// Configuration of the daemon.
#include <gtest/gtest.h>

#include "common/status.h"
#include "worker/daemon.h"

namespace kernelsmith::worker {
namespace {

config::v1::WorkerConfig Minimal() {
  config::v1::WorkerConfig config;
  config.mutable_coordinator()->set_address("127.0.0.1:7401");
  config.set_data_dir("/var/lib/worker");
  return config;
}

TEST(WorkerConfigTest, EveryOtherFieldHasADefault) {
  const auto config = CompleteConfig(Minimal(), "host-a");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->card_kind(), "cpu");
  EXPECT_EQ(config->card_id(), "cpu0");
  EXPECT_EQ(config->worker_id(), "host-a-cpu0");
  EXPECT_EQ(config->required_isolation(), "bwrap");
  EXPECT_FALSE(config->lock_dir().empty());
  EXPECT_DOUBLE_EQ(config->noise_limit(), 0.25);
  EXPECT_EQ(config->reference_cache_bytes(), int64_t{2} << 30);
  EXPECT_EQ(config->compile_cache_bytes(), int64_t{1} << 30);
}

TEST(WorkerConfigTest, GivenFieldsAreKept) {
  auto given = Minimal();
  given.set_card_id("cpu7");
  given.set_worker_id("w");
  given.set_required_isolation("rlimits");
  given.set_noise_limit(2);
  const auto config = CompleteConfig(given, "host-a");
  EXPECT_EQ(config->worker_id(), "w");
  EXPECT_EQ(config->card_id(), "cpu7");
  EXPECT_EQ(config->required_isolation(), "rlimits");
  EXPECT_DOUBLE_EQ(config->noise_limit(), 2);
}

TEST(WorkerConfigTest, WhatCannotWorkIsNamedByField) {
  const auto field = [](const config::v1::WorkerConfig& config) {
    return common::FieldOf(CompleteConfig(config, "host-a").status());
  };
  auto config = Minimal();
  config.clear_coordinator();
  EXPECT_EQ(field(config), "coordinator.address");
  config = Minimal();
  config.clear_data_dir();
  EXPECT_EQ(field(config), "data_dir");
  config = Minimal();
  config.set_card_kind("abacus");
  EXPECT_EQ(field(config), "card_kind");
  config = Minimal();
  config.set_card_id("../cpu0");
  EXPECT_EQ(field(config), "card_id");
  config = Minimal();
  config.set_required_isolation("hope");
  EXPECT_EQ(field(config), "required_isolation");
}

}  // namespace
}  // namespace kernelsmith::worker
