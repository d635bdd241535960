// Shows a running job: a live line on a terminal, a line per event elsewhere, a JSON line per event with --json.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "client/cli/session.h"
#include "client/cli/text/progress.h"
#include "common/mutex.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

// Thread-safe. The destructor takes the live line away.
class JobDisplay {
 public:
  // `from_sequence` as for JobProgress.
  JobDisplay(const Session& session, const v1::Job& job, uint64_t from_sequence);
  ~JobDisplay();
  JobDisplay(const JobDisplay&) = delete;
  JobDisplay& operator=(const JobDisplay&) = delete;

  void Show(const v1::JobEvent& event);
  // A remark between events, for example that the server is away.
  void Say(const std::string& line);

 private:
  void Draw() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Erase() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ShowTransient(const v1::JobEvent& event) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Session& session_;
  const bool live_;
  const absl::Time started_;
  common::Mutex mutex_;
  JobProgress progress_ GUARDED_BY(mutex_);
  int frame_ GUARDED_BY(mutex_) = 0;
  int64_t last_line_unix_us_ GUARDED_BY(mutex_) = 0;
  std::string last_transient_ GUARDED_BY(mutex_);
  std::jthread ticker_;
};

}  // namespace kernelsmith::client
