// Items of every kind: what they are, who may see them, and what happens to them.
#include <gtest/gtest.h>

#include "common/hash.h"
#include "memory/retrieval/item_filter.h"
#include "tests/memory/graph/graph_fixture.h"

namespace kernelsmith::memory {
namespace {

using testing::Attempt;
using testing::GraphFixture;
using testing::Insight;
using testing::kProducer;

class GraphItems : public GraphFixture {
 protected:
  std::vector<std::string> Allowed(const ItemQuery& query, const std::string& team = "local") {
    const ExperienceGraph& graph = world_.Of(team);
    const ItemFilter filter(query, graph);
    std::vector<std::string> ids;
    for (int item = 0; item < graph.item_count(); ++item) {
      if (filter.Matches(item)) ids.push_back(graph.IdOf(item));
    }
    EXPECT_EQ(static_cast<int64_t>(ids.size()), filter.count());
    return ids;
  }
};

v1::RecordAttemptRequest Bare(v1::RecordAttemptRequest request) {
  request.clear_journal();
  return request;
}

using Ids = std::vector<std::string>;

TEST_F(GraphItems, NumbersItemsOfEveryKindInTheOrderOfTheirFacts) {
  Record(Attempt("a"));
  const std::string insight = Record(Insight("k", "use wide loads"));
  EXPECT_EQ(Local().item_count(), 3);
  EXPECT_EQ(Local().FindItem(insight), 2);
  EXPECT_EQ(Local().item(2).kind, v1::INSIGHT);
  EXPECT_EQ(Local().facets(2).sequence, 2u);
  const v1::ItemValues values = Values(insight);
  EXPECT_EQ(values.label(), v1::LABEL_UNSPECIFIED);
  EXPECT_EQ(values.confidence(), 0.8);
  EXPECT_EQ(Local().DownstreamOf(2), 1) << "d = 1 where there is none";
  Record(Insight("k", "something else"));
  EXPECT_EQ(Local().item_count(), 3) << "a known key adds nothing";
}

TEST_F(GraphItems, LetsNothingThroughThatNoItemHas) {
  Record(Bare(Attempt("a")));
  v1::Filter filter;
  EXPECT_TRUE(ItemFilter({.filter = filter}, Local()).passes_everything());
  filter.add_operators("softmax");
  EXPECT_TRUE(ItemFilter({.filter = filter}, Local()).passes_everything()) << "every item passes";
  filter.add_families("unknown");
  EXPECT_TRUE(Allowed({.filter = filter}).empty());
}

TEST_F(GraphItems, KeepsPrivateItemsToTheirProducer) {
  v1::RecordAttemptRequest secret = Bare(Attempt("a"));
  secret.set_scope(v1::PRIVATE);
  const std::string mine = Record(secret);
  const std::string everyones = Record(Bare(Attempt("b")));
  EXPECT_EQ(Allowed({.producer = kProducer}), (Ids{mine, everyones}));
  EXPECT_EQ(Allowed({.producer = "another"}), Ids{everyones});
  EXPECT_EQ(Allowed({}), Ids{everyones});
  EXPECT_TRUE(Local().MayRead(0, kProducer));
  EXPECT_FALSE(Local().MayRead(0, "another"));
  EXPECT_EQ(Local().ScopeOf(0), v1::PRIVATE);
}

TEST_F(GraphItems, HidesWhatDoesNotHoldForTheTarget) {
  v1::RecordItemRequest old = Insight("old", "works up to 8.2");
  old.mutable_content()->mutable_applicability()->set_toolchain_to("8.2");
  const std::string old_item = Record(old);
  const std::string always = Record(Insight("always", "use wide loads"));
  v1::Target target;
  target.set_toolchain("cann 8.10.0");
  EXPECT_EQ(Allowed({.target = target}), Ids{always});
  target.set_toolchain("cann 8.2.0");
  EXPECT_EQ(Allowed({.target = target}), (Ids{old_item, always}));
  EXPECT_EQ(Allowed({}), (Ids{old_item, always})) << "no target excludes nothing";
}

TEST_F(GraphItems, HoldsOutAnOperatorWithEverythingDistilledFromIt) {
  const std::string softmax = Record(Bare(Attempt("a")));
  v1::RecordItemRequest insight = Insight("k", "learned from softmax");
  insight.mutable_content()->add_source_item_ids(softmax);
  const std::string first = Record(insight);
  v1::RecordItemRequest second = Insight("k2", "learned from the insight");
  second.mutable_content()->add_source_item_ids(first);
  Record(second);
  const std::string other = Record(Insight("k3", "learned elsewhere"));
  EXPECT_EQ(Allowed({.held_out_operators = {"softmax"}}), Ids{other});
}

TEST_F(GraphItems, HoldsOutAnOperatorWithEveryAttemptThatGoesBackToItsCode) {
  const auto of = [](v1::RecordAttemptRequest request, const std::string& name) {
    request.mutable_case_()->set_operator_name(name);
    return Bare(std::move(request));
  };
  Record(Bare(Attempt("a")));
  Record(of(Attempt("b", "a"), "gelu"));
  Record(of(Attempt("c", "b"), "layer_norm"));
  v1::RecordAttemptRequest chosen = of(Attempt("d"), "gelu");
  chosen.set_start_attempt_id("a");
  chosen.mutable_case_()->clear_code_before();
  Record(chosen);
  v1::RecordAttemptRequest other_job = of(Attempt("e"), "gelu");
  other_job.mutable_case_()->clear_code_before();
  other_job.mutable_case_()->set_start_code_sha256(common::Sha256Hex(Attempt("d").case_().code_after()));
  Record(other_job);
  v1::RecordItemRequest insight = Insight("k", "seen in layer_norm");
  insight.mutable_content()->add_source_item_ids(CaseItemId("local", kProducer, "c"));
  Record(insight);
  v1::RecordAttemptRequest own = of(Attempt("f"), "gelu");
  own.mutable_case_()->set_code_before("int of_its_own;");
  const std::string independent = Record(own);
  EXPECT_EQ(Allowed({.held_out_operators = {"softmax"}}), Ids{independent});
  EXPECT_EQ(Local().OriginsOf(Local().FindItem(CaseItemId("local", kProducer, "c"))),
            (Ids{"gelu", "layer_norm", "softmax"}));
}

TEST_F(GraphItems, HoldsOutAPromotedItemByWhatItStemsFromInItsTeam) {
  const std::string softmax = Record(Bare(Attempt("a")));
  v1::RecordItemRequest insight = Insight("k", "learned from softmax");
  insight.mutable_content()->add_source_item_ids(softmax);
  const std::string promoted = Promote(Record(insight), insight);
  v1::RecordAttemptRequest gelu = Bare(Attempt("b", "a"));
  gelu.mutable_case_()->set_operator_name("gelu");
  const std::string gelu_promoted = Promote(Record(gelu), gelu);
  const v1::RecordItemRequest other = Insight("k2", "learned elsewhere");
  const std::string harmless = Promote(Record(other), other);
  EXPECT_EQ(Allowed({.reader_team = "b"}, kSharedTeam), (Ids{promoted, gelu_promoted, harmless}));
  EXPECT_EQ(Allowed({.held_out_operators = {"softmax"}, .reader_team = "b"}, kSharedTeam), Ids{harmless});

  v1::RecordItemRequest derived = Insight("k3", "made of another team's insight");
  derived.mutable_content()->add_source_item_ids(promoted);
  const std::string second_hand = Record(derived, "b");
  EXPECT_EQ(Allowed({}, "b"), Ids{second_hand});
  EXPECT_TRUE(Allowed({.held_out_operators = {"softmax"}}, "b").empty());
}

TEST_F(GraphItems, TakesARetiredItemOutOfRetrievalAndKeepsItReadable) {
  const std::string item = Record(Insight("k", "use wide loads"));
  v1::RetireRequest retire;
  retire.set_item_id(item);
  retire.set_reason("it is wrong");
  Happen(retire);
  EXPECT_TRUE(Allowed({}).empty());
  v1::Filter filter;
  filter.set_include_retired(true);
  EXPECT_EQ(Allowed({.filter = filter}), Ids{item});
  EXPECT_TRUE(Local().LifecycleOf(0).retired());
  EXPECT_EQ(Local().LifecycleOf(0).reason(), "it is wrong");
  EXPECT_TRUE(Local().IsOut(0));
  retire.set_reason("again");
  Happen(retire);
  EXPECT_EQ(Local().LifecycleOf(0).reason(), "it is wrong") << "the first statement stands";
  EXPECT_EQ(Local().counts().retired, 1);
}

TEST_F(GraphItems, LinksASupersededItemToTheNewerOne) {
  const std::string a = Record(Insight("a", "use wide loads"));
  const std::string b = Record(Insight("b", "use wider loads"));
  v1::SupersedeRequest supersede;
  supersede.set_old_item_id(a);
  supersede.set_new_item_id(b);
  supersede.set_reason("measured again");
  Happen(supersede);
  EXPECT_EQ(Allowed({}), Ids{b});
  EXPECT_EQ(Local().LifecycleOf(0).superseded_by(), b);
  EXPECT_EQ(Local().LifecycleOf(1).supersedes(0), a);
  std::swap(*supersede.mutable_old_item_id(), *supersede.mutable_new_item_id());
  Happen(supersede);
  EXPECT_EQ(Allowed({}), Ids{b}) << "a circle says nothing";
  supersede.set_old_item_id(b);
  supersede.set_new_item_id(b);
  Happen(supersede);
  EXPECT_EQ(Allowed({}), Ids{b});
}

TEST_F(GraphItems, ShowsAPromotedItemToItsReadersUntilItIsRevoked) {
  const std::string item = Record(Bare(Attempt("a")));
  const std::string shared = Promote(item, Bare(Attempt("a")), {"friends"});
  EXPECT_EQ(Allowed({.reader_team = "friends"}, kSharedTeam), Ids{shared});
  EXPECT_TRUE(Allowed({.reader_team = "strangers"}, kSharedTeam).empty());
  EXPECT_TRUE(Allowed({.reader_team = "local"}, kSharedTeam).empty()) << "it has the original";
  EXPECT_TRUE(Shared().IsSharedWith(0, "friends"));
  EXPECT_TRUE(Shared().IsSharedWith(0, "local"));
  EXPECT_FALSE(Shared().IsSharedWith(0, "strangers"));
  EXPECT_EQ(Shared().ProvenanceOf(0).item_id(), item);

  Promote(item, Bare(Attempt("a")));
  EXPECT_EQ(Allowed({.reader_team = "strangers"}, kSharedTeam), Ids{shared}) << "now everyone's";

  v1::RevokeRequest revoke;
  revoke.set_shared_item_id(shared);
  revoke.set_reason("a mistake");
  Happen(revoke, kSharedTeam);
  EXPECT_TRUE(Allowed({.reader_team = "friends"}, kSharedTeam).empty());
  EXPECT_FALSE(Shared().IsSharedWith(0, "friends"));
  EXPECT_TRUE(Shared().ProvenanceOf(0).revoked());
  EXPECT_EQ(Shared().ProvenanceOf(0).reason(), "a mistake");

  Promote(item, Bare(Attempt("a")), {"strangers"});
  EXPECT_TRUE(Shared().IsSharedWith(0, "strangers"));
  EXPECT_FALSE(Shared().IsSharedWith(0, "friends")) << "the readers of before are gone";
  EXPECT_EQ(Shared().item_count(), 1);
}

TEST_F(GraphItems, KeepsEffectLabelAndDownstreamOfASharedItemAsPromoted) {
  Record(Bare(Attempt("a")));
  const std::string item = Record(Bare(Attempt("b", "a", 1.5)));
  const std::string shared = Promote(item, Bare(Attempt("b", "a", 1.5)));
  Record(Bare(Attempt("c", "b", 3.0)));
  const v1::ItemValues values = Shared().ValuesOf(Shared().FindItem(shared));
  EXPECT_EQ(values.r(), 1.5);
  EXPECT_EQ(values.d(), 1.5);
  EXPECT_EQ(values.label(), v1::EFFECTIVE);
  EXPECT_NE(Values(item).d(), 1.5);
}

TEST_F(GraphItems, FindsANearDuplicateOfTheSameKindAndTarget) {
  const std::string text =
      "copy the row to the unified buffer in tiles of 32 bytes and overlap it with the exponential";
  const std::string item = Record(Insight("k", text));
  v1::RecordItemRequest again = Insight("k2",
                                        "Copy the row to the unified buffer, in tiles of 32 bytes; and overlap "
                                        "it with the exponential!");
  EXPECT_EQ(Local().FindNearDuplicate(again, ContentSignature(again.content())), Local().FindItem(item));
  v1::RecordItemRequest other = again;
  other.mutable_content()->set_kind(v1::RULE);
  EXPECT_EQ(Local().FindNearDuplicate(other, ContentSignature(other.content())), -1);
  other = again;
  other.mutable_content()->mutable_applicability()->set_toolchain_from("8.5");
  EXPECT_EQ(Local().FindNearDuplicate(other, ContentSignature(other.content())), -1) << "it holds elsewhere";
  other = Insight("k3", "use one block for each row");
  EXPECT_EQ(Local().FindNearDuplicate(other, ContentSignature(other.content())), -1);
  v1::RetireRequest retire;
  retire.set_item_id(item);
  Happen(retire);
  EXPECT_EQ(Local().FindNearDuplicate(again, ContentSignature(again.content())), -1) << "what is out does not block";
}

TEST_F(GraphItems, TellsApiTemplatesApartByTheirName) {
  v1::RecordItemRequest api = Insight("add", "template <typename T> void Call(LocalTensor<T> a);");
  api.mutable_content()->set_kind(v1::API_TEMPLATE);
  api.mutable_content()->set_bundle("ascend_c");
  api.mutable_content()->set_name("Add");
  Record(api);
  EXPECT_EQ(Local().FindNearDuplicate(api, ContentSignature(api.content())), 0);
  api.mutable_content()->set_name("Sub");
  EXPECT_EQ(Local().FindNearDuplicate(api, ContentSignature(api.content())), -1);
  v1::Filter filter;
  filter.add_names("Add");
  filter.add_bundles("ascend_c");
  EXPECT_EQ(Allowed({.filter = filter}).size(), 1u);
}

TEST_F(GraphItems, DoesNotLetAPrivateItemOfAnotherBlockAnAdmission) {
  v1::RecordItemRequest secret = Insight("k", "use wide loads for every row");
  secret.set_scope(v1::PRIVATE);
  Record(secret);
  EXPECT_EQ(Local().FindNearDuplicate(secret, ContentSignature(secret.content())), 0);
  secret.set_producer("another");
  EXPECT_EQ(Local().FindNearDuplicate(secret, ContentSignature(secret.content())), -1);
}

TEST_F(GraphItems, ListsContradictionsAboutOneIdeaInOneSituation) {
  Record(Bare(Attempt("root")));
  const std::string good = Record(Bare(Attempt("good", "root", 2.0)));
  const std::string bad = Record(Bare(Attempt("bad", "root", 0.5)));
  v1::RecordAttemptRequest elsewhere = Bare(Attempt("else", "root", 0.5));
  elsewhere.mutable_case_()->set_family("elementwise");
  Record(elsewhere);
  const auto everything = [](int) { return true; };
  const ExperienceGraph::Conflicts found = Local().FindConflicts(everything, 0, 10);
  ASSERT_EQ(found.conflicts.size(), 1u);
  EXPECT_EQ(Local().IdOf(found.conflicts[0].for_item), good);
  EXPECT_EQ(Local().IdOf(found.conflicts[0].against_item), bad);
  EXPECT_EQ(found.next, -1);
  EXPECT_TRUE(Local().FindConflicts([](int) { return false; }, 0, 10).conflicts.empty());
}

TEST_F(GraphItems, GivesConflictsInPagesWithoutLosingOne) {
  for (int thought = 0; thought < 4; ++thought) {
    const std::string root = absl::StrCat("root", thought);
    Record(Bare(Attempt(root)));
    for (int i = 0; i < 6; ++i) {
      v1::RecordAttemptRequest attempt = Bare(Attempt(absl::StrCat("t", thought, "-", i), root, i % 2 == 0 ? 2 : 0.5));
      attempt.mutable_case_()->mutable_thought()->set_id(absl::StrCat("thought-", thought));
      Record(attempt);
    }
  }
  const auto everything = [](int) { return true; };
  std::vector<std::pair<int, int>> paged;
  int64_t from = 0;
  do {
    const ExperienceGraph::Conflicts page = Local().FindConflicts(everything, from, 2, /*most_items=*/7);
    EXPECT_LE(page.conflicts.size(), 2u);
    for (const ItemConflict& conflict : page.conflicts) paged.emplace_back(conflict.for_item, conflict.against_item);
    from = page.next;
  } while (from >= 0);
  std::vector<std::pair<int, int>> at_once;
  for (const ItemConflict& conflict : Local().FindConflicts(everything, 0, 1000).conflicts) {
    at_once.emplace_back(conflict.for_item, conflict.against_item);
  }
  EXPECT_EQ(paged, at_once);
  EXPECT_EQ(at_once.size(), 12u);
}

TEST_F(GraphItems, LinksAnAttemptToTheJobWhoseCodeItStartedFrom) {
  v1::RecordAttemptRequest first = Bare(Attempt("a", "", 2.0));
  first.mutable_case_()->set_code_after("the code");
  Record(first);
  v1::RecordAttemptRequest failed = Bare(testing::FailedAttempt("f"));
  failed.mutable_case_()->set_code_after("the code");
  Record(failed);
  v1::RecordAttemptRequest next = Bare(Attempt("b", "", 3.0));
  next.mutable_case_()->set_session("job-2");
  next.mutable_case_()->set_code_before("the code");
  next.mutable_case_()->set_code_after("newer code");
  Record(next);
  const AttemptForest& forest = Local().forest();
  EXPECT_EQ(forest.node(2).prev, 0) << "the latest feasible one";
  EXPECT_TRUE(forest.node(2).cross_job);
  EXPECT_EQ(forest.node(2).r, 1.5);

  v1::RecordAttemptRequest elsewhere = next;
  elsewhere.set_attempt_id("c");
  elsewhere.mutable_target()->set_architecture("ascend-a2");
  elsewhere.mutable_case_()->clear_code_before();
  elsewhere.mutable_case_()->set_start_code_sha256(common::Sha256Hex("newer code"));
  Record(elsewhere);
  EXPECT_EQ(forest.node(3).prev, 2);
  EXPECT_EQ(forest.node(3).r, 1) << "of another target, so its speed says nothing";

  v1::RecordAttemptRequest own = Bare(Attempt("d"));
  own.mutable_case_()->set_code_before("own");
  own.mutable_case_()->set_code_after("own");
  Record(own);
  EXPECT_EQ(forest.node(4).prev, AttemptForest::kNone) << "never itself";
  own.set_attempt_id("e");
  own.mutable_case_()->set_start_code_sha256("no hash");
  Record(own);
  EXPECT_EQ(forest.node(5).prev, AttemptForest::kNone);
}

TEST_F(GraphItems, OffersFeasibleAttemptsOfAJobAsStartPoints) {
  Record(Attempt("a"));
  Record(testing::FailedAttempt("f"));
  const std::string b = Record(Attempt("b", "a", 1.5));
  v1::RecordAttemptRequest other = Attempt("o");
  other.mutable_case_()->set_session("job-2");
  Record(other);
  EXPECT_EQ(Local().StartPoints("job-1"), (std::vector<int>{0, 2}));
  EXPECT_TRUE(Local().StartPoints("unknown").empty());
  EXPECT_TRUE(Local().StartPoints("").empty());
  v1::RetireRequest retire;
  retire.set_item_id(b);
  Happen(retire);
  EXPECT_EQ(Local().StartPoints("job-1"), std::vector<int>{0});
}

TEST_F(GraphItems, IgnoresEventsAboutWhatIsNotThere) {
  v1::RetireRequest retire;
  retire.set_item_id("case-00000000000000000000");
  Happen(retire);
  v1::RevokeRequest revoke;
  revoke.set_shared_item_id(Record(Attempt("a")));
  Happen(revoke);
  storage::v1::RuleTextFact rule;
  rule.set_item_id("what");
  Happen(rule);
  Fact nameless = Next(kSharedTeam);
  nameless.mutable_shared_item()->set_shared_item_id("case-00000000000000000000");
  world_.Fold(nameless);
  EXPECT_EQ(Local().item_count(), 2);
  EXPECT_EQ(Shared().item_count(), 0);
  EXPECT_EQ(Allowed({}).size(), 2u);
}

}  // namespace
}  // namespace kernelsmith::memory
