#include <memory>

#include "client/lib/client_channel.h"

namespace kernelsmith::client {
namespace {

// Reads activities, then the report. An evaluation leaves nothing behind, so a call that the server refused before its
// first message is simply made again.
template <typename Request, typename Open>
absl::StatusOr<v1::EvaluationReport> Run(const ServiceChannel<v1::Coordinator>& channel, const Request& request,
                                         const std::function<void(const std::string&)>& on_activity,
                                         const std::stop_token& stop, const Open& open) {
  v1::EvaluationReport report;
  bool reported = false;
  bool started = false;
  absl::Status after_start;
  const absl::Status status = RetryUnavailable(channel.options.retry_for, [&]() -> absl::Status {
    const auto context = channel.Context(absl::InfiniteDuration());
    const std::stop_callback cancel(stop, [&context] { context->TryCancel(); });
    const auto reader = open(*channel.stub, context.get(), request);
    v1::EvaluateResponse response;
    while (reader->Read(&response)) {
      started = true;
      if (response.has_report()) {
        report = std::move(*response.mutable_report());
        reported = true;
      } else if (on_activity) {
        on_activity(response.activity());
      }
    }
    const absl::Status ended = channel.Explain(reader->Finish());
    if (!started) return ended;
    after_start = ended;
    return absl::OkStatus();
  });
  if (stop.stop_requested()) return absl::CancelledError("the evaluation was stopped by its caller");
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(after_start);
  if (!reported) return absl::InternalError("the server ended the evaluation without a report");
  return report;
}

}  // namespace

absl::StatusOr<v1::EvaluationReport> Client::Evaluate(const v1::EvaluateRequest& request,
                                                      const std::function<void(const std::string&)>& on_activity,
                                                      std::stop_token stop) const {
  return Run(*channel_, request, on_activity, stop,
             [](v1::Coordinator::Stub& stub, grpc::ClientContext* context, const v1::EvaluateRequest& what) {
               return stub.Evaluate(context, what);
             });
}

absl::StatusOr<v1::EvaluationReport> Client::Compare(const v1::CompareRequest& request,
                                                     const std::function<void(const std::string&)>& on_activity,
                                                     std::stop_token stop) const {
  return Run(*channel_, request, on_activity, stop,
             [](v1::Coordinator::Stub& stub, grpc::ClientContext* context, const v1::CompareRequest& what) {
               return stub.Compare(context, what);
             });
}

}  // namespace kernelsmith::client
