// The eight calls through gRPC, as the coordinator uses them.
#include "memory/service/experience_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <cmath>
#include <functional>

#include "common/status.h"
#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

using testing::Call;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Stub = v1::ExperienceMemory::Stub;

class ExperienceServiceTest : public ::testing::Test {
 protected:
  v1::RecordAttemptResponse Record(const v1::RecordAttemptRequest& request) {
    const auto response = Call(*stub_, &Stub::RecordAttempt, request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.value_or(v1::RecordAttemptResponse());
  }
  v1::AssembleContextResponse Assemble(const v1::AssembleContextRequest& request) {
    const auto response = Call(*stub_, &Stub::AssembleContext, request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.value_or(v1::AssembleContextResponse());
  }
  v1::CompleteStageResponse Complete(const v1::CompleteStageRequest& request) {
    const auto response = Call(*stub_, &Stub::CompleteStage, request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.value_or(v1::CompleteStageResponse());
  }
  void Adopt(const v1::RecordAdoptionRequest& request) {
    const auto response = Call(*stub_, &Stub::RecordAdoption, request);
    EXPECT_TRUE(response.ok()) << response.status();
  }
  v1::Item Get(const std::string& id) {
    v1::GetItemRequest request;
    request.set_item_id(id);
    return Call(*stub_, &Stub::GetItem, request)->item();
  }
  v1::StatsResponse Stats() { return *Call(*stub_, &Stub::Stats, v1::StatsRequest()); }

  testing::MemoryServer server_;
  const std::unique_ptr<Stub> stub_ = server_.Stub();
};

TEST_F(ExperienceServiceTest, ReturnsAnItemWholeAsItWasRecorded) {
  const v1::RecordAttemptRequest request = testing::Attempt("a");
  const v1::RecordAttemptResponse recorded = Record(request);
  const v1::Item item = Get(recorded.case_item_id());
  EXPECT_EQ(item.case_().SerializeAsString(), request.case_().SerializeAsString());
  EXPECT_EQ(item.kind(), v1::CASE);
  EXPECT_EQ(item.trust(), "measured");
  EXPECT_EQ(item.author().team(), "local");
  EXPECT_EQ(item.values().label(), v1::PARTIAL);
  EXPECT_EQ(item.sequence(), recorded.sequence());
  EXPECT_GT(item.recorded_at_unix_us(), 0);
  const v1::Item journal = Get(recorded.journal_item_id());
  EXPECT_EQ(journal.journal().interpretation(), "it paid off");
  EXPECT_EQ(journal.trust(), "model");
}

TEST_F(ExperienceServiceTest, KeepsTheAuthorsTeamFromBeingForged) {
  v1::RecordAttemptRequest request = testing::Attempt("a");
  request.mutable_author()->set_team("another");
  EXPECT_EQ(Get(Record(request).case_item_id()).author().team(), "local");
}

TEST_F(ExperienceServiceTest, RecordsAnAttemptOnce) {
  const v1::RecordAttemptResponse first = Record(testing::Attempt("a"));
  const v1::RecordAttemptResponse second = Record(testing::Attempt("a"));
  EXPECT_FALSE(first.duplicate());
  EXPECT_TRUE(second.duplicate());
  EXPECT_EQ(first.sequence(), second.sequence());
  EXPECT_EQ(first.case_item_id(), second.case_item_id());
  EXPECT_EQ(first.journal_item_id(), second.journal_item_id());
  v1::RecordAttemptRequest other = testing::Attempt("a");
  other.mutable_case_()->set_latency_us(1);
  EXPECT_EQ(Call(*stub_, &Stub::RecordAttempt, other).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Stats().attempts(), 1);
  EXPECT_EQ(Stats().items(), 2);
}

TEST_F(ExperienceServiceTest, TakesIdsThatLookLikeOneAnotherApart) {
  v1::RecordAttemptRequest one = testing::Attempt("b/c");
  one.set_producer("a");
  v1::RecordAttemptRequest two = testing::Attempt("c");
  two.set_producer("a/b");
  EXPECT_NE(Record(one).case_item_id(), Record(two).case_item_id());
}

TEST_F(ExperienceServiceTest, DemandsThatThePredecessorIsRecorded) {
  const auto response = Call(*stub_, &Stub::RecordAttempt, testing::Attempt("b", "a"));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kFailedPrecondition);
  Record(testing::Attempt("a"));
  Record(testing::Attempt("b", "a"));
}

TEST_F(ExperienceServiceTest, NamesTheFieldOfAWrongAttempt) {
  const std::pair<const char*, std::function<void(v1::RecordAttemptRequest&)>> cases[] = {
      {"producer", [](auto& r) { r.clear_producer(); }},
      {"attempt_id", [](auto& r) { r.clear_attempt_id(); }},
      {"attempt_id", [](auto& r) { r.set_attempt_id(std::string(201, 'x')); }},
      {"attempt_id", [](auto& r) { r.set_attempt_id("a\tb"); }},
      {"prev_attempt_id", [](auto& r) { r.set_prev_attempt_id("a"); }},
      {"case.operator_name", [](auto& r) { r.mutable_case_()->clear_operator_name(); }},
      {"case.status", [](auto& r) { r.mutable_case_()->clear_status(); }},
      {"case.status", [](auto& r) { r.mutable_case_()->set_status(v1::INFRASTRUCTURE); }},
      {"case.latency_us", [](auto& r) { r.mutable_case_()->set_latency_us(-1); }},
      {"case.speedup", [](auto& r) { r.mutable_case_()->set_speedup(std::nan("")); }},
      {"case.confidence", [](auto& r) { r.mutable_case_()->set_confidence(1.5); }},
      {"case.step", [](auto& r) { r.mutable_case_()->set_step(-1); }},
      {"case.diagnostics",
       [](auto& r) {
         for (int i = 0; i < 21; ++i) r.mutable_case_()->add_diagnostics();
       }},
      {"case", [](auto& r) { r.mutable_case_()->set_code_after(std::string(9 << 20, 'x')); }},
      {"recorded_at_unix_us", [](auto& r) { r.set_recorded_at_unix_us(-1); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::RecordAttemptRequest request = testing::Attempt("a");
    spoil(request);
    const absl::Status status = Call(*stub_, &Stub::RecordAttempt, request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(common::FieldOf(status), field);
  }
  EXPECT_EQ(Stats().facts(), 0);
}

TEST_F(ExperienceServiceTest, RunsAWholeStage) {
  Record(testing::Attempt("a"));
  Record(testing::Attempt("b", "a", 2.0));
  v1::AssembleContextRequest ask = testing::Context("c");
  ask.mutable_filter()->add_kinds(v1::CASE);
  const v1::AssembleContextResponse context = Assemble(ask);
  ASSERT_THAT(context.items(), SizeIs(2));
  EXPECT_EQ(context.items(0).item().attempt_id(), "b") << "the better of two equally relevant";
  EXPECT_EQ(context.items(0).item().case_().thought().parameters().at("threads"), "2");
  EXPECT_EQ(context.blocks(0).name(), "specification");
  EXPECT_EQ(context.blocks(context.blocks_size() - 1).name(), "feedback");
  Adopt(testing::Adoption(context, 1));
  Record(testing::Attempt("c", "b", 3.0));

  const v1::CompleteStageRequest stage = testing::FinishedStage("s", {context.retrieval_id()});
  const v1::CompleteStageResponse done = Complete(stage);
  EXPECT_NEAR(done.z(), 0.4, 1e-12);
  ASSERT_THAT(done.changes(), SizeIs(2));
  EXPECT_NEAR(done.changes(0).u_after(), 0.2, 1e-12);
  EXPECT_NEAR(done.changes(1).u_after(), -0.1, 1e-12);
  EXPECT_NEAR(Get(context.items(0).item().id()).values().u(), 0.2, 1e-12);

  const v1::CompleteStageResponse again = Complete(stage);
  EXPECT_TRUE(again.duplicate());
  EXPECT_EQ(again.sequence(), done.sequence());
  EXPECT_EQ(again.z(), done.z());
  EXPECT_THAT(again.changes(), SizeIs(2));
  EXPECT_NEAR(Get(context.items(0).item().id()).values().u(), 0.2, 1e-12) << "updated once";

  const v1::StatsResponse stats = Stats();
  EXPECT_EQ(stats.facts(), 6);
  EXPECT_EQ(stats.retrievals(), 1);
  EXPECT_EQ(stats.adoptions(), 1);
  EXPECT_EQ(stats.stages(), 1);
  EXPECT_EQ(stats.last_sequence(), 6u);
  EXPECT_GT(stats.store_bytes(), 0);
}

TEST_F(ExperienceServiceTest, AnswersARepeatedContextAsBefore) {
  Record(testing::Attempt("a"));
  const v1::AssembleContextResponse first = Assemble(testing::Context("x"));
  EXPECT_FALSE(first.duplicate());
  Record(testing::Attempt("b", "a", 9.0));  // would change the answer
  v1::AssembleContextRequest changed = testing::Context("x", "something else");
  v1::AssembleContextResponse second = Assemble(changed);
  EXPECT_TRUE(second.duplicate());
  second.clear_duplicate();
  EXPECT_EQ(first.SerializeAsString(), second.SerializeAsString());
  EXPECT_EQ(Stats().retrievals(), 1);
}

TEST_F(ExperienceServiceTest, RetrievesNothingUnderPassAtKButKeepsTheRequired) {
  Record(testing::Attempt("a"));
  v1::AssembleContextRequest request = testing::Context("x");
  request.mutable_policy()->set_preset("pass_at_k");
  const v1::AssembleContextResponse context = Assemble(request);
  EXPECT_THAT(context.blocks(), SizeIs(2));
  EXPECT_THAT(context.items(), SizeIs(0));
  EXPECT_FALSE(context.retrieval_id().empty());
}

TEST_F(ExperienceServiceTest, PutsOtherFamiliesIntoTheColdTier) {
  Record(testing::Attempt("a"));
  v1::AssembleContextRequest request = testing::Context("x");
  request.set_family("elementwise");
  const v1::AssembleContextResponse context = Assemble(request);
  ASSERT_THAT(context.decisions(), SizeIs(2));
  for (const v1::ItemDecision& decision : context.decisions()) EXPECT_EQ(decision.tier(), v1::COLD);
}

TEST_F(ExperienceServiceTest, RefusesAContextThatCannotHold) {
  v1::AssembleContextRequest request = testing::Context("x");
  request.mutable_required(0)->set_text(std::string(300'000, 'y'));
  const absl::Status status = Call(*stub_, &Stub::AssembleContext, request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than the budget of"));
  EXPECT_EQ(Stats().retrievals(), 0) << "nothing is recorded, so the attempt id is still free";
}

TEST_F(ExperienceServiceTest, NamesTheFieldOfAWrongContext) {
  const std::pair<const char*, std::function<void(v1::AssembleContextRequest&)>> cases[] = {
      {"producer", [](auto& r) { r.clear_producer(); }},
      {"attempt_id", [](auto& r) { r.clear_attempt_id(); }},
      {"required[1].name", [](auto& r) { r.mutable_required(1)->clear_name(); }},
      {"budget.window", [](auto& r) { r.clear_budget(); }},
      {"budget.system", [](auto& r) { r.mutable_budget()->set_system(-1); }},
      {"budget.generation", [](auto& r) { r.mutable_budget()->set_generation(-1); }},
      {"budget.recency", [](auto& r) { r.mutable_budget()->set_recency(-1); }},
      {"query", [](auto& r) { r.set_query(std::string(70'000, 'x')); }},
      {"policy.preset", [](auto& r) { r.mutable_policy()->set_preset("magic"); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::AssembleContextRequest request = testing::Context("x");
    spoil(request);
    const absl::Status status = Call(*stub_, &Stub::AssembleContext, request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(common::FieldOf(status), field);
  }
}

TEST_F(ExperienceServiceTest, DemandsOneAdoptionRecordForEveryIncludedItem) {
  Record(testing::Attempt("a"));
  Record(testing::Attempt("b", "a"));
  const v1::AssembleContextResponse context = Assemble(testing::Context("x"));
  ASSERT_THAT(context.items(), SizeIs(2));
  const v1::RecordAdoptionRequest whole = testing::Adoption(context, 1);

  v1::RecordAdoptionRequest missing = whole;
  missing.mutable_records()->RemoveLast();
  const absl::Status status = Call(*stub_, &Stub::RecordAdoption, missing).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(whole.records(1).item_id()));

  const std::pair<const char*, std::function<void(v1::RecordAdoptionRequest&)>> cases[] = {
      {"retrieval_id", [](auto& r) { r.clear_retrieval_id(); }},
      {"records[0].item_id", [](auto& r) { r.mutable_records(0)->set_item_id("case-unknown"); }},
      {"records[1].item_id", [](auto& r) { r.mutable_records(1)->set_item_id(r.records(0).item_id()); }},
      {"records[0].state", [](auto& r) { r.mutable_records(0)->clear_state(); }},
      {"records[0].reason", [](auto& r) { r.mutable_records(0)->set_reason(" "); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::RecordAdoptionRequest request = whole;
    spoil(request);
    EXPECT_EQ(common::FieldOf(Call(*stub_, &Stub::RecordAdoption, request).status()), field);
  }

  EXPECT_FALSE(Call(*stub_, &Stub::RecordAdoption, whole)->duplicate());
  EXPECT_TRUE(Call(*stub_, &Stub::RecordAdoption, whole)->duplicate());
  EXPECT_EQ(Call(*stub_, &Stub::RecordAdoption, testing::Adoption(context, 2)).status().code(),
            absl::StatusCode::kAlreadyExists);
  v1::RecordAdoptionRequest unknown = whole;
  unknown.set_retrieval_id("retrieval-unknown");
  EXPECT_EQ(Call(*stub_, &Stub::RecordAdoption, unknown).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ExperienceServiceTest, ChecksTheRetrievalsOfAStage) {
  Record(testing::Attempt("a"));
  const std::string retrieval = Assemble(testing::Context("x")).retrieval_id();
  const auto code = [&](const v1::CompleteStageRequest& request) {
    return Call(*stub_, &Stub::CompleteStage, request).status().code();
  };
  EXPECT_EQ(code(testing::FinishedStage("s", {"retrieval-unknown"})), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(testing::FinishedStage("s", {retrieval})), absl::StatusCode::kFailedPrecondition)
      << "no adoption record yet";
  Adopt(testing::Adoption(Assemble(testing::Context("x")), 0));
  EXPECT_EQ(code(testing::FinishedStage("s", {retrieval})), absl::StatusCode::kOk);
  EXPECT_EQ(code(testing::FinishedStage("t", {retrieval})), absl::StatusCode::kFailedPrecondition)
      << "counted by another stage";
  v1::CompleteStageRequest other = testing::FinishedStage("s", {retrieval});
  other.set_best_us(500);
  EXPECT_EQ(code(other), absl::StatusCode::kAlreadyExists);
}

TEST_F(ExperienceServiceTest, CompletesAStageWhoseRetrievalWasEmpty) {
  const v1::AssembleContextResponse context = Assemble(testing::Context("x"));
  EXPECT_THAT(context.items(), SizeIs(0));
  EXPECT_THAT(Complete(testing::FinishedStage("s", {context.retrieval_id()})).changes(), SizeIs(0));
}

TEST_F(ExperienceServiceTest, NamesTheFieldOfAWrongStage) {
  const std::pair<const char*, std::function<void(v1::CompleteStageRequest&)>> cases[] = {
      {"producer", [](auto& r) { r.clear_producer(); }},
      {"stage_id", [](auto& r) { r.clear_stage_id(); }},
      {"operator_name", [](auto& r) { r.clear_operator_name(); }},
      {"stage", [](auto& r) { r.clear_stage(); }},
      {"first_us", [](auto& r) { r.set_first_us(0); }},
      {"best_us", [](auto& r) { r.set_best_us(0); }},
      {"best_us", [](auto& r) { r.set_best_us(1001); }},
      {"first_us", [](auto& r) { r.set_first_us(-1); }},
      {"retrieval_ids[0]", [](auto& r) { r.add_retrieval_ids(""); }},
      {"retrieval_ids[1]",
       [](auto& r) {
         r.add_retrieval_ids("x");
         r.add_retrieval_ids("x");
       }},
      {"policy.delta", [](auto& r) { r.mutable_policy()->set_delta(2); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::CompleteStageRequest request = testing::FinishedStage("s", {});
    spoil(request);
    const absl::Status status = Call(*stub_, &Stub::CompleteStage, request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(common::FieldOf(status), field);
  }
}

TEST_F(ExperienceServiceTest, RetrievesRankedItemsWithReasons) {
  Record(testing::Attempt("a"));
  Record(testing::FailedAttempt("b", "a"));
  v1::RetrieveRequest request;
  request.set_query("EZ9999 DataCopyPad");
  const auto found = Call(*stub_, &Stub::Retrieve, request);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_FALSE(found->items().empty());
  EXPECT_EQ(found->items(0).item().attempt_id(), "b");
  EXPECT_EQ(found->items(0).rank(), 1);
  EXPECT_THAT(found->items(0).reason(), HasSubstr("ez9999"));
  EXPECT_EQ(found->items(0).parts().lexical_rank(), 1);
  EXPECT_GT(found->items(0).parts().vector_rank(), 0);
  EXPECT_FALSE(found->lexical_only());
  EXPECT_EQ(found->candidates(), 4);

  request.set_limit(201);
  EXPECT_EQ(common::FieldOf(Call(*stub_, &Stub::Retrieve, request).status()), "limit");
  request.set_limit(1);
  request.mutable_policy()->set_preset("nonsense");
  EXPECT_EQ(common::FieldOf(Call(*stub_, &Stub::Retrieve, request).status()), "policy.preset");
}

TEST_F(ExperienceServiceTest, ListsTheLineageInPages) {
  Record(testing::Attempt("a"));
  Record(testing::Attempt("b", "a", 2.0));
  v1::RecordAttemptRequest other = testing::Attempt("c", "b", 1.0);
  other.mutable_case_()->set_session("job-2");
  Record(other);
  v1::LineageRequest request;
  request.set_page_size(2);
  const auto first = Call(*stub_, &Stub::Lineage, request);
  ASSERT_THAT(first->nodes(), SizeIs(2));
  EXPECT_EQ(first->nodes(1).prev_attempt_id(), "a");
  EXPECT_EQ(first->nodes(1).r(), 2.0);
  EXPECT_EQ(first->nodes(1).label(), v1::EFFECTIVE);
  EXPECT_EQ(first->nodes(1).d(), 0.5 * 2.0 + 0.35 * 0.5);
  request.set_page_token(first->next_page_token());
  const auto second = Call(*stub_, &Stub::Lineage, request);
  ASSERT_THAT(second->nodes(), SizeIs(1));
  EXPECT_TRUE(second->next_page_token().empty());

  v1::LineageRequest by_session;
  by_session.set_session("job-2");
  EXPECT_THAT(Call(*stub_, &Stub::Lineage, by_session)->nodes(), SizeIs(1));
  by_session.set_operator_name("gelu");
  EXPECT_THAT(Call(*stub_, &Stub::Lineage, by_session)->nodes(), SizeIs(0));
  request.set_page_token("x");
  EXPECT_EQ(common::FieldOf(Call(*stub_, &Stub::Lineage, request).status()), "page_token");
  request.set_page_size(1001);
  EXPECT_EQ(common::FieldOf(Call(*stub_, &Stub::Lineage, request).status()), "page_size");
}

TEST_F(ExperienceServiceTest, KnowsNoItemThatIsNotThere) {
  v1::GetItemRequest request;
  EXPECT_EQ(common::FieldOf(Call(*stub_, &Stub::GetItem, request).status()), "item_id");
  request.set_item_id("case-unknown");
  EXPECT_EQ(Call(*stub_, &Stub::GetItem, request).status().code(), absl::StatusCode::kNotFound);
  Record(testing::Attempt("a"));
  EXPECT_EQ(Call(*stub_, &Stub::GetItem, request).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ExperienceServiceTest, HasTheStateThatARefoldGives) {
  Record(testing::Attempt("a"));
  const v1::AssembleContextResponse context = Assemble(testing::Context("b"));
  Adopt(testing::Adoption(context, 1));
  Record(testing::FailedAttempt("b", "a"));
  Complete(testing::FinishedStage("s", {context.retrieval_id()}));
  const auto refolded = server_.experience().RefoldedFingerprint();
  ASSERT_TRUE(refolded.ok()) << refolded.status();
  EXPECT_EQ(server_.experience().Fingerprint(), *refolded);
  EXPECT_EQ(Stats().harmful_adoptions(), 1);
}

TEST_F(ExperienceServiceTest, CountsWhatItDoesInMetrics) {
  Record(testing::Attempt("a"));
  Record(testing::Attempt("a2", "a"));
  const v1::AssembleContextResponse context = Assemble(testing::Context("b"));
  Adopt(testing::Adoption(context, 1));
  Record(testing::FailedAttempt("b", "a"));
  v1::GetItemRequest unknown;
  unknown.set_item_id("case-unknown");
  EXPECT_FALSE(Call(*stub_, &Stub::GetItem, unknown).ok());
  const std::string text = prometheus::TextSerializer().Serialize(server_.registry().registry().Collect());
  for (const char* line :
       {"kernelsmith_memory_requests_total{call=\"RecordAttempt\",code=\"OK\"} 3",
        "kernelsmith_memory_requests_total{call=\"GetItem\",code=\"NOT_FOUND\"} 1", "kernelsmith_memory_facts 5",
        "kernelsmith_memory_items 6", "kernelsmith_memory_adoptions_total{state=\"adopted\"} 1",
        "kernelsmith_memory_adoptions_total{state=\"not_adopted\"} 1", "kernelsmith_memory_harmful_adoptions_total 1",
        "kernelsmith_memory_retrieval_seconds_count 1"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace kernelsmith::memory
