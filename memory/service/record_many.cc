// RecordAttempts.
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/grpc/errors.h"
#include "common/status.h"
#include "memory/service/experience.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {
namespace {

constexpr int kMostAttempts = 1000;

// Answers once the last outcome is in.
class Outcomes {
 public:
  Outcomes(int attempts, std::function<void(absl::StatusOr<v1::RecordAttemptsResponse>)> done)
      : left_(attempts), done_(std::move(done)) {
    for (int i = 0; i < attempts; ++i) response_.add_outcomes();
  }

  // Each place once, from any thread.
  void Set(int place, absl::StatusOr<v1::RecordAttemptResponse> outcome) {
    v1::RecordAttemptsResponse::Outcome& mine = *response_.mutable_outcomes(place);
    if (outcome.ok()) {
      *mine.mutable_recorded() = *std::move(outcome);
    } else {
      *mine.mutable_status() = common::ToMessage(outcome.status());
    }
    if (left_.fetch_sub(1) == 1) done_(std::move(response_));
  }

 private:
  v1::RecordAttemptsResponse response_;
  std::atomic<int> left_;
  const std::function<void(absl::StatusOr<v1::RecordAttemptsResponse>)> done_;
};

}  // namespace

void Experience::StartRecordAttempts(const std::string& team, const v1::RecordAttemptsRequest& request,
                                     std::function<void(absl::StatusOr<v1::RecordAttemptsResponse>)> done) {
  const int count = request.attempts_size();
  if (count == 0 || count > kMostAttempts) {
    return done(common::InvalidField("attempts", absl::StrCat("has ", count, " attempts; send 1 to ", kMostAttempts)));
  }
  if (const absl::Status opened = OpenTeam(team); !opened.ok()) return done(opened);
  RefreshGauges();
  const auto outcomes = std::make_shared<Outcomes>(count, std::move(done));
  std::set<std::pair<absl::string_view, absl::string_view>> earlier;  // producer and attempt of this call
  std::vector<Fact> facts;
  std::vector<int> places;  // of the facts
  for (int i = 0; i < count; ++i) {
    const v1::RecordAttemptRequest& attempt = request.attempts(i);
    absl::Status status = CheckAttempt(attempt);
    if (status.ok() && !earlier.contains({attempt.producer(), attempt.prev_attempt_id()})) {
      status = CheckPredecessor(team, attempt);
    }
    if (!status.ok()) {
      outcomes->Set(i, status);
      continue;
    }
    earlier.emplace(attempt.producer(), attempt.attempt_id());
    facts.push_back(AttemptFact(team, attempt));
    places.push_back(i);
  }
  queue_.StartAll(std::move(facts), [this, team, &request, places, outcomes](size_t fact, AppendResult result) {
    const v1::RecordAttemptRequest& attempt = request.attempts(places[fact]);
    if (!result.status.ok()) return outcomes->Set(places[fact], result.status);
    outcomes->Set(places[fact], AttemptResponse(team, attempt.producer(), attempt.attempt_id(), result));
  });
}

}  // namespace kernelsmith::memory
