#include "server/synthesis/round_archive.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

namespace kernelsmith::server {

absl::StatusOr<v1::ArtifactRef> PutMessage(const common::ContentStore& content,
                                           const google::protobuf::MessageLite& message, const std::string& name) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return content.Put(bytes, name, "application/x-protobuf");
}

absl::StatusOr<PastRound> LoadRound(const common::ContentStore& content, const RoundState& round) {
  PastRound past;
  past.round = round.number();
  past.start_round = round.started.start_round();
  if (round.proposed) {
    past.proposal = round.proposed->proposal();
    if (round.proposed->has_candidate()) {
      ASSIGN_OR_RETURN(past.candidate, GetMessage<v1::Candidate>(content, round.proposed->candidate()));
    }
  }
  if (round.evaluated) {
    ASSIGN_OR_RETURN(past.report, GetMessage<v1::EvaluationReport>(content, round.evaluated->report()));
  }
  return past;
}

absl::StatusOr<std::vector<PastRound>> LoadHistory(const common::ContentStore& content, const JobHistory& history) {
  std::vector<PastRound> rounds;
  for (const RoundState& round : history.rounds) {
    if (!round.recorded) continue;
    ASSIGN_OR_RETURN(PastRound past, LoadRound(content, round));
    rounds.push_back(std::move(past));
  }
  return rounds;
}

}  // namespace kernelsmith::server
