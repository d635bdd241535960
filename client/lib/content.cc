#include <memory>

#include "client/lib/client_channel.h"
#include "common/content_store.h"

namespace kernelsmith::client {

absl::StatusOr<std::vector<Client::Log>> Client::GetLogs(const std::string& job_id, int round) const {
  v1::GetLogsRequest request;
  request.set_job_id(job_id);
  request.set_round(round);
  std::vector<Log> logs;
  RETURN_IF_ERROR(RetryUnavailable(channel_->options.retry_for, [&] {
    logs.clear();
    const auto context = channel_->Context(channel_->options.call_timeout);
    const auto reader = channel_->stub->GetLogs(context.get(), request);
    v1::GetLogsResponse part;
    while (reader->Read(&part)) {
      if (logs.empty() || logs.back().round != part.round() || logs.back().name != part.name()) {
        logs.push_back({.round = part.round(), .name = part.name(), .content = {}});
      }
      logs.back().content += part.chunk();
    }
    return channel_->Explain(reader->Finish());
  }));
  return logs;
}

absl::StatusOr<std::string> Client::GetArtifact(const std::string& job_id, const std::string& digest) const {
  v1::GetArtifactRequest request;
  request.set_job_id(job_id);
  request.set_digest(digest);
  std::string content;
  RETURN_IF_ERROR(RetryUnavailable(channel_->options.retry_for, [&] {
    content.clear();
    const auto context = channel_->Context(channel_->options.call_timeout);
    const auto reader = channel_->stub->GetArtifact(context.get(), request);
    v1::GetArtifactResponse part;
    while (reader->Read(&part)) content += part.chunk();
    return channel_->Explain(reader->Finish());
  }));
  if (common::DigestOf(content) != digest) {
    return absl::DataLossError(
        absl::StrCat("artifact ", digest, " of job ", job_id, " arrived with other content; check the server's disk"));
  }
  return content;
}

}  // namespace kernelsmith::client
