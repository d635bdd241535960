#include "server/synthesis/replay_rules.h"

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/synthesis/ending_rules.h"
#include "server/synthesis/work_options.h"

namespace kernelsmith::server {
namespace {

absl::Status NothingWaits(const std::string& letter_id, const std::string& why) {
  return common::BadState("DEAD_LETTER", letter_id, why);
}

absl::StatusOr<v1::EvaluationReplayed> ReplayOfInspection(const std::string& letter_id, const JobHistory& history) {
  const std::string current = history.inspection_id.empty() ? InspectionId(history.job_id) : history.inspection_id;
  if (current != letter_id) return NothingWaits(letter_id, "is of an inspection that was taken up again before");
  v1::EvaluationReplayed replayed;
  replayed.set_letter_id(letter_id);
  replayed.set_assignment_id(ReplayId(InspectionId(history.job_id), history.replays + 1));
  return replayed;
}

}  // namespace

absl::StatusOr<v1::EvaluationReplayed> ReplayOf(const std::string& letter_id, const JobHistory& history) {
  const std::string extend = absl::StrCat("`kernelsmith extend ", history.job_id, " --rounds 1` gives the job a round");
  if (!history.ended) {
    return NothingWaits(letter_id, absl::StrCat("is of job ", history.job_id, ", which goes on without it"));
  }
  if (history.ended->state() != v1::FAILED) {
    return NothingWaits(
        letter_id,
        absl::StrCat("is of job ", history.job_id, ", which ended as ", v1::JobState_Name(history.ended->state()),
                     history.ended->state() == v1::CANCELLED ? "; submit it anew" : "; " + extend));
  }
  if (!history.task) return ReplayOfInspection(letter_id, history);
  if (!InfrastructureEnding(history)) {
    return NothingWaits(letter_id, absl::StrCat("is of job ", history.job_id,
                                                ", which failed for another reason: ", history.ended->reason()));
  }
  const RoundState& last = history.rounds.back();
  if (last.assignment_id != letter_id) {
    return NothingWaits(letter_id, absl::StrCat("is of an earlier round of job ", history.job_id,
                                                "; replay that of its last round: ", last.assignment_id));
  }
  v1::EvaluationReplayed replayed;
  replayed.set_round(last.number());
  replayed.set_letter_id(letter_id);
  replayed.set_assignment_id(ReplayId(EvaluationId(last.started.attempt_id()), history.replays + 1));
  *replayed.mutable_candidate() = last.proposed->candidate();
  return replayed;
}

}  // namespace kernelsmith::server
