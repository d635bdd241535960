#include "server/api/dead_letter_calls.h"

#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/logging.h"
#include "common/status.h"
#include "server/synthesis/job_log.h"
#include "server/synthesis/replay_rules.h"

namespace kernelsmith::server {
namespace {

constexpr int kDefaultPageSize = 50;
constexpr int kMaxPageSize = 500;

// Where a letter stands in the list, newest first.
using Place = std::pair<int64_t, std::string>;

Place PlaceOf(const v1::DeadLetter& letter) { return {-letter.at_unix_us(), letter.id()}; }

// A token is the place of the first letter of its page.
std::string TokenOf(const v1::DeadLetter& letter) {
  return absl::BytesToHexString(absl::StrCat(letter.at_unix_us(), " ", letter.id()));
}

absl::StatusOr<Place> PlaceOf(const std::string& token) {
  if (token.empty()) return Place{INT64_MIN, ""};
  const absl::Status malformed = common::InvalidField("page_token", "is not one that ListDeadLetters returned");
  if (token.size() % 2 != 0) return malformed;
  for (const char c : token) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return malformed;
  }
  const std::vector<std::string> parts = absl::StrSplit(absl::HexStringToBytes(token), absl::MaxSplits(' ', 1));
  int64_t at = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &at)) return malformed;
  return Place{-at, parts[1]};
}

}  // namespace

absl::StatusOr<v1::ListDeadLettersResponse> DeadLetterCalls::List(const std::string& team,
                                                                  const v1::ListDeadLettersRequest& request) const {
  if (request.page_size() < 0 || request.page_size() > kMaxPageSize) {
    return common::InvalidField("page_size",
                                absl::StrCat("is ", request.page_size(), "; give 1 to ", kMaxPageSize, ", or 0"));
  }
  const int page_size = request.page_size() == 0 ? kDefaultPageSize : request.page_size();
  ASSIGN_OR_RETURN(const Place first, PlaceOf(request.page_token()));
  ASSIGN_OR_RETURN(std::vector<v1::DeadLetter> letters, queue_.DeadLetters());
  v1::ListDeadLettersResponse response;
  for (v1::DeadLetter& letter : letters) {
    if (letter.team() != team || PlaceOf(letter) < first) continue;
    if (response.letters_size() == page_size) {
      response.set_next_page_token(TokenOf(letter));
      break;
    }
    *response.add_letters() = std::move(letter);
  }
  return response;
}

absl::StatusOr<v1::DeadLetter> DeadLetterCalls::Find(const std::string& team, const std::string& id) const {
  ASSIGN_OR_RETURN(std::vector<v1::DeadLetter> letters, queue_.DeadLetters());
  for (v1::DeadLetter& letter : letters) {
    if (letter.id() == id && letter.team() == team) return std::move(letter);
  }
  return absl::NotFoundError(absl::StrCat(
      "no dead letter '", id, "'; `kernelsmith dead-letters` lists them, and one that was replayed is gone"));
}

absl::StatusOr<v1::ReplayDeadLetterResponse> DeadLetterCalls::Replay(const std::string& team,
                                                                     const v1::ReplayDeadLetterRequest& request) {
  const std::string& id = request.id();
  if (id.empty()) return common::InvalidField("id", "is empty; `kernelsmith dead-letters` lists them");
  const KeyClaims::Claim claim(replaying_, id);
  ASSIGN_OR_RETURN(const v1::DeadLetter letter, Find(team, id));
  if (letter.job_id().empty()) {
    return common::BadState("DEAD_LETTER", id,
                            "is of a direct Evaluate or Compare, whose caller has gone; call it again with "
                            "`kernelsmith eval` or `kernelsmith compare`");
  }
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store_, letter.job_id()));
  ASSIGN_OR_RETURN(const JobHistory history, FoldAll(events));
  if (!history.replayed_letters.contains(id)) {
    v1::JobEvent event;
    ASSIGN_OR_RETURN(*event.mutable_evaluation_replayed(), ReplayOf(id, history));
    RETURN_IF_ERROR(intake_.CheckDisk());
    RETURN_IF_ERROR(store_.Append(letter.job_id(), event).status());
    common::LogInfo("job.replayed", {{"job", letter.job_id()}, {"team", team}, {"letter", id}});
  }
  RETURN_IF_ERROR(queue_.RemoveDeadLetter(id));
  v1::ReplayDeadLetterResponse response;
  ASSIGN_OR_RETURN(*response.mutable_job(), store_.Get(team, letter.job_id()));
  if (!HasEnded(response.job().state())) runner_.Enqueue(response.job());
  return response;
}

}  // namespace kernelsmith::server
