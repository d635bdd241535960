// The proposer on made-up histories and contexts; nothing is compiled.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "server/proposers/catalog/catalog_proposer.h"
#include "server/proposers/catalog/moves.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {
namespace {

using ::testing::HasSubstr;

ProposalRequest RequestFor(const std::string& name, uint64_t seed = 1) {
  ProposalRequest request;
  request.job_id = "job";
  request.round = 1;
  request.card_kind = "cpu";
  request.task = FindOperator(name).task(64, 128);
  request.spec.mutable_proposer()->mutable_catalog()->set_seed(seed);
  return request;
}

// Records `result` as a finished round and prepares the request for the next.
void Finish(ProposalRequest* request, const ProposalResult& result, v1::EvaluationStatus status, double latency_us) {
  PastRound round;
  round.round = request->round;
  round.start_round = request->start_round;
  round.candidate = *result.candidate;
  round.proposal = result.proposal;
  round.report.set_status(status);
  round.report.set_latency_us(status == v1::PASSED ? latency_us : 0);
  round.report.set_speedup_vs_baseline(status == v1::PASSED ? 1000 / latency_us : 0);
  const bool better =
      status == v1::PASSED && (request->incumbent_round == 0 ||
                               latency_us < request->history[size_t(request->incumbent_round - 1)].report.latency_us());
  request->history.push_back(round);
  if (better) request->incumbent_round = request->round;
  request->start_round = request->incumbent_round;
  request->stage = request->incumbent_round > 0 ? v1::REFINING : v1::DRAFTING;
  ++request->round;
}

ProposalResult Propose(const ProposalRequest& request) {
  CatalogProposer proposer;
  absl::StatusOr<ProposalResult> result = proposer.Propose(request);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) std::abort();
  return *std::move(result);
}

v1::RankedItem CaseItem(const std::string& id, const std::string& move, const Parameters& parameters, double r,
                        double speedup, const std::string& op = "log_softmax",
                        const std::string& family = "row_reduction") {
  v1::RankedItem ranked;
  v1::Item& item = *ranked.mutable_item();
  item.set_id(id);
  item.set_kind(v1::CASE);
  v1::Case& c = *item.mutable_case_();
  c.set_operator_name(op);
  c.set_family(family);
  c.mutable_scene()->set_dtype(v1::FP32);
  c.mutable_thought()->set_id(move);
  for (const auto& [key, value] : parameters) (*c.mutable_thought()->mutable_parameters())[key] = value;
  c.set_status(r > 0 ? v1::PASSED : v1::INCORRECT_NUMERICAL);
  c.set_speedup(speedup);
  item.mutable_values()->set_r(r);
  item.mutable_values()->set_d(r);
  item.mutable_values()->set_label(r >= 1.05 ? v1::EFFECTIVE : r >= 0.85 ? v1::INEFFECTIVE : v1::NEGATIVE);
  return ranked;
}

const Parameters kGood = {{"loops", "fused"}, {"lanes", "16"}, {"math", "polynomial"}, {"threads", "all"}};

std::string Parameter(const ProposalResult& result, const std::string& key) {
  const auto& parameters = result.proposal.thought().parameters();
  return parameters.contains(key) ? parameters.at(key) : "";
}

TEST(Search, WithoutMemoryTheFirstDraftIsNaive) {
  for (const char* name : {"unary", "softmax", "matmul"}) {
    const ProposalResult result = Propose(RequestFor(name));
    EXPECT_EQ(result.proposal.thought().id(), kNaive);
    EXPECT_EQ(result.proposal.purpose(), v1::FIRST_DRAFT);
    EXPECT_EQ(result.proposal.author().kind(), "catalog");
    ASSERT_EQ(result.candidate->files_size(), 1);
    EXPECT_EQ(result.candidate->files(0).name(), "kernel.cpp");
    EXPECT_THAT(result.candidate->files(0).content(), HasSubstr("extern \"C\" int ks_kernel(const ks_call* call)"));
  }
}

TEST(Search, ARefinementChangesTheStartRoundByOneMove) {
  ProposalRequest request = RequestFor("softmax");
  Finish(&request, Propose(request), v1::PASSED, 1000);
  const ProposalResult second = Propose(request);
  EXPECT_EQ(second.proposal.purpose(), v1::SPEED);
  ASSERT_NE(FindMove(second.proposal.thought().id()), nullptr) << second.proposal.thought().id();
  EXPECT_FALSE(second.proposal.hypothesis().empty());
  EXPECT_FALSE(second.proposal.rationale().empty());
  EXPECT_FALSE(second.proposal.thought().title().empty());
}

TEST(Search, EqualRequestsGiveEqualProposals) {
  ProposalRequest request = RequestFor("softmax", 5);
  Finish(&request, Propose(request), v1::PASSED, 1000);
  const ProposalResult a = Propose(request);
  const ProposalResult b = Propose(request);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(a.proposal, b.proposal));
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*a.candidate, *b.candidate));
}

TEST(Search, SeedsChangeTheOrder) {
  std::set<std::string> moves;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ProposalRequest request = RequestFor("softmax", seed);
    Finish(&request, Propose(request), v1::PASSED, 1000);
    moves.insert(Propose(request).proposal.thought().id());
  }
  EXPECT_GT(moves.size(), 2u);
}

TEST(Search, NoScheduleIsTriedTwice) {
  for (const char* name : {"unary", "softmax", "matmul"}) {
    ProposalRequest request = RequestFor(name);
    std::set<std::string> sources;
    for (int round = 0; round < 60; ++round) {
      const ProposalResult result = Propose(request);
      EXPECT_TRUE(sources.insert(result.candidate->files(0).content()).second) << name << " round " << request.round;
      Finish(&request, result, v1::PASSED, round % 3 == 0 ? 1000 - round : 2000);
    }
  }
}

TEST(Search, AMoveThatMadeThingsMuchSlowerIsNotTriedAgain) {
  ProposalRequest request = RequestFor("softmax");
  Finish(&request, Propose(request), v1::PASSED, 1000);
  const ProposalResult bad = Propose(request);
  const Move& move = *FindMove(bad.proposal.thought().id());
  const std::string value = Parameter(bad, move.key);
  Finish(&request, bad, v1::PASSED, 5000);
  for (int round = 0; round < 40; ++round) {
    const ProposalResult result = Propose(request);
    EXPECT_FALSE(result.proposal.thought().id() == move.id && Parameter(result, move.key) == value);
    Finish(&request, result, v1::PASSED, 999 - round);
  }
}

// A request with a naive incumbent whose next move is `move`.
ProposalRequest RequestBefore(const std::string& move) {
  for (uint64_t seed = 0;; ++seed) {
    ProposalRequest request = RequestFor("softmax", seed);
    Finish(&request, Propose(request), v1::PASSED, 1000);
    if (Propose(request).proposal.thought().id() == move) return request;
  }
}

TEST(Search, AMoveThatOnlyABusyMachineMadeSlowerIsTriedAgainFromAnotherStart) {
  ProposalRequest request = RequestBefore("threads");
  int threads = 0;
  for (int round = 0; round < 40; ++round) {
    const ProposalResult result = Propose(request);
    const bool vectors = result.proposal.thought().id() == "vectorise" && Parameter(result, "lanes") == "16";
    threads += result.proposal.thought().id() == "threads";
    Finish(&request, result, v1::PASSED, vectors ? 500 : 5000);
    request.history.back().report.mutable_against_incumbent()->set_ratio(vectors ? 2 : 0.98);  // slower, but not surely
  }
  EXPECT_EQ(threads, 2);
}

TEST(Search, ARoundLostToTheInfrastructureIsTriedAgain) {
  ProposalRequest request = RequestBefore("threads");
  Finish(&request, Propose(request), v1::INFRASTRUCTURE, 0);
  EXPECT_EQ(Propose(request).proposal.thought().id(), "threads");
}

TEST(Search, AfterAFailureTheLastGoodScheduleIsChangedAgain) {
  ProposalRequest request = RequestFor("softmax");
  Finish(&request, Propose(request), v1::PASSED, 1000);
  const ProposalResult failing = Propose(request);
  Finish(&request, failing, v1::COMPILE_ERROR, 0);
  const ProposalResult next = Propose(request);
  EXPECT_THAT(next.proposal.rationale(), HasSubstr("COMPILE_ERROR"));
  EXPECT_FALSE(google::protobuf::util::MessageDifferencer::Equals(next.proposal.thought(), failing.proposal.thought()));
}

TEST(Search, ADraftThatFailedIsFollowedByAnother) {
  ProposalRequest request = RequestFor("softmax");
  Finish(&request, Propose(request), v1::INCORRECT_NUMERICAL, 0);
  const ProposalResult next = Propose(request);
  EXPECT_NE(next.proposal.thought().id(), kNaive);
  EXPECT_EQ(next.proposal.purpose(), v1::CORRECTNESS_REPAIR);
}

TEST(Search, ADraftStartsFromTheBestRetrievedScheduleOfTheFamily) {
  ProposalRequest request = RequestFor("softmax");
  *request.context.add_items() = CaseItem("slow", "fuse-passes", {{"loops", "fused"}}, 1.3, 0.2);
  *request.context.add_items() = CaseItem("good", "threads", kGood, 1.9, 4.0);
  *request.context.add_items() = CaseItem("failed", "vectorise", kGood, 0, 0);
  *request.context.add_items() =
      CaseItem("product", "register-tile", {{"loops", "tiled"}}, 30, 9.0, "matmul", "matmul");
  const ProposalResult result = Propose(request);
  EXPECT_EQ(result.proposal.thought().id(), kReuse);
  for (const auto& [key, value] : kGood) EXPECT_EQ(Parameter(result, key), value);
  ASSERT_EQ(result.proposal.adoption_size(), 4);
  for (const v1::AdoptionRecord& record : result.proposal.adoption()) {
    EXPECT_EQ(record.state(), record.item_id() == "good" ? v1::ADOPTED : v1::NOT_ADOPTED) << record.item_id();
    EXPECT_FALSE(record.reason().empty());
  }
}

TEST(Search, ARetrievedScheduleThatFailedHereGivesWayToTheNext) {
  ProposalRequest request = RequestFor("softmax");
  *request.context.add_items() = CaseItem("second", "vectorise", {{"loops", "fused"}, {"lanes", "8"}}, 1.5, 1.0);
  *request.context.add_items() = CaseItem("first", "threads", kGood, 1.9, 4.0);
  Finish(&request, Propose(request), v1::RUNTIME_ERROR, 0);
  const ProposalResult result = Propose(request);
  EXPECT_EQ(result.proposal.thought().id(), kReuse);
  EXPECT_EQ(Parameter(result, "lanes"), "8");
}

TEST(Search, ARefinementPrefersTheMoveWithEvidence) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    ProposalRequest request = RequestFor("softmax", seed);
    Finish(&request, Propose(request), v1::PASSED, 1000);
    *request.context.add_items() = CaseItem("help", "threads", {{"loops", "fused"}, {"threads", "all"}}, 1.9, 0.5);
    const ProposalResult result = Propose(request);
    EXPECT_EQ(result.proposal.thought().id(), "threads");
    EXPECT_EQ(result.proposal.adoption(0).state(), v1::ADOPTED);
  }
}

TEST(Search, EvidenceOfAnotherFamilyCountsForMoves) {
  ProposalRequest request = RequestFor("softmax");
  Finish(&request, Propose(request), v1::PASSED, 1000);
  *request.context.add_items() =
      CaseItem("gelu", "stream-stores", {{"loops", "fused"}, {"store", "stream"}, {"lanes", "16"}}, 1.5, 0, "gelu",
               "elementwise");
  // Streaming needs wide vectors, so the base must have them first.
  ProposalResult result = Propose(request);
  for (int round = 0; round < 20 && result.proposal.thought().id() != "vectorise"; ++round) {
    Finish(&request, result, v1::PASSED, 1500);
    result = Propose(request);
  }
  Finish(&request, result, v1::PASSED, 500);
  result = Propose(request);
  EXPECT_EQ(result.proposal.thought().id(), "stream-stores");
  EXPECT_EQ(result.proposal.adoption(0).state(), v1::ADOPTED);
}

TEST(Search, AMoveWithBadEvidenceComesLast) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    ProposalRequest request = RequestFor("softmax", seed);
    Finish(&request, Propose(request), v1::PASSED, 1000);
    *request.context.add_items() = CaseItem("bad", "threads", {{"loops", "fused"}, {"threads", "all"}}, 0.4, 0);
    for (int round = 0; round < 5; ++round) {
      const ProposalResult result = Propose(request);
      EXPECT_NE(result.proposal.thought().id(), "threads");
      EXPECT_EQ(result.proposal.adoption(0).state(), v1::NOT_ADOPTED);
      Finish(&request, result, v1::PASSED, 1000);
    }
  }
}

TEST(Search, ABetterRetrievedScheduleIsTakenWholeWhileRefining) {
  ProposalRequest request = RequestFor("softmax");
  Finish(&request, Propose(request), v1::PASSED, 1000);
  *request.context.add_items() = CaseItem("best", kReuse, kGood, 1.0, 20.0);
  const ProposalResult result = Propose(request);
  EXPECT_EQ(result.proposal.thought().id(), kReuse);
  EXPECT_EQ(result.proposal.adoption(0).state(), v1::ADOPTED);
}

TEST(Search, EveryItemGetsOneRecordWhateverItIs) {
  ProposalRequest request = RequestFor("softmax");
  v1::RankedItem& document = *request.context.add_items();
  document.mutable_item()->set_id("document");
  document.mutable_item()->set_kind(v1::DOCUMENT);
  v1::RankedItem& chat = *request.context.add_items();
  chat.mutable_item()->set_id("chat");
  chat.mutable_item()->mutable_case_()->mutable_thought()->set_id("tiling");
  *request.context.add_items() = CaseItem("lost", "threads", kGood, 0, 0);
  request.context.mutable_items(2)->mutable_item()->mutable_case_()->set_status(v1::INFRASTRUCTURE);
  const ProposalResult result = Propose(request);
  ASSERT_EQ(result.proposal.adoption_size(), 3);
  for (const v1::AdoptionRecord& record : result.proposal.adoption()) {
    EXPECT_EQ(record.state(), v1::NOT_ADOPTED);
    EXPECT_FALSE(record.reason().empty());
  }
}

TEST(Search, AGivenKernelIsFollowedByTheCatalogsOwn) {
  ProposalRequest request = RequestFor("softmax");
  PastRound given;
  given.round = 1;
  given.report.set_status(v1::PASSED);
  given.report.set_latency_us(100);
  request.history.push_back(given);
  request.round = 2;
  request.incumbent_round = request.start_round = 1;
  EXPECT_EQ(Propose(request).proposal.thought().id(), kNaive);
}

TEST(Search, WhenEverythingIsTriedTheStatusIsOutOfRange) {
  ProposalRequest request = RequestFor("sum_middle");
  CatalogProposer proposer;
  absl::Status status;
  for (int round = 0; round < 5000 && status.ok(); ++round) {
    absl::StatusOr<ProposalResult> result = proposer.Propose(request);
    status = result.status();
    // All moves fail, so each is rejected and nothing is left to combine.
    if (result.ok()) Finish(&request, *result, round == 0 ? v1::PASSED : v1::RUNTIME_ERROR, 1000);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
}

TEST(Search, AKindOfCardWithoutATargetIsRefused) {
  ProposalRequest request = RequestFor("softmax");
  request.card_kind = "tpu";
  const absl::Status status = CatalogProposer().Propose(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("tpu"));
}

TEST(Search, AnAscendJobGetsAKernelAndAPlan) {
  ProposalRequest request = RequestFor("softmax");
  request.card_kind = "ascend";
  const ProposalResult result = Propose(request);
  ASSERT_TRUE(result.candidate.has_value());
  EXPECT_EQ(result.candidate->kind(), v1::Candidate::ASCEND_KERNEL);
  ASSERT_EQ(result.candidate->files_size(), 2);
  EXPECT_EQ(result.candidate->files(0).name(), "kernel.asc");
  EXPECT_EQ(result.candidate->files(1).name(), "plan.cpp");
  EXPECT_EQ(Parameter(result, "engine"), "scalar");
}

TEST(Search, AnAscendJobReachesVectorKernelsOnAllCores) {
  ProposalRequest request = RequestFor("rms_norm");
  request.card_kind = "ascend";
  std::set<std::string> moves;
  for (int round = 0; round < 12; ++round) {
    const ProposalResult result = Propose(request);
    moves.insert(result.proposal.thought().id());
    Finish(&request, result, v1::PASSED, 1000.0 / (round + 1));
  }
  for (const char* move : {"naive", "ascend-vectorise", "ascend-all-cores", "ascend-fuse", "ascend-double-buffer"}) {
    EXPECT_TRUE(moves.contains(move)) << move;
  }
}

TEST(Search, SchedulesOfOneTargetSayNothingOnAnother) {
  ProposalRequest request = RequestFor("softmax");
  request.card_kind = "ascend";
  *request.context.add_items() = CaseItem("of-the-cpu", "threads", kGood, 3.0, 9.0, "softmax");
  *request.context.add_items() =
      CaseItem("of-ascend", "ascend-vectorise", {{"engine", "vector"}, {"cores", "all"}}, 3.0, 9.0);
  const ProposalResult result = Propose(request);
  EXPECT_EQ(result.proposal.thought().id(), "reuse-schedule");
  EXPECT_EQ(Parameter(result, "engine"), "vector");
  ASSERT_EQ(result.proposal.adoption_size(), 2);
  EXPECT_EQ(result.proposal.adoption(0).state(), v1::NOT_ADOPTED);
  EXPECT_EQ(result.proposal.adoption(1).state(), v1::ADOPTED);
}

TEST(Search, AnUnknownOperationEndsTheJob) {
  ProposalRequest request = RequestFor("softmax");
  request.task.mutable_graph(1)->set_op("conv2d");
  const absl::Status status = CatalogProposer().Propose(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("conv2d"));
}

}  // namespace
}  // namespace kernelsmith::server::testing
