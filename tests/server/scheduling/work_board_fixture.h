// Drives a WorkBoard without disk, threads or a real clock, for the tests of its rules.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/scheduling/work_board.h"

namespace kernelsmith::server {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Drives a board as the queue does, with a disk that works at once.
class WorkBoardTest : public ::testing::Test {
 protected:
  WorkBoardTest() { Restart(); }

  BoardRules Rules() {
    BoardRules rules;
    rules.backoff.initial = absl::Seconds(1);
    rules.backoff.cap = absl::Seconds(1);
    return rules;
  }

  // A new process: what is on disk is restored.
  void Restart() {
    board_ = std::make_unique<WorkBoard>(Rules(), static_cast<uint64_t>(absl::ToUnixMicros(now_)), random_);
    for (const auto& [id, record] : disk_) board_->Restore(record, now_);
  }

  void Flush() {
    while (board_->HasDirty()) {
      const auto records = board_->TakeDirty();
      for (const auto& [id, record] : records) {
        if (record) {
          disk_[id] = *record;
        } else {
          disk_.erase(id);
        }
      }
      board_->MarkDurable(records);
    }
  }

  void Advance(absl::Duration by = absl::ZeroDuration()) {
    now_ += by;
    board_->Advance(now_);
    Flush();
  }

  static WorkItem Item(const std::string& id, const std::string& team = "a", int priority = 0) {
    WorkItem item;
    item.assignment_id = id;
    item.team = team;
    item.job_id = "job-of-" + id;
    item.priority = priority;
    item.card_kind = "cpu";
    item.work.mutable_evaluate();
    return item;
  }
  void Submit(const WorkItem& item) {
    const absl::Status status = board_->Submit(item, now_);
    ASSERT_TRUE(status.ok()) << status;
    Advance();
  }

  static v1::SynchronizeRequest From(const std::string& worker, const std::string& instance = "i1") {
    v1::SynchronizeRequest request;
    request.set_worker_id(worker);
    request.set_instance(instance);
    request.mutable_card()->set_kind("cpu");
    request.mutable_card()->set_health(v1::HEALTHY);
    return request;
  }
  static v1::AssignmentState& Add(v1::SynchronizeRequest& request, const std::string& id, uint64_t epoch,
                                  v1::AssignmentPhase phase) {
    auto& state = *request.add_assignments();
    state.set_id(id);
    state.set_lease_epoch(epoch);
    state.set_phase(phase);
    return state;
  }
  static v1::SynchronizeRequest Finished(v1::SynchronizeRequest request, const std::string& id, uint64_t epoch,
                                         v1::EvaluationStatus status) {
    auto& report = *Add(request, id, epoch, v1::FINISHED).mutable_report();
    report.set_status(status);
    report.set_summary("as told");
    return request;
  }
  v1::SynchronizeResponse Report(const v1::SynchronizeRequest& request) {
    const absl::Status status = board_->Report(request, now_);
    EXPECT_TRUE(status.ok()) << status;
    Advance();
    return board_->Desired(request);
  }
  // A worker that repeats what it was told last.
  v1::SynchronizeResponse Beat(const std::string& worker, const v1::SynchronizeResponse& told) {
    v1::SynchronizeRequest request = From(worker);
    for (const auto& a : told.assignments()) Add(request, a.id(), a.lease_epoch(), v1::RUNNING);
    return Report(request);
  }

  static std::vector<std::string> Told(const v1::SynchronizeResponse& answer) {
    std::vector<std::string> told;
    for (const auto& a : answer.assignments()) {
      told.push_back(absl::StrCat(v1::AssignmentAction_Name(a.action()), " ", a.id(), "@", a.lease_epoch()));
    }
    return told;
  }
  std::vector<std::string> TellNotices(const std::string& id) {
    std::vector<std::string> texts;
    for (const auto& notice : board_->TakeNotices(id)) texts.push_back(notice.text);
    return texts;
  }

  absl::BitGen random_;
  absl::Time now_ = absl::FromCivil(absl::CivilSecond(2026, 1, 2, 14, 2, 0), absl::UTCTimeZone());
  std::map<std::string, storage::v1::LeaseRecord> disk_;
  std::unique_ptr<WorkBoard> board_;
};

}  // namespace kernelsmith::server
