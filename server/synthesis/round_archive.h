// Payloads of rounds in the content store: candidates, reports and contexts as serialised messages.
//
//   ASSIGN_OR_RETURN(v1::ArtifactRef ref, PutMessage(store, candidate, "candidate.pb"));
//   ASSIGN_OR_RETURN(v1::Candidate candidate, GetMessage<v1::Candidate>(store, ref));
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/content_store.h"
#include "common/status.h"
#include "google/protobuf/message_lite.h"
#include "server/proposers/proposer.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

// Serialised so that equal messages give equal bytes.
absl::StatusOr<v1::ArtifactRef> PutMessage(const common::ContentStore& content,
                                           const google::protobuf::MessageLite& message, const std::string& name);

// DATA_LOSS if the bytes are no such message.
template <typename Message>
absl::StatusOr<Message> GetMessage(const common::ContentStore& content, const v1::ArtifactRef& ref) {
  ASSIGN_OR_RETURN(const std::string bytes, content.Get(ref.digest()));
  Message message;
  if (!message.ParseFromString(bytes)) {
    return absl::DataLossError(absl::StrCat("artifact ", ref.digest(), " is no ", message.GetTypeName(),
                                            "; restore the content store from a backup"));
  }
  return message;
}

// What is on disk of a round: candidate, proposal and report as far as they exist.
absl::StatusOr<PastRound> LoadRound(const common::ContentStore& content, const RoundState& round);

// Every recorded round, in order.
absl::StatusOr<std::vector<PastRound>> LoadHistory(const common::ContentStore& content, const JobHistory& history);

}  // namespace kernelsmith::server
