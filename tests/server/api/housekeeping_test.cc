// Artifact collection, gauges, backup, and the files of the data folder.
#include "server/housekeeping/housekeeping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <filesystem>

#include "server/data_folder.h"
#include "server/housekeeping/backup.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

class HousekeepingTest : public LoopTest {
 protected:
  config::v1::CoordinatorConfig Config() const {
    config::v1::CoordinatorConfig config;
    config.set_data_dir(folder_ + "/coordinator");
    config.set_artifact_days(1);
    return config;
  }
};

TEST_F(HousekeepingTest, RemovesOldArtifactsThatNothingRefersTo) {
  ScriptedProposer proposer({"100"});
  Open(proposer);
  const std::string job_id = Submit(Spec());
  ASSERT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
  const auto orphan = store_->content().Put("nobody knows me", "orphan", "text/plain");
  ASSERT_TRUE(orphan.ok());
  const std::string kept = Job(job_id).best_candidate().digest();

  const config::v1::CoordinatorConfig config = Config();
  const Intake intake(*store_, config);
  const JobRunner runner(*context_, config, metrics_);
  common::ManualClock clock(common::Clock::Real().Now());
  Housekeeping housekeeping(*store_, runner, intake, config, clock, metrics_);
  EXPECT_EQ(housekeeping.CollectArtifacts().files, 0) << "too young";
  clock.Advance(absl::Hours(25));
  EXPECT_EQ(housekeeping.CollectArtifacts().files, 1);
  EXPECT_FALSE(store_->content().Contains(orphan->digest()));
  EXPECT_TRUE(store_->content().Contains(kept));
}

TEST_F(HousekeepingTest, PublishesGauges) {
  ScriptedProposer proposer({});
  Open(proposer);
  Submit(Spec());
  config::v1::CoordinatorConfig config = Config();
  config.set_min_free_disk_bytes(int64_t{1} << 60);
  const Intake intake(*store_, config);
  const JobRunner runner(*context_, config, metrics_);
  Housekeeping housekeeping(*store_, runner, intake, config, common::Clock::Real(), metrics_);
  housekeeping.PublishGauges();
  const std::string text = prometheus::TextSerializer().Serialize(metrics_.registry().Collect());
  EXPECT_THAT(text, HasSubstr("kernelsmith_coordinator_jobs{state=\"submitted\"} 1"));
  EXPECT_THAT(text, HasSubstr("kernelsmith_coordinator_intake_paused 1"));
  EXPECT_THAT(text, HasSubstr("kernelsmith_coordinator_free_disk_bytes"));
}

TEST_F(HousekeepingTest, BacksUpAStoppedCoordinatorIntoAFolderThatServes) {
  ScriptedProposer proposer({"100"});
  Open(proposer);
  const std::string job_id = Submit(Spec());
  ASSERT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
  const std::string source = folder_ + "/coordinator";
  const std::string target = folder_ + "/backup";
  EXPECT_EQ(BackUp(source, target).code(), absl::StatusCode::kUnavailable) << "it runs";
  EXPECT_FALSE(std::filesystem::exists(target));
  const std::string digest = Job(job_id).best_candidate().digest();
  Close();
  const absl::Status backed_up = BackUp(source, target);
  ASSERT_TRUE(backed_up.ok()) << backed_up;
  EXPECT_EQ(BackUp(source, target).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(BackUp(folder_ + "/nowhere", folder_ + "/backup2").code(), absl::StatusCode::kNotFound);

  std::filesystem::remove_all(source);
  auto restored = JobStore::Open(target, common::Clock::Real());
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ((*restored)->Get("red", job_id)->state(), v1::SUCCEEDED);
  EXPECT_TRUE((*restored)->content().Get(digest).ok());
}

TEST_F(HousekeepingTest, KeepsNameAndSecretOverRestarts) {
  const std::string path = folder_ + "/data";
  const auto first = DataFolder::Open(path);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->input_secret.size(), 32u);
  const auto second = DataFolder::Open(path);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->producer, first->producer);
  EXPECT_EQ(second->input_secret, first->input_secret);
  ASSERT_TRUE(common::WriteFileAtomically(path + "/input_secret", "short").ok());
  EXPECT_EQ(DataFolder::Open(path).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace kernelsmith::server
