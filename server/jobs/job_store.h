// The coordinator's memory of jobs: an event log a job, and the projection (v1::Job) that is its fold. Event and
// projection are written in one synced batch; payloads go to the content store first. What is not in here did not
// happen.
//
//   ASSIGN_OR_RETURN(v1::Job job, store.Create(team, request_id, spec));      // idempotent
//   v1::JobEvent event; event.mutable_round_started()->set_round(1);
//   ASSIGN_OR_RETURN(event, store.Append(job.id(), event));                   // sequence and time are filled
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/content_store.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// Thread-safe. Watchers are woken after every append; no lock is held across disk writes of other jobs.
class JobStore {
 public:
  // Opens or creates the store in `data_dir` (RocksDB in jobs/, files in content/). Errors as common::RocksStore.
  static absl::StatusOr<std::unique_ptr<JobStore>> Open(const std::string& data_dir, const common::Clock& clock);
  virtual ~JobStore() = default;

  struct Created {
    v1::Job job;
    bool duplicate = false;
  };
  // Appends JobSubmitted. The same (team, request_id) and spec again returns the first job; another spec is
  // ALREADY_EXISTS.
  virtual absl::StatusOr<Created> Create(const std::string& team, const std::string& request_id,
                                         const v1::JobSpec& spec) = 0;

  // The job that this request created, so that a repeat is answered even when no new job would be taken. NOT_FOUND if
  // none.
  virtual absl::StatusOr<v1::Job> FindRequest(const std::string& team, const std::string& request_id) const = 0;

  // Appends an event durably, folds it, wakes watchers; returns it with sequence, job_id and time. FAILED_PRECONDITION
  // once the job has ended, except BudgetExtended on SUCCEEDED or EXHAUSTED and EvaluationReplayed on FAILED, which
  // reopen it.
  virtual absl::StatusOr<v1::JobEvent> Append(const std::string& job_id, v1::JobEvent event) = 0;

  // Tells watchers about something that is not logged (sequence 0).
  virtual void Announce(const std::string& job_id, v1::JobEvent transient) = 0;

  // NOT_FOUND also for another team's job. An empty team sees all (internal callers). While the job runs, `reason` is
  // what was announced last since its last event.
  virtual absl::StatusOr<v1::Job> Get(absl::string_view team, absl::string_view job_id) const = 0;

  struct Page {
    std::vector<v1::Job> jobs;  // newest first
    std::string next_token;
  };
  virtual absl::StatusOr<Page> List(absl::string_view team, int page_size, const std::string& page_token,
                                    const std::vector<v1::JobState>& states) const = 0;

  // Events with a sequence greater than `after`, at most `limit`.
  virtual absl::StatusOr<std::vector<v1::JobEvent>> Events(absl::string_view job_id, uint64_t after,
                                                           int limit) const = 0;

  // Waits until the job has events after `after` or transient ones after `transient_cursor`, or until the deadline;
  // returns both and moves the cursors. Used by WatchJob.
  struct News {
    std::vector<v1::JobEvent> events;  // in order; transient ones last
    bool ended = false;                // the job has ended and all its events were returned
  };
  virtual absl::StatusOr<News> WaitForNews(absl::string_view job_id, uint64_t& after, uint64_t& transient_cursor,
                                           absl::Time deadline) = 0;

  // Wakes every waiter; WaitForNews returns at once from then on. For shutdown.
  virtual void StopWaiting() = 0;

  // Jobs that have not ended, oldest first; what a start resumes.
  virtual std::vector<v1::Job> Unfinished() const = 0;
  // Jobs of a team by state, for quotas and metrics.
  virtual int Count(absl::string_view team, v1::JobState state) const = 0;

  virtual const common::ContentStore& content() const = 0;

  // Digests that any event or projection refers to, for collection.
  virtual absl::StatusOr<std::vector<std::string>> ReferencedDigests() const = 0;
};

// The fold: applies one event to the projection. Pure. INTERNAL if the event cannot follow; the projection is then
// unchanged.
absl::Status ApplyEvent(const v1::JobEvent& event, v1::Job& job);

bool HasEnded(v1::JobState state);

}  // namespace kernelsmith::server
