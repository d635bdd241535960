#include "tests/memory/faults/random_events.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "common/status.h"
#include "tests/bench/memory/corpus/corpus.h"
#include "tests/bench/memory/corpus/queries.h"
#include "tests/bench/memory/load/admin.h"
#include "tests/memory/faults/memory_process.h"

namespace kernelsmith::memory::testing {
namespace {

using bench::Corpus;
using bench::Random;
using Stub = v1::ExperienceMemory::Stub;

constexpr int kClients = 4;
constexpr const char* kTeams[] = {"red", "blue"};
constexpr const char* kMarkers[] = {"zqredonlyqz", "zqblueonlyqz"};  // a word in every text of the team

// One client: a producer of one team. Producers and attempt ids of both teams are the same on purpose.
class Client {
 public:
  Client(int number, common::Connection connection, const Corpus& corpus, int64_t seed)
      : team_(number % 2),
        producer_(absl::StrCat("producer-", number / 2)),
        connection_(std::move(connection)),
        stub_(v1::ExperienceMemory::NewStub(connection_.channel())),
        corpus_(corpus),
        random_(static_cast<uint64_t>(seed), 77, static_cast<uint64_t>(number)) {}

  // One call that writes.
  void Act() {
    const double kind = random_.Unit();
    if (kind < 0.60 || attempts_.empty()) return Record();
    if (kind < 0.74) return Assemble();
    if (kind < 0.84) return Adopt();
    if (kind < 0.90) return Complete();
    if (kind < 0.94) return RecordRule();
    if (kind < 0.96) return Supersede();
    if (kind < 0.98) return Retire();
    return Share();
  }

  // Finds nothing of the other team.
  void CheckSeparation() {
    v1::RetrieveRequest request;
    request.set_query(kMarkers[1 - team_]);
    request.set_limit(200);
    request.mutable_policy()->set_preset("static_rag");
    const auto found = Call(&Stub::Retrieve, request);
    if (!found.ok()) return;
    for (const v1::RankedItem& item : found->items()) {
      if (item.item().has_provenance()) continue;  // the other team promoted it
      if (item.item().author().team() == kTeams[1 - team_] ||
          item.item().text().find(kMarkers[1 - team_]) != std::string::npos) {
        damage_.push_back(absl::StrCat(kTeams[team_], " sees ", item.item().id(), " of the other team"));
      }
    }
  }

  int64_t accepted() const { return accepted_; }
  int64_t refused() const { return refused_; }
  const std::vector<std::string>& damage() const { return damage_; }

 private:
  struct Pending {
    std::string retrieval_id;
    std::vector<std::string> items;
  };

  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request) {
    const auto context = connection_.Context(absl::Seconds(60));
    Response response;
    const absl::Status status = common::FromGrpc((stub_.get()->*method)(context.get(), request, &response));
    if (status.ok()) {
      ++accepted_;
      return response;
    }
    ++refused_;
    if (!absl::IsFailedPrecondition(status) && !absl::IsNotFound(status) && !absl::IsAlreadyExists(status) &&
        !absl::IsInvalidArgument(status)) {
      damage_.push_back(absl::StrCat(kTeams[team_], ": ", status.ToString()));
    }
    return status;
  }

  std::string NewId() { return absl::StrCat("event-", ++made_); }
  template <typename Values>
  auto& Any(Values& values) {
    return values[random_.Below(values.size())];
  }

  void Record() {
    v1::RecordAttemptRequest request = corpus_.Attempt(static_cast<int64_t>(random_.Below(1'000'000)));
    request.set_producer(producer_);
    request.set_attempt_id(NewId());
    request.clear_prev_attempt_id();
    if (!attempts_.empty() && random_.Chance(0.7)) request.set_prev_attempt_id(Any(attempts_));
    absl::StrAppend(request.mutable_case_()->mutable_feedback(), " ", kMarkers[team_]);
    absl::StrAppend(request.mutable_journal()->mutable_change(), " ", kMarkers[team_]);
    const auto answer = Call(&Stub::RecordAttempt, request);
    if (!answer.ok()) return;
    attempts_.push_back(request.attempt_id());
    items_.push_back(answer->case_item_id());
    if (random_.Chance(0.05)) {  // a repeat is known
      const auto again = Call(&Stub::RecordAttempt, request);
      if (!again.ok() || !again->duplicate() || again->sequence() != answer->sequence()) {
        damage_.push_back(absl::StrCat(kTeams[team_], ": a repeat of ", request.attempt_id(), " was taken as new"));
      }
    }
  }

  void Assemble() {
    v1::AssembleContextRequest request =
        bench::MakeContext(corpus_, 1'000'000, static_cast<int64_t>(random_.Below(1'000'000)));
    request.set_producer(producer_);
    request.set_attempt_id(NewId());
    request.set_stage(random_.Chance(0.5) ? v1::DRAFTING : v1::REFINING);
    constexpr const char* kPresets[] = {"combined", "sage", "kope", "evokernel", "memrl", "value_memory"};
    request.mutable_policy()->set_preset(random_.Pick(kPresets));
    const auto answer = Call(&Stub::AssembleContext, request);
    if (!answer.ok()) return;
    Pending pending{.retrieval_id = answer->retrieval_id(), .items = {}};
    for (const v1::RankedItem& item : answer->items()) pending.items.push_back(item.item().id());
    asked_.push_back(std::move(pending));
  }

  void Adopt() {
    if (asked_.empty()) return Assemble();
    Pending pending = std::move(asked_.back());
    asked_.pop_back();
    if (!pending.items.empty()) {
      v1::RecordAdoptionRequest request;
      request.set_retrieval_id(pending.retrieval_id);
      for (const std::string& item : pending.items) {
        v1::AdoptionRecord& record = *request.add_records();
        record.set_item_id(item);
        record.set_state(random_.Chance(0.4) ? v1::ADOPTED : v1::NOT_ADOPTED);
        record.set_reason("by chance");
      }
      if (!Call(&Stub::RecordAdoption, request).ok()) return;
    }
    adopted_.push_back(std::move(pending));
  }

  void Complete() {
    if (adopted_.empty()) return Adopt();
    v1::CompleteStageRequest request;
    request.set_producer(producer_);
    request.set_stage_id(NewId());
    request.set_stage(random_.Chance(0.5) ? v1::DRAFTING : v1::REFINING);
    const v1::RecordAttemptRequest subject = corpus_.Attempt(static_cast<int64_t>(random_.Below(1'000'000)));
    request.set_operator_name(subject.case_().operator_name());
    request.set_task_hash("task");
    *request.mutable_target() = subject.target();
    for (int i = 0; i < 3 && !adopted_.empty(); ++i) {
      request.add_retrieval_ids(adopted_.back().retrieval_id);
      adopted_.pop_back();
    }
    request.set_passed(random_.Chance(0.6));
    if (request.passed() && request.stage() == v1::REFINING) {
      request.set_first_us(1000);
      request.set_best_us(1000 * (0.2 + 0.8 * random_.Unit()));
    }
    Call(&Stub::CompleteStage, request).IgnoreError();
  }

  void RecordRule() {
    v1::RecordItemRequest request;
    request.set_producer(producer_);
    request.set_item_key(NewId());
    v1::ItemContent& content = *request.mutable_content();
    content.set_kind(random_.Chance(0.5) ? v1::RULE : v1::INSIGHT);
    content.set_title(absl::StrCat("rule ", made_));
    content.set_text(absl::StrCat(
        corpus_.vocabulary().Sentence(bench::Language::kEnglish, content.title(), random_), " ",
        corpus_.vocabulary().Sentence(bench::Language::kChinese, content.title(), random_), " ", kMarkers[team_]));
    const auto answer = Call(&Stub::RecordItem, request);
    if (answer.ok() && !answer->item_id().empty()) items_.push_back(answer->item_id());
  }

  void Supersede() {
    v1::SupersedeRequest request;
    request.set_old_item_id(Any(items_));
    request.set_new_item_id(Any(items_));
    request.set_reason("newer");
    Call(&Stub::Supersede, request).IgnoreError();
  }

  void Retire() {
    v1::RetireRequest request;
    request.set_item_id(Any(items_));
    request.set_reason("wrong");
    Call(&Stub::Retire, request).IgnoreError();
  }

  void Share() {
    if (!shared_.empty() && random_.Chance(0.4)) {
      v1::RevokeRequest request;
      request.set_shared_item_id(Any(shared_));
      request.set_reason("withdrawn");
      Call(&Stub::Revoke, request).IgnoreError();
      return;
    }
    v1::PromoteRequest request;
    request.set_item_id(Any(items_));
    if (random_.Chance(0.5)) request.add_teams(kTeams[1 - team_]);
    request.set_reason("useful");
    const auto answer = Call(&Stub::Promote, request);
    if (answer.ok()) shared_.push_back(answer->shared_item_id());
  }

  const int team_;
  const std::string producer_;
  const common::Connection connection_;
  const std::unique_ptr<Stub> stub_;
  const Corpus& corpus_;
  Random random_;
  int64_t made_ = 0;
  std::vector<std::string> attempts_;
  std::vector<std::string> items_;
  std::vector<std::string> shared_;
  std::vector<Pending> asked_;
  std::vector<Pending> adopted_;
  int64_t accepted_ = 0;
  int64_t refused_ = 0;
  std::vector<std::string> damage_;
};

}  // namespace

absl::StatusOr<EventOutcome> RunRandomEvents(const EventOptions& options) {
  ASSIGN_OR_RETURN(const TwoTeams teams, TwoTeams::Make(options.data));
  MemoryProcess server({.program = options.program,
                        .data = options.data,
                        .config = absl::StrCat(teams.config, "seal_after_items: 2000\n"),
                        .patience = absl::Minutes(10)});
  RETURN_IF_ERROR(server.Start());
  const Corpus corpus({.seed = static_cast<uint64_t>(options.seed)});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < kClients; ++i) {
    ASSIGN_OR_RETURN(common::Connection connection, server.Open(teams.token_file[i % 2]));
    clients.push_back(std::make_unique<Client>(i, std::move(connection), corpus, options.seed));
  }
  std::vector<std::thread> threads;
  for (const auto& client : clients) {
    threads.emplace_back([&options, acting = client.get()] {
      for (int64_t i = 0; i < options.events / kClients; ++i) acting->Act();
      acting->CheckSeparation();
    });
  }
  for (std::thread& thread : threads) thread.join();

  EventOutcome outcome;
  for (const auto& client : clients) {
    outcome.accepted += client->accepted();
    outcome.refused += client->refused();
    outcome.damage.insert(outcome.damage.end(), client->damage().begin(), client->damage().end());
  }
  for (bool* equal : {&outcome.equal, &outcome.equal_after_kill}) {
    if (equal == &outcome.equal_after_kill) {
      server.Kill();
      RETURN_IF_ERROR(server.Start());
    }
    ASSIGN_OR_RETURN(const common::Connection connection, server.Open(teams.admin_token_file));
    ASSIGN_OR_RETURN(const v1::VerifyProgress verified, bench::Verify(connection));
    *equal = verified.equal();
    outcome.damage.insert(outcome.damage.end(), verified.differences().begin(), verified.differences().end());
  }
  return outcome;
}

}  // namespace kernelsmith::memory::testing
