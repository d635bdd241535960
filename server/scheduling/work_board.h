// Who waits, who runs where, who gets what next: every scheduling decision, as a state machine without disk, threads or
// a clock. The queue (evaluation_queue.cc) feeds it reports and time, writes what it marks as dirty, and tells it when
// that is on disk.
//
//   board.Submit(item, now);                       // a caller wants it done
//   board.Report(request, now);                    // a worker says what is
//   board.Advance(now);                            // leases end, waiting work is granted
//   ... write board.Dirty(), then board.MarkDurable(...) ...
//   response = board.Desired(request);             // what should be; only what is on disk
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/backoff.h"
#include "server/scheduling/fair_share.h"
#include "server/scheduling/work.h"

namespace kernelsmith::server {

struct BoardRules {
  absl::Duration heartbeat = absl::Seconds(2);
  absl::Duration lease = absl::Seconds(10);
  absl::Duration reconnect_grace = absl::Seconds(10);
  int max_failures = 5;
  QuarantineRule quarantine;
  // Half a minute in all before the last try: a host that is overloaded has other work to finish.
  common::BackoffPolicy backoff = {.initial = absl::Seconds(1), .cap = absl::Seconds(60), .factor = 3};
  std::map<std::string, double> team_weights;
};

// Counts since the start, for metrics.
struct BoardCounters {
  int64_t lease_losses = 0;
  int64_t retries = 0;
  int64_t dead_letters = 0;
  int64_t quarantines = 0;
  int64_t stale_results = 0;
};

// Not thread-safe.
class WorkBoard {
 public:
  // `revision_base` is greater than any revision of an earlier process, for example the time.
  WorkBoard(BoardRules rules, uint64_t revision_base, absl::BitGenRef random);

  // At start: work of an earlier run. Leases last until the reconnect grace is over at least.
  void Restore(const storage::v1::LeaseRecord& record, absl::Time now);
  void RestoreDrain(const std::string& worker_id);

  // Adds the item, or joins one that was restored. FAILED_PRECONDITION if a caller waits for that id already.
  absl::Status Submit(const WorkItem& item, absl::Time now);
  // Nobody wants it any more: it goes, after the card was told.
  void Cancel(const std::string& assignment_id, absl::Time now);
  // The caller stops waiting; the work goes on, and its result is kept until Forget.
  void Leave(const std::string& assignment_id);
  void Forget(const std::string& assignment_id);

  // Takes in what a worker says. Errors as EvaluationQueue::Synchronize.
  absl::Status Report(const v1::SynchronizeRequest& request, absl::Time now);
  // Ends leases that ran out, grants what can be granted, explains what waits. To be called after every change and
  // regularly.
  void Advance(absl::Time now);

  // The answer to a worker that Report accepted.
  v1::SynchronizeResponse Desired(const v1::SynchronizeRequest& request) const;
  // True if the worker should hear the answer at once: it changed since the worker heard one, or acknowledges
  // something.
  bool IsNews(const v1::SynchronizeRequest& request, const v1::SynchronizeResponse& answer) const;

  // NOT_FOUND for a worker that never reported.
  absl::Status SetDrain(const std::string& worker_id, bool drain, absl::Time now);

  const Work* Find(const std::string& assignment_id) const;
  std::vector<WorkNotice> TakeNotices(const std::string& assignment_id);
  std::vector<v1::Card> Cards(absl::Time now) const;
  const std::map<std::string, Work>& works() const { return works_; }
  const std::map<std::string, CardEntry>& cards() const { return cards_; }
  const BoardCounters& counters() const { return counters_; }
  bool IsConnected(const CardEntry& card, absl::Time now) const { return now - card.last_seen <= rules_.lease; }

  // What differs from the disk: records to write, or to remove where there is none. Taking clears the marks.
  using DirtyRecords = std::vector<std::pair<std::string, std::optional<storage::v1::LeaseRecord>>>;
  DirtyRecords TakeDirty();
  bool HasDirty() const { return !dirty_.empty(); }
  void MarkDurable(const DirtyRecords& written);
  // The write failed: they are dirty still.
  void MarkDirty(const DirtyRecords& unwritten);

  // Whom to wake. Taking clears.
  std::set<std::string> TakeTouchedCards() { return std::exchange(touched_cards_, {}); }
  std::set<std::string> TakeTouchedWork() { return std::exchange(touched_work_, {}); }

 private:
  struct Slots {
    Work* run = nullptr;
    Work* prepare = nullptr;
  };

  // work_board.cc: reports and leases.
  void TakeIn(CardEntry& card, Work& work, const v1::AssignmentState& reported, absl::Time now);
  void Finish(CardEntry& card, Work& work, const v1::AssignmentState& reported, absl::Time now);
  void Fail(Work& work, const std::string& reason, const v1::AssignmentState* result, absl::Time now);
  void Requeue(Work& work, absl::Time not_before);
  void EndRun(Work& work, bool charge, absl::Time now);
  void Erase(const std::string& assignment_id);
  void TouchCard(const std::string& worker_id);
  void Notify(Work& work, WorkNotice::Kind kind, const std::string& text);
  void UpdateTeam(const std::string& team);

  // work_board_grants.cc: who gets what.
  void GrantAll(absl::Time now);
  void Grant(CardEntry& card, Work& work, v1::AssignmentAction action, absl::Time now);
  void StartRun(Work& work, absl::Time now);
  Work* PickWaiting(const CardEntry& card, bool for_prefetch, absl::Time now);
  Work* PickPrepared(const CardEntry& card, absl::Time now);
  void Revoke(Work& work, absl::Time now);
  bool IsFit(const CardEntry& card, absl::Time now) const;
  bool CanRun(const CardEntry& card, const Work& work, absl::Time now) const;
  bool HasAlternative(const Work& work, absl::Time now) const;
  std::string WhyUnfit(const CardEntry& card, const Work& work, absl::Time now) const;
  Slots SlotsOf(const std::string& worker_id);
  void ExplainWaiting(Work& work, absl::Time now);

  const BoardRules rules_;
  absl::BitGenRef random_;
  FairShare share_;
  std::map<std::string, Work> works_;
  std::map<std::string, CardEntry> cards_;
  BoardCounters counters_;
  absl::Time grace_until_ = absl::InfinitePast();
  uint64_t next_order_ = 1;
  uint64_t last_revision_;
  std::set<std::string> dirty_;
  std::set<std::string> touched_cards_;
  std::set<std::string> touched_work_;
};

}  // namespace kernelsmith::server
