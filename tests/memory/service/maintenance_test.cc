// Verify, SealIndex, Backup and Export, as an administrator and another server use them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/exchange_rows.h"
#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;

class MaintenanceTest : public ::testing::Test {
 protected:
  MaintenanceTest() { Open(); }

  std::string DataFolder() const { return absl::StrCat(folder_.path(), "/data"); }
  void Open() {
    memory_.reset();
    auto opened = Experience::Open(DataFolder(), common::Clock::Real(), metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    memory_ = *std::move(opened);
  }
  void Fill(int attempts, const std::string& prefix = "a") {
    for (int i = 0; i < attempts; ++i) {
      const std::string prev = i == 0 ? "" : absl::StrCat(prefix, (i - 1) / 2);
      const std::string id = absl::StrCat(prefix, i);
      auto request = i % 5 == 4 ? testing::FailedAttempt(id, prev) : testing::Attempt(id, prev, 1.0 + i % 7 * 0.1);
      request.mutable_case_()->set_operator_name(i % 3 == 0 ? "gelu" : "softmax");
      request.mutable_case_()->set_hypothesis(absl::StrCat("token", prefix, i));
      ASSERT_TRUE(memory_->RecordAttempt("local", request).ok());
    }
  }
  // Stops the memory and spoils a record of team "local".
  void Damage(size_t family, uint64_t sequence) {
    memory_.reset();
    const auto store = *FactStore::Open(DataFolder());
    rocksdb::DB& db = store->rocks().db();
    ASSERT_TRUE(
        db.Put(common::SyncedWrite(), store->rocks().family(family), FactKey("local", sequence), "damage").ok());
  }
  v1::VerifyProgress Verified() const {
    v1::VerifyProgress last;
    EXPECT_TRUE(memory_
                    ->Verify([&](const v1::VerifyProgress& progress) {
                      last = progress;
                      return absl::OkStatus();
                    })
                    .ok());
    return last;
  }
  std::vector<v1::ExchangeRow> Exported(const v1::ExportRequest& request = {}) const {
    std::vector<v1::ExchangeRow> rows;
    const absl::Status status = memory_->Export("local", request, [&](const v1::ExchangeRow& row) {
      rows.push_back(row);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return rows;
  }
  int FindToken(const std::string& token) {
    v1::RetrieveRequest request;
    request.set_query(token);
    request.mutable_filter()->add_kinds(v1::CASE);
    const auto found = memory_->Retrieve("local", request);
    int hits = 0;
    for (const v1::RankedItem& item : found->items()) hits += item.item().case_().hypothesis() == token ? 1 : 0;
    return hits;
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("memory-maintenance");
  common::Metrics registry_;
  MemoryMetrics metrics_{registry_};
  std::unique_ptr<Experience> memory_;
};

TEST_F(MaintenanceTest, WhatIsServedEqualsAFoldOfTheLog) {
  Fill(40);
  const auto context = memory_->AssembleContext("local", testing::Context("next"));
  ASSERT_TRUE(context.ok());
  ASSERT_TRUE(memory_->RecordAdoption("local", testing::Adoption(*context, 2)).ok());
  ASSERT_TRUE(memory_->CompleteStage("local", testing::FinishedStage("s", {context->retrieval_id()})).ok());
  v1::VerifyProgress verified = Verified();
  EXPECT_TRUE(verified.done());
  EXPECT_TRUE(verified.equal()) << verified.differences(0);
  EXPECT_EQ(verified.facts(), 43U);
  EXPECT_EQ(verified.total_facts(), 43U);
  Open();
  verified = Verified();
  EXPECT_TRUE(verified.equal());
}

TEST_F(MaintenanceTest, SealingKeepsEveryAnswerOverARestart) {
  Fill(60);
  const auto sealed = memory_->SealIndex("local", {});
  ASSERT_TRUE(sealed.ok()) << sealed.status();
  EXPECT_EQ(sealed->items(), 120);
  EXPECT_EQ(sealed->segments(), 1);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(FindToken(absl::StrCat("tokena", i)), 1);
  Fill(10, "b");
  EXPECT_EQ(FindToken("tokenb7"), 1);
  Open();
  EXPECT_EQ(memory_->Stats("local", {})->segments(), 1);
  EXPECT_EQ(FindToken("tokena17"), 1);
  EXPECT_EQ(FindToken("tokenb7"), 1);
  EXPECT_TRUE(Verified().equal());
}

TEST_F(MaintenanceTest, ADamagedIndexIsMadeAgainFromTheLog) {
  Fill(30);
  ASSERT_TRUE(memory_->SealIndex("local", {}).ok());
  memory_.reset();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(absl::StrCat(folder_.path(), "/data/index"))) {
    if (entry.is_regular_file()) {
      ASSERT_TRUE(common::WriteFileAtomically(entry.path(), "nonsense").ok());
    }
  }
  Open();
  EXPECT_EQ(FindToken("tokena17"), 1);
  EXPECT_TRUE(Verified().equal());
}

TEST_F(MaintenanceTest, ADamagedHeadIsMadeAnewAtTheStart) {
  Fill(30);
  const auto context = memory_->AssembleContext("local", testing::Context("next"));
  ASSERT_TRUE(context.ok());
  ASSERT_TRUE(memory_->RecordAdoption("local", testing::Adoption(*context, 2)).ok());
  ASSERT_TRUE(memory_->CompleteStage("local", testing::FinishedStage("s", {context->retrieval_id()})).ok());
  const auto before = memory_->Fingerprint();
  Damage(kHeads, 17);
  Open();
  EXPECT_EQ(memory_->Fingerprint(), before);
  EXPECT_TRUE(Verified().equal());
  EXPECT_EQ(FindToken("tokena17"), 1);
  Fill(5, "b");
  Open();
  EXPECT_EQ(memory_->Stats("local", {})->attempts(), 35) << "the rebuilt heads serve the next start too";
}

TEST_F(MaintenanceTest, AHeadIsNotMadeAnewFromADamagedFact) {
  Fill(20);
  Damage(kHeads, 7);
  Damage(kFacts, 7);
  const auto opened = Experience::Open(DataFolder(), common::Clock::Real(), metrics_);
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(opened.status().message()), HasSubstr("restore a backup"));
}

TEST_F(MaintenanceTest, ABackupIsAMemoryOfItsOwn) {
  Fill(20);
  v1::BackupRequest request;
  request.set_directory(absl::StrCat(folder_.path(), "/backup"));
  const auto made = memory_->Backup(request);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->last_sequence(), 20U);
  EXPECT_GT(made->bytes(), 0);
  Fill(5, "b");
  EXPECT_EQ(memory_->Backup(request).status().code(), absl::StatusCode::kAlreadyExists) << "the folder is taken";
  EXPECT_EQ(memory_->Backup({}).status().code(), absl::StatusCode::kInvalidArgument);
  const auto restored = Experience::Open(request.directory(), common::Clock::Real(), metrics_);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ((*restored)->Stats("local", {})->attempts(), 20);
}

TEST_F(MaintenanceTest, AnExportIsAChainOfRowsThatNamesNobodysTeamAsAuthor) {
  Fill(10);
  const std::vector<v1::ExchangeRow> rows = Exported();
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0].manifest().team(), "local");
  EXPECT_EQ(rows[0].manifest().to_sequence(), 10U);
  EXPECT_EQ(rows[3].attempt().attempt_id(), "a2");
  EXPECT_EQ(rows[3].attempt().author().team(), "");
  EXPECT_EQ(rows[11].closing().rows(), 10U);
  common::RowChain chain;
  for (const v1::ExchangeRow& row : rows) {
    EXPECT_TRUE(common::CheckRow(row).ok());
    EXPECT_TRUE(chain.Add(row).ok());
  }
  EXPECT_TRUE(chain.closed());
}

TEST_F(MaintenanceTest, AnExportLeavesOutWhatIsHeldOutOrFiltered) {
  Fill(9);
  v1::ExportRequest held_out;
  held_out.add_held_out_operators("gelu");
  for (const v1::ExchangeRow& row : Exported(held_out)) {
    if (row.has_attempt()) {
      EXPECT_EQ(row.attempt().case_().operator_name(), "softmax");
    }
  }
  EXPECT_EQ(Exported(held_out).size(), 2U) << "every attempt goes back to the code of a0, which is gelu's";
  ASSERT_TRUE(memory_->RecordAttempt("local", testing::Attempt("own")).ok());
  EXPECT_EQ(Exported(held_out).size(), 2U + 1U);
  v1::ExportRequest filtered;
  filtered.mutable_filter()->add_operators("gelu");
  EXPECT_EQ(Exported(filtered).size(), 2U + 3U);
  v1::ExportRequest later;
  later.set_from_sequence(8);
  EXPECT_EQ(Exported(later).size(), 2U + 3U);
  EXPECT_EQ(Exported(later)[0].manifest().from_sequence(), 8U);
}

TEST_F(MaintenanceTest, AReaderThatLeavesEndsTheExport) {
  Fill(5);
  int rows = 0;
  const absl::Status status = memory_->Export("local", {}, [&](const v1::ExchangeRow&) {
    return ++rows == 3 ? absl::CancelledError("gone") : absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(rows, 3);
}

TEST_F(MaintenanceTest, AQuestionIsRecordedAndNeedsItsAdoption) {
  Fill(6);
  v1::RetrieveRequest question;
  question.set_query("softmax vectorised exponential");
  question.set_producer(testing::kProducer);
  question.set_retrieval_key("q1");
  question.set_attempt_id("next");
  question.set_limit(2);
  const auto answer = memory_->Retrieve("local", question);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->items_size(), 2);
  EXPECT_FALSE(answer->retrieval_id().empty());
  const auto again = memory_->Retrieve("local", question);
  EXPECT_TRUE(again->duplicate());
  ASSERT_EQ(again->items_size(), 2);
  EXPECT_EQ(again->items(0).item().id(), answer->items(0).item().id());
  EXPECT_EQ(again->items(0).item().case_().SerializeAsString(), answer->items(0).item().case_().SerializeAsString());

  const auto stage = testing::FinishedStage("s", {answer->retrieval_id()});
  EXPECT_EQ(memory_->CompleteStage("local", stage).status().code(), absl::StatusCode::kFailedPrecondition);
  v1::RecordAdoptionRequest adoption;
  adoption.set_retrieval_id(answer->retrieval_id());
  for (const v1::RankedItem& item : answer->items()) {
    v1::AdoptionRecord& record = *adoption.add_records();
    record.set_item_id(item.item().id());
    record.set_state(v1::ADOPTED);
    record.set_reason("fits");
  }
  ASSERT_TRUE(memory_->RecordAdoption("local", adoption).ok());
  const auto done = memory_->CompleteStage("local", stage);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->changes_size(), 2);
  EXPECT_TRUE(Verified().equal());
}

TEST_F(MaintenanceTest, StartPointsAreTheFeasibleAttemptsOfAJob) {
  Fill(10);
  v1::ListStartPointsRequest request;
  request.set_session("job-1");
  request.mutable_policy()->set_preset("sage");
  const auto best = memory_->ListStartPoints("local", request);
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(best->start_points_size(), 8) << "two of ten failed";
  ASSERT_GT(best->start_points_size(), 1);
  EXPECT_TRUE(best->start_points(0).chosen());
  EXPECT_LE(best->start_points(0).latency_us(), best->start_points(1).latency_us());

  request.mutable_policy()->set_preset("evokernel");
  request.mutable_policy()->set_start_epsilon(1);
  std::set<std::string> chosen;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    request.set_seed(seed);
    const auto points = memory_->ListStartPoints("local", request);
    EXPECT_EQ(points->seed(), seed);
    for (const v1::StartPoint& point : points->start_points()) {
      if (point.chosen()) chosen.insert(point.attempt_id());
      if (point.chosen()) {
        EXPECT_TRUE(point.explored());
      }
    }
  }
  EXPECT_GT(chosen.size(), 3U);
  request.mutable_policy()->set_preset("pass_at_k");
  const auto none = memory_->ListStartPoints("local", request);
  ASSERT_TRUE(none.ok());
  for (const v1::StartPoint& point : none->start_points()) EXPECT_FALSE(point.chosen());
  request.set_session("");
  EXPECT_EQ(memory_->ListStartPoints("local", request).status().code(), absl::StatusCode::kInvalidArgument);
  request.set_session("no-such-job");
  EXPECT_EQ(memory_->ListStartPoints("local", request)->start_points_size(), 0);
}

TEST_F(MaintenanceTest, AnotherJobsKernelIsThePredecessorOfAJobThatStartsFromIt) {
  ASSERT_TRUE(memory_->RecordAttempt("local", testing::Attempt("winner")).ok());
  auto given = testing::Attempt("given");
  given.set_producer("coordinator-2");
  given.mutable_case_()->set_session("job-2");
  given.mutable_case_()->clear_code_before();
  given.mutable_case_()->set_start_code_sha256(common::Sha256Hex(given.case_().code_after()));
  ASSERT_TRUE(memory_->RecordAttempt("local", given).ok());
  v1::LineageRequest request;
  request.set_session("job-2");
  const auto lineage = memory_->Lineage("local", request);
  ASSERT_EQ(lineage->nodes_size(), 1);
  EXPECT_THAT(lineage->nodes(0).cross_job_prev_item_id(), HasSubstr("case-"));
  EXPECT_EQ(lineage->nodes(0).prev_attempt_id(), "");
}

}  // namespace
}  // namespace kernelsmith::memory
