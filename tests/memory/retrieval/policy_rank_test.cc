#include "memory/retrieval/policy_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

PoolItem Item(double s) {
  PoolItem item;
  item.hit = {.fused = s, .lexical = 3, .lexical_rank = 1};
  item.terms = {"softmax"};
  return item;
}

PoolItem Attempt(double s, v1::Label label, double d) {
  PoolItem item = Item(s);
  item.has_outcome = true;
  item.label = label;
  item.d = d;
  return item;
}

PolicyRules Rules(const std::string& preset) {
  v1::Policy policy;
  policy.set_preset(preset);
  return *ResolvePolicy(policy);
}

std::vector<int> Order(const std::vector<PoolItem>& pool, const PolicyRules& rules, RankOptions options = {}) {
  std::vector<int> order;
  for (const Ranked& ranked : RankPool(pool, rules, options)) order.push_back(ranked.index);
  return order;
}

TEST(PolicyRank, UtilityReordersRelevance) {
  std::vector<PoolItem> pool = {Item(0.8), Item(0.7), Item(0.6)};  // worked example S6
  pool[0].u = -0.2;
  pool[1].u = 0.5;
  pool[2].u = 1;
  const std::vector<Ranked> ranked = RankPool(pool, Rules("sage"), {});
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].index, 1);
  EXPECT_NEAR(ranked[0].score, 0.805, 1e-12);
  EXPECT_EQ(ranked[1].index, 2);
  EXPECT_NEAR(ranked[1].score, 0.780, 1e-12);
  EXPECT_NEAR(ranked[2].score, 0.752, 1e-12);
}

TEST(PolicyRank, RelevanceAloneUnderStaticRag) {
  std::vector<PoolItem> pool = {Item(0.8), Item(0.7)};
  pool[1].u = 1;
  EXPECT_THAT(Order(pool, Rules("static_rag")), ElementsAre(0, 1));
}

TEST(PolicyRank, QOfTheStageUnderEvokernelWithoutExploration) {
  std::vector<PoolItem> pool = {Item(0.9), Item(0.8), Item(0.7)};
  pool[2].q = 0.5;
  pool[1].q = -0.5;
  EXPECT_THAT(Order(pool, Rules("evokernel")), ElementsAre(2, 0, 1));
  EXPECT_THAT(Order(pool, Rules("evokernel_heuristic")), ElementsAre(0, 1, 2));
}

TEST(PolicyRank, ZScoresUnderMemrl) {
  std::vector<PoolItem> pool = {Item(0.60), Item(0.55), Item(0.50)};
  pool[0].q = -0.3;
  pool[1].q = 0.3;
  pool[2].q = 0.9;
  const std::vector<Ranked> ranked = RankPool(pool, Rules("memrl"), {});
  EXPECT_EQ(ranked.size(), 3U);
  EXPECT_NEAR(ranked[0].score, 0, 1e-9) << "relevance and value cancel out here";
}

TEST(PolicyRank, LabelBucketsUnderKope) {
  const std::vector<PoolItem> pool = {Attempt(0.9, v1::NEGATIVE, 0.4), Attempt(0.5, v1::EFFECTIVE, 1.2),
                                      Attempt(0.8, v1::PARTIAL, 1.0)};
  EXPECT_THAT(Order(pool, Rules("kope")), ElementsAre(1, 2, 0));
}

TEST(PolicyRank, ConfidenceWeighsWithinABucket) {
  std::vector<PoolItem> pool = {Attempt(0.9, v1::EFFECTIVE, 0.9), Attempt(0.9, v1::EFFECTIVE, 0.8)};  // example K4
  pool[0].confidence = 0.8;
  pool[1].confidence = 1.0;
  EXPECT_THAT(Order(pool, Rules("kope")), ElementsAre(1, 0));
}

TEST(PolicyRank, SpeedOfAnotherTargetCountsForNothing) {
  for (const char* preset : {"kope", "combined"}) {
    std::vector<PoolItem> pool = {Attempt(0.9, v1::EFFECTIVE, 50), Attempt(0.9, v1::NEGATIVE, 0.1)};
    for (PoolItem& item : pool) item.other_target = true;
    const std::vector<Ranked> ranked = RankPool(pool, Rules(preset), {});
    EXPECT_EQ(ranked[0].score, ranked[1].score) << preset;
    EXPECT_THAT(ReasonFor(pool[0], ranked[0], Rules(preset), true), HasSubstr("says that it works, not how fast"));
    pool[1].failure = true;
    EXPECT_THAT(Order(pool, Rules(preset)), ElementsAre(0, 1));
  }
}

TEST(PolicyRank, ADocumentHasNoOutcomeToSpeakOf) {
  const PoolItem document = Item(0.9);
  const std::vector<Ranked> ranked = RankPool({document}, Rules("combined"), {});
  EXPECT_NEAR(ranked[0].score, 0.9, 1e-12);
  EXPECT_THAT(ReasonFor(document, ranked[0], Rules("combined"), true), Not(HasSubstr("label")));
}

TEST(PolicyRank, ExplorationIsRecordedAndRepeatsWithItsSeed) {
  const std::vector<PoolItem> pool(50, Item(0.5));
  const PolicyRules rules = Rules("evokernel");
  const RankOptions options{.slots = 10, .epsilon = 0.5, .seed = 11};
  const std::vector<Ranked> ranked = RankPool(pool, rules, options);
  ASSERT_EQ(ranked.size(), 10U);
  int explored = 0;
  for (const Ranked& one : ranked) {
    explored += one.explored ? 1 : 0;
    if (one.explored) {
      EXPECT_THAT(ReasonFor(pool[one.index], one, rules, true), HasSubstr("by chance"));
    }
  }
  EXPECT_GT(explored, 0);
  EXPECT_EQ(Order(pool, rules, options), Order(pool, rules, options));
  EXPECT_NE(Order(pool, rules, options), Order(pool, rules, {.slots = 10, .epsilon = 0.5, .seed = 12}));
}

TEST(PolicyRank, TheReasonNamesTermsCosineAndUtility) {
  PoolItem item = Item(0.75);
  item.hit.vector_rank = 3;
  item.hit.similarity = 0.5;
  item.u = 0.25;
  const std::string reason = ReasonFor(item, {.index = 0, .score = 0.8}, Rules("sage"), true);
  for (const char* part : {"softmax", "cosine 0.500", "s 0.750", "u +0.250"}) EXPECT_THAT(reason, HasSubstr(part));
  EXPECT_THAT(ReasonFor(item, {}, Rules("sage"), false), HasSubstr("recency"));
}

}  // namespace
}  // namespace kernelsmith::memory
