#include <memory>

#include "absl/random/random.h"
#include "absl/time/clock.h"
#include "client/lib/client_channel.h"
#include "common/backoff.h"

namespace kernelsmith::client {
namespace {

// Ends of a stream after which the same request may go on: the server went away or is going away.
bool IsDisconnect(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:  // a server that shuts down cancels its streams
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnknown:   // "Stream removed"
    case absl::StatusCode::kInternal:  // "RST_STREAM"
      return true;
    default:
      return false;
  }
}

constexpr absl::Duration kLasting = absl::Seconds(10);

absl::Status Stopped() { return absl::CancelledError("the watch was stopped by its caller"); }

}  // namespace

absl::Status Client::WatchJob(const std::string& job_id, const WatchOptions& options,
                              const std::function<bool(const v1::JobEvent&)>& on_event, std::stop_token stop) const {
  const common::BackoffPolicy policy{.initial = absl::Milliseconds(100), .cap = absl::Seconds(2)};
  absl::BitGen random;
  uint64_t last_sequence = options.from_sequence;
  absl::Time away_since = absl::Now();
  int retry = 0;
  while (true) {
    if (stop.stop_requested()) return Stopped();
    const auto context = channel_->Context(absl::InfiniteDuration());
    const std::stop_callback cancel(stop, [&context] { context->TryCancel(); });
    v1::WatchJobRequest request;
    request.set_job_id(job_id);
    request.set_from_sequence(last_sequence);
    const auto reader = channel_->stub->WatchJob(context.get(), request);
    const absl::Time opened_at = absl::Now();
    bool heard = false;
    bool ended = false;
    v1::WatchJobResponse response;
    while (reader->Read(&response)) {
      heard = true;
      const v1::JobEvent& event = response.event();
      if (event.sequence() != 0) {
        if (event.sequence() <= last_sequence) continue;
        last_sequence = event.sequence();
        ended = event.has_job_ended();
      }
      if (!on_event(event)) {
        context->TryCancel();
        return Stopped();
      }
    }
    absl::Status status = channel_->Explain(reader->Finish());
    if (stop.stop_requested()) return Stopped();
    if (status.ok()) {
      if (ended) return absl::OkStatus();
      // A stream that ends without the job's end: it had ended before `from_sequence`, or the server is going away.
      const absl::StatusOr<v1::Job> job = GetJob(job_id);
      if (job.ok() && HasEnded(job->state()) && job->last_sequence() <= last_sequence) return absl::OkStatus();
      status = job.ok() ? absl::UnavailableError("the server ended the stream before the job's end") : job.status();
    }
    if (!IsDisconnect(status)) return status;
    // A refused connection fails at once, so a stream that lasted was connected, however silent the job was.
    if (heard || absl::Now() - opened_at > kLasting) {
      away_since = absl::Now();
      retry = 0;
    }
    const absl::Duration delay = common::BackoffDelay(policy, ++retry, random);
    if (absl::Now() + delay > away_since + options.reconnect_for) return absl::UnavailableError(status.message());
    if (options.on_reconnect) options.on_reconnect(status);
    if (!SleepUnlessStopped(delay, stop)) return Stopped();
  }
}

}  // namespace kernelsmith::client
