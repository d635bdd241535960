// Two clients of the running server at the same key, the same stage, and the same ids in two teams.
#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/grpc/errors.h"
#include "tests/bench/memory/load/admin.h"
#include "tests/memory/faults/memory_process.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory::testing {
namespace {

using Stub = v1::ExperienceMemory::Stub;

constexpr int kRounds = 60;

template <typename Request, typename Response>
absl::StatusOr<Response> Call(const common::Connection& connection, Stub& stub,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                              const Request& request) {
  const auto context = connection.Context(absl::Seconds(30));
  Response response;
  const absl::Status status = common::FromGrpc((stub.*method)(context.get(), request, &response));
  if (!status.ok()) return status;
  return response;
}

class MemoryRaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto teams = TwoTeams::Make(data_);
    ASSERT_TRUE(teams.ok()) << teams.status();
    teams_ = *teams;
    server_ = std::make_unique<MemoryProcess>(MemoryProcess::Options{
        .program = absl::StrCat(KERNELSMITH_BIN_DIR, "/kernelsmith-memory"), .data = data_, .config = teams_.config});
    ASSERT_TRUE(server_->Start().ok());
  }

  // A racer's own connection to the server.
  struct Racer {
    common::Connection connection;
    std::unique_ptr<Stub> stub;
  };
  Racer MakeRacer(int team) {
    auto connection = server_->Open(teams_.token_file[team]);
    EXPECT_TRUE(connection.ok()) << connection.status();
    auto stub = v1::ExperienceMemory::NewStub(connection->channel());
    return {.connection = *std::move(connection), .stub = std::move(stub)};
  }

  // Both act at the same moment.
  template <typename First, typename Second>
  static void Race(const First& first, const Second& second) {
    std::barrier start(2);
    std::thread other([&] {
      start.arrive_and_wait();
      second();
    });
    start.arrive_and_wait();
    first();
    other.join();
  }

  void ExpectVerified() {
    const auto connection = server_->Open(teams_.admin_token_file);
    ASSERT_TRUE(connection.ok());
    const auto verified = bench::Verify(*connection);
    ASSERT_TRUE(verified.ok()) << verified.status();
    EXPECT_TRUE(verified->equal()) << verified->ShortDebugString();
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("memory-race");
  const std::string data_ = absl::StrCat(folder_.path(), "/data");
  TwoTeams teams_;
  std::unique_ptr<MemoryProcess> server_;
};

TEST_F(MemoryRaceTest, OneOfTwoContentsUnderOneKeyWinsAndTheOtherIsTold) {
  const Racer racers[] = {MakeRacer(0), MakeRacer(0)};
  for (int round = 0; round < kRounds; ++round) {
    absl::StatusOr<v1::RecordAttemptResponse> answers[2];
    const auto record = [&](int i) {
      v1::RecordAttemptRequest request = Attempt(absl::StrCat("raced-", round));
      request.mutable_case_()->set_hypothesis(absl::StrCat("of racer ", i));
      answers[i] = Call(racers[i].connection, *racers[i].stub, &Stub::RecordAttempt, request);
    };
    Race([&] { record(0); }, [&] { record(1); });
    const int winner = answers[0].ok() ? 0 : 1;
    ASSERT_TRUE(answers[winner].ok()) << answers[winner].status();
    EXPECT_TRUE(absl::IsAlreadyExists(answers[1 - winner].status())) << answers[1 - winner].status();
    v1::GetItemRequest get;
    get.set_item_id(answers[winner]->case_item_id());
    const auto item = Call(racers[0].connection, *racers[0].stub, &Stub::GetItem, get);
    ASSERT_TRUE(item.ok()) << item.status();
    EXPECT_EQ(item->item().case_().hypothesis(), absl::StrCat("of racer ", winner));
  }
  ExpectVerified();
}

TEST_F(MemoryRaceTest, TheSameContentUnderOneKeyIsStoredOnce) {
  const Racer racers[] = {MakeRacer(0), MakeRacer(0)};
  for (int round = 0; round < kRounds; ++round) {
    absl::StatusOr<v1::RecordAttemptResponse> answers[2];
    const auto record = [&](int i) {
      answers[i] =
          Call(racers[i].connection, *racers[i].stub, &Stub::RecordAttempt, Attempt(absl::StrCat("same-", round)));
    };
    Race([&] { record(0); }, [&] { record(1); });
    for (const auto& answer : answers) ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_NE(answers[0]->duplicate(), answers[1]->duplicate());
    EXPECT_EQ(answers[0]->sequence(), answers[1]->sequence());
  }
  const auto stats = Call(racers[0].connection, *racers[0].stub, &Stub::Stats, v1::StatsRequest());
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats->attempts(), kRounds);
  ExpectVerified();
}

TEST_F(MemoryRaceTest, OneStageThatTwoClientsCompleteMovesEachUtilityOnce) {
  const Racer racers[] = {MakeRacer(0), MakeRacer(0)};
  ASSERT_TRUE(Call(racers[0].connection, *racers[0].stub, &Stub::RecordAttempt, Attempt("seed")).ok());
  for (int round = 0; round < kRounds / 4; ++round) {
    const auto context =
        Call(racers[0].connection, *racers[0].stub, &Stub::AssembleContext, Context(absl::StrCat("staged-", round)));
    ASSERT_TRUE(context.ok()) << context.status();
    ASSERT_GT(context->items_size(), 0);
    ASSERT_TRUE(Call(racers[0].connection, *racers[0].stub, &Stub::RecordAdoption, Adoption(*context, 1)).ok());
    absl::StatusOr<v1::CompleteStageResponse> answers[2];
    const auto complete = [&](int i) {
      answers[i] = Call(racers[i].connection, *racers[i].stub, &Stub::CompleteStage,
                        FinishedStage(absl::StrCat("stage-", round), {context->retrieval_id()}));
    };
    Race([&] { complete(0); }, [&] { complete(1); });
    for (const auto& answer : answers) ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_NE(answers[0]->duplicate(), answers[1]->duplicate());
    EXPECT_EQ(answers[0]->sequence(), answers[1]->sequence());
    EXPECT_EQ(answers[0]->z(), answers[1]->z());
    const std::string adopted = context->items(0).item().id();
    v1::GetItemRequest get;
    get.set_item_id(adopted);
    const auto item = Call(racers[0].connection, *racers[0].stub, &Stub::GetItem, get);
    ASSERT_TRUE(item.ok());
    EXPECT_EQ(item->item().values().n_retrieved(), round + 1);
  }
  ExpectVerified();
}

TEST_F(MemoryRaceTest, TwoTeamsWithTheSameIdsNeverMix) {
  const Racer racers[] = {MakeRacer(0), MakeRacer(1)};
  std::set<std::string> ids[2];
  for (int round = 0; round < kRounds; ++round) {
    absl::StatusOr<v1::RecordAttemptResponse> answers[2];
    const auto record = [&](int i) {
      v1::RecordAttemptRequest request = Attempt(absl::StrCat("shared-id-", round));
      request.mutable_case_()->set_hypothesis(i == 0 ? "zqredqz" : "zqblueqz");
      answers[i] = Call(racers[i].connection, *racers[i].stub, &Stub::RecordAttempt, request);
    };
    Race([&] { record(0); }, [&] { record(1); });
    for (const int i : {0, 1}) {
      ASSERT_TRUE(answers[i].ok()) << answers[i].status();
      EXPECT_FALSE(answers[i]->duplicate());
      ids[i].insert(answers[i]->case_item_id());
    }
  }
  for (const int i : {0, 1}) {
    v1::RetrieveRequest request;
    request.set_query(i == 0 ? "zqblueqz" : "zqredqz");
    request.set_limit(200);
    const auto found = Call(racers[i].connection, *racers[i].stub, &Stub::Retrieve, request);
    ASSERT_TRUE(found.ok()) << found.status();
    for (const v1::RankedItem& ranked : found->items()) {
      EXPECT_EQ(ranked.item().case_().hypothesis().find(request.query()), std::string::npos) << ranked.item().id();
    }
    for (const std::string& id : ids[1 - i]) {
      v1::GetItemRequest get;
      get.set_item_id(id);
      EXPECT_TRUE(absl::IsNotFound(Call(racers[i].connection, *racers[i].stub, &Stub::GetItem, get).status())) << id;
    }
  }
  ExpectVerified();
}

}  // namespace
}  // namespace kernelsmith::memory::testing
