#include "tests/memory/faults/crash_scenario.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/grpc/errors.h"
#include "common/status.h"
#include "memory/graph/item_ids.h"
#include "tests/bench/memory/corpus/corpus.h"
#include "tests/bench/memory/load/admin.h"
#include "tests/bench/memory/load/closed_loop.h"
#include "tests/bench/memory/load/fill.h"
#include "tests/memory/faults/memory_process.h"

namespace kernelsmith::memory::testing {
namespace {

using bench::Corpus;
using bench::Random;
using Stub = v1::ExperienceMemory::Stub;

constexpr char kTeam[] = "local";
constexpr char kCrashProducer[] = "crash";
constexpr int kWriters = 4;
constexpr int kWindow = 8;
constexpr absl::Duration kCatchUp = absl::Seconds(60);  // of the search index behind a start

// A word that the tokenizer keeps whole and that no other text holds: letters only, of one case.
std::string Marker(char kind, int64_t number) {
  std::string word = absl::StrCat("zq", std::string(1, kind));
  for (; number > 0; number /= 20) word += "bcdfghjklmnpqrstvwxz"[number % 20];
  return word + "qz";
}

struct Sent {
  std::string attempt_id;
  int64_t number = 0;
  bool acknowledged = false;
};

class Scenario {
 public:
  explicit Scenario(const CrashOptions& options)
      : options_(options),
        corpus_({.seed = 1}),
        random_(static_cast<uint64_t>(options.seed)),
        run_(absl::StrCat(absl::ToUnixMicros(absl::Now()))),
        first_number_(absl::ToUnixMicros(absl::Now())),
        server_({.program = options.program,
                 .data = options.data,
                 .config = absl::StrCat("seal_after_items: ", options.seal_after),
                 .patience = absl::Minutes(10)}) {}

  absl::StatusOr<CrashOutcome> Run() {
    RETURN_IF_ERROR(FillStore());
    for (int i = 0; i < options_.kills; ++i) {
      RETURN_IF_ERROR(WriteAndKill(i));
      if (random_.Chance(0.2)) RETURN_IF_ERROR(KillWhileStarting());
      RETURN_IF_ERROR(server_.Start());
      const int64_t unknown = static_cast<int64_t>(sent_.size() - round_first_) - round_acknowledged_;
      ASSIGN_OR_RETURN(const int64_t absent, Check(round_first_));
      outcome_.in_flight += unknown;
      outcome_.in_flight_stored += unknown - absent;
      round_first_ = sent_.size();
      options_.tell(absl::StrCat("kill ", i + 1, ": ", outcome_.acknowledged, " acknowledged, ", outcome_.in_flight,
                                 " in flight, ", outcome_.damage.size(), " damaged"));
    }
    RETURN_IF_ERROR(Check(0).status());
    RETURN_IF_ERROR(CheckRepeat());
    RETURN_IF_ERROR(Verify());
    return outcome_;
  }

 private:
  absl::Status FillStore() {
    RETURN_IF_ERROR(server_.Start());
    ASSIGN_OR_RETURN(const common::Connection connection, server_.Open());
    ASSIGN_OR_RETURN(const v1::StatsResponse stats, bench::Stats(connection));
    if (stats.attempts() >= options_.attempts) return absl::OkStatus();
    return bench::Fill(corpus_, {.address = server_.address(), .last = options_.attempts, .writers = 8, .window = 4})
        .status();
  }

  v1::RecordAttemptRequest MakeRequest(const Sent& sent) {
    v1::RecordAttemptRequest request = corpus_.Attempt(sent.number % 1'000'000);
    request.set_producer(kCrashProducer);
    request.set_attempt_id(sent.attempt_id);
    request.clear_prev_attempt_id();
    if (!acknowledged_.empty() && sent.number % 2 == 0) {
      request.set_prev_attempt_id(acknowledged_[static_cast<size_t>(sent.number) % acknowledged_.size()]);
    }
    absl::StrAppend(request.mutable_case_()->mutable_feedback(), " ", Marker('c', sent.number));
    absl::StrAppend(request.mutable_journal()->mutable_validation(), " ", Marker('j', sent.number));
    return request;
  }

  // Writes until enough is acknowledged, kills in the middle of it, and notes what was in flight.
  absl::Status WriteAndKill(int round) {
    const int64_t enough = 1 + static_cast<int64_t>(random_.Below(200));
    std::deque<std::string> requests;  // stay where they are
    std::unordered_map<const std::string*, size_t> places;
    std::atomic<int64_t> acknowledged = 0;
    std::atomic<bool> killed = false;
    std::thread sealer;
    if (round % 3 == 0) {
      sealer = std::thread([stub = server_.Connect()] {
        grpc::ClientContext context;
        v1::SealIndexResponse sealed;
        stub->SealIndex(&context, {}, &sealed);  // the kill may end it
      });
    }
    std::thread killer([&] {
      const absl::Time deadline = absl::Now() + absl::Seconds(60);
      while (acknowledged < enough && absl::Now() < deadline) absl::SleepFor(absl::Microseconds(200));
      server_.Kill();
      killed = true;
    });
    absl::Status refused;
    bench::RunClosedLoop(
        {.address = server_.address(), .method = bench::kRecordAttempt, .connections = kWriters, .window = kWindow},
        [&](int) -> const std::string* {
          if (killed || !refused.ok()) return nullptr;
          const int64_t number = first_number_ + static_cast<int64_t>(sent_.size());
          sent_.push_back({.attempt_id = absl::StrCat("k", run_, "-", sent_.size()), .number = number});
          requests.push_back(MakeRequest(sent_.back()).SerializeAsString());
          places[&requests.back()] = sent_.size() - 1;
          return &requests.back();
        },
        [&](const bench::Reply& reply) {
          Sent& sent = sent_[places.at(reply.request)];
          sent.acknowledged = reply.status.ok();
          if (reply.status.ok()) {
            ++acknowledged;
            fresh_.push_back(sent.attempt_id);
          } else if (!absl::IsUnavailable(reply.status) && !absl::IsCancelled(reply.status)) {
            refused.Update(reply.status);
          }
        });
    killer.join();
    if (sealer.joinable()) sealer.join();
    RETURN_IF_ERROR(refused);
    acknowledged_.insert(acknowledged_.end(), fresh_.begin(), fresh_.end());
    fresh_.clear();
    ++outcome_.kills;
    outcome_.acknowledged += acknowledged;
    round_acknowledged_ = acknowledged;
    return absl::OkStatus();
  }

  absl::Status KillWhileStarting() {
    RETURN_IF_ERROR(server_.Launch());
    absl::SleepFor(absl::Milliseconds(random_.Below(60)));
    server_.Kill();
    ++outcome_.kills_while_starting;
    return absl::OkStatus();
  }

  absl::StatusOr<bool> IsStored(Stub& stub, const std::string& id) {
    grpc::ClientContext context;
    v1::GetItemRequest request;
    request.set_item_id(id);
    v1::GetItemResponse response;
    const absl::Status status = common::FromGrpc(stub.GetItem(&context, request, &response));
    if (absl::IsNotFound(status)) return false;
    RETURN_IF_ERROR(status);
    return response.item().id() == id;
  }

  // By its word. The index catches up with the log behind a start, so what is stored is asked for until then.
  absl::StatusOr<bool> IsFound(Stub& stub, const std::string& id, const std::string& marker, bool stored) {
    const absl::Time deadline = absl::Now() + (stored && outcome_.damage.empty() ? kCatchUp : absl::ZeroDuration());
    while (true) {
      ASSIGN_OR_RETURN(const bool found, Finds(stub, id, marker));
      if (found || absl::Now() >= deadline) return found;
      absl::SleepFor(absl::Milliseconds(5));
    }
  }

  absl::StatusOr<bool> Finds(Stub& stub, const std::string& id, const std::string& marker) {
    grpc::ClientContext context;
    v1::RetrieveRequest request;
    request.set_query(marker);
    request.mutable_policy()->set_preset("static_rag");
    request.set_brief(true);
    v1::RetrieveResponse response;
    RETURN_IF_ERROR(common::FromGrpc(stub.Retrieve(&context, request, &response)));
    return std::any_of(response.items().begin(), response.items().end(),
                       [&](const v1::RankedItem& item) { return item.item().id() == id; });
  }

  // What was sent from place `first` on is whole, or, if it was not acknowledged, not there at all. How many are not.
  absl::StatusOr<int64_t> Check(size_t first) {
    const auto stub = server_.Connect();
    int64_t absent = 0;
    for (size_t i = first; i < sent_.size(); ++i) {
      const Sent& sent = sent_[i];
      const std::string ids[] = {CaseItemId(kTeam, kCrashProducer, sent.attempt_id),
                                 JournalItemId(kTeam, kCrashProducer, sent.attempt_id)};
      int there = 0;
      std::string seen;
      for (const int half : {0, 1}) {
        ASSIGN_OR_RETURN(const bool stored, IsStored(*stub, ids[half]));
        ASSIGN_OR_RETURN(const bool found,
                         IsFound(*stub, ids[half], Marker(half == 0 ? 'c' : 'j', sent.number), stored));
        there += (stored ? 1 : 0) + (found ? 1 : 0);
        absl::StrAppend(&seen, half == 0 ? "case" : ", journal", stored ? " stored" : " lost",
                        found ? " and found" : " and not found");
      }
      if (there != 4 && (sent.acknowledged || there != 0)) {
        outcome_.damage.push_back(
            absl::StrCat(sent.attempt_id, sent.acknowledged ? ", acknowledged: " : ", in flight: ", seen));
      }
      absent += there == 0 && !sent.acknowledged ? 1 : 0;
    }
    return absent;
  }

  // The id of an acknowledged record is taken.
  absl::Status CheckRepeat() {
    const auto acknowledged =
        std::find_if(sent_.begin(), sent_.end(), [](const Sent& sent) { return sent.acknowledged; });
    if (acknowledged == sent_.end()) return absl::OkStatus();
    v1::RecordAttemptRequest other = corpus_.Attempt(0);
    other.set_producer(kCrashProducer);
    other.set_attempt_id(acknowledged->attempt_id);
    other.clear_prev_attempt_id();
    grpc::ClientContext context;
    v1::RecordAttemptResponse response;
    const grpc::Status status = server_.Connect()->RecordAttempt(&context, other, &response);
    if (status.error_code() != grpc::StatusCode::ALREADY_EXISTS) {
      outcome_.damage.push_back(absl::StrCat(acknowledged->attempt_id, ": its id was free again"));
    }
    return absl::OkStatus();
  }

  absl::Status Verify() {
    ASSIGN_OR_RETURN(const common::Connection connection, server_.Open());
    ASSIGN_OR_RETURN(const v1::VerifyProgress verified, bench::Verify(connection));
    outcome_.equal = verified.equal();
    outcome_.damage.insert(outcome_.damage.end(), verified.differences().begin(), verified.differences().end());
    return absl::OkStatus();
  }

  const CrashOptions& options_;
  const Corpus corpus_;
  Random random_;
  const std::string run_;  // keeps the ids of several runs on one store apart
  const int64_t first_number_;
  MemoryProcess server_;
  std::vector<Sent> sent_;
  size_t round_first_ = 0;                 // what was sent since the last kill
  int64_t round_acknowledged_ = 0;         // of that
  std::vector<std::string> acknowledged_;  // before the last kill
  std::vector<std::string> fresh_;         // since
  CrashOutcome outcome_;
};

}  // namespace

absl::StatusOr<CrashOutcome> RunCrashScenario(const CrashOptions& options) { return Scenario(options).Run(); }

}  // namespace kernelsmith::memory::testing
