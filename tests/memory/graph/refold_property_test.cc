// Properties over random facts of every kind, several teams and "shared".
#include <gtest/gtest.h>

#include "memory/log/head.h"
#include "memory/retrieval/item_filter.h"
#include "tests/memory/graph/graph_world.h"

namespace kernelsmith::memory {
namespace {

using testing::GraphWorld;
using testing::RandomFacts;

constexpr int kEvents = 100'000;

// A fact as the start of the program reads it: without the texts, with the notes.
Fact HeadOf(Fact fact) {
  *fact.mutable_notes() = NotesOf(fact);
  std::string bytes;
  EXPECT_TRUE(StripFact(fact.SerializeAsString(), &bytes));
  Fact head;
  EXPECT_TRUE(head.ParseFromString(bytes));
  return head;
}

TEST(RefoldedGraph, EqualsTheLiveOneBitForBitOnManyRandomFacts) {
  RandomFacts live_facts(4711);
  GraphWorld live;
  for (int i = 0; i < kEvents; ++i) {
    live.Fold(live_facts.Next());
    // Readers of the live graph must not change what comes later.
    if (i % 1000 == 0 && live.Of("red").attempt_count() > 0) live.Of("red").forest().d(0);
  }
  RandomFacts again(4711);
  GraphWorld refolded;
  for (int i = 0; i < kEvents; ++i) refolded.Fold(again.Next());
  ASSERT_EQ(live.graphs.size(), refolded.graphs.size());
  for (const auto& [team, graph] : live.graphs) {
    EXPECT_TRUE(graph->Fingerprint() == refolded.Of(team).Fingerprint()) << team;
    EXPECT_GT(graph->item_count(), 100) << team;
  }
  EXPECT_GT(live.Of(kSharedTeam).counts().shared_updates, 1000);
  int64_t residents = 0;
  for (const char* team : {"red", "green", "blue"}) residents += live.Of(team).residents().resident_count();
  EXPECT_GT(residents, 0) << "the facts must lead to residents, or they test nothing of them";
}

TEST(RefoldedGraph, IsTheSameFromTheHeadsOfTheFacts) {
  RandomFacts facts(99);
  GraphWorld whole;
  GraphWorld heads;
  for (int i = 0; i < 20'000; ++i) {
    const Fact fact = facts.Next();
    whole.Fold(fact);
    heads.Fold(HeadOf(fact));
  }
  EXPECT_TRUE(whole.Fingerprint() == heads.Fingerprint());
}

TEST(RefoldedGraph, KeepsDownstreamScoresAsRecomputed) {
  RandomFacts facts(5);
  GraphWorld world;
  for (int i = 0; i < 20'000; ++i) world.Fold(facts.Next());
  int across_jobs = 0;
  for (const auto& [team, graph] : world.graphs) {
    const std::vector<double> recomputed = graph->forest().RecomputedDownstream();
    for (int i = 0; i < graph->attempt_count(); ++i) {
      ASSERT_EQ(graph->forest().d(i), recomputed[i]) << team << " " << i;
      across_jobs += graph->forest().node(i).cross_job ? 1 : 0;
    }
  }
  EXPECT_GT(across_jobs, 10);
}

// The bitmaps of a filter and the conditions on one item are two ways to say the same.
TEST(ItemFilter, AdmitsWhatTheConditionsAdmitItemByItem) {
  RandomFacts facts(12);
  GraphWorld world;
  for (int i = 0; i < 12'000; ++i) world.Fold(facts.Next());
  std::vector<v1::Filter> filters(8);
  filters[1].add_families("row_reduction");
  filters[1].add_labels(v1::EFFECTIVE);
  filters[2].set_correct_only(true);
  filters[2].add_excluded_sessions("job-3");
  filters[3].add_kinds(v1::API_TEMPLATE);
  filters[3].add_names("DataCopy");
  filters[4].set_include_retired(true);
  filters[4].add_producers("q");
  filters[5].add_operators("nobody's");
  filters[6].set_architecture("ascend-a2");
  filters[6].add_dtypes(v1::FP16);
  filters[7].add_thoughts("threads");
  filters[7].add_models("m1");
  filters[7].add_purposes(v1::PURPOSE_UNSPECIFIED);
  v1::Target target;
  target.set_toolchain("cann 8.1.1");
  for (const auto& [team, graph] : world.graphs) {
    for (const v1::Filter& filter : filters) {
      for (const bool tight : {false, true}) {
        ItemQuery query{.filter = filter};
        if (tight) {
          query.held_out_operators = {"gelu"};
          query.target = target;
          query.producer = "p";
        }
        if (team == kSharedTeam) query.reader_team = "red";
        const ItemFilter allowed(query, *graph);
        const ItemConditions conditions = graph->Conditions(query);
        int64_t count = 0;
        for (int item = 0; item < graph->item_count(); ++item) {
          ASSERT_EQ(allowed.Matches(item), graph->Admits(conditions, item)) << team << " " << item;
          count += allowed.Matches(item) ? 1 : 0;
        }
        EXPECT_EQ(count, allowed.count());
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::memory
