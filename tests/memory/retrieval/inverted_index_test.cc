#include "memory/retrieval/inverted_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool AcceptAll(int) { return true; }

std::vector<int> Documents(const std::vector<LexicalHit>& hits) {
  std::vector<int> documents;
  for (const LexicalHit& hit : hits) documents.push_back(hit.document);
  return documents;
}

TEST(InvertedIndex, PrefersRareTermsAndShortDocuments) {
  InvertedIndex index;
  index.Add("softmax row");
  index.Add("gelu row");
  index.Add("row");
  index.Add("softmax row and very much else beside it that nobody asked for");
  EXPECT_THAT(Documents(index.Search("softmax", 10, AcceptAll)), ElementsAre(0, 3));
  EXPECT_THAT(Documents(index.Search("softmax row", 10, AcceptAll)), ElementsAre(0, 3, 2, 1));
}

TEST(InvertedIndex, FiltersBeforeItCutsToTheLimit) {
  InvertedIndex index;
  for (int i = 0; i < 10; ++i) index.Add("softmax");
  EXPECT_THAT(Documents(index.Search("softmax", 2, [](int document) { return document < 4; })), ElementsAre(3, 2));
}

TEST(InvertedIndex, BreaksTiesByRecency) {
  InvertedIndex index;
  for (int i = 0; i < 3; ++i) index.Add("softmax");
  EXPECT_THAT(Documents(index.Search("softmax", 10, AcceptAll)), ElementsAre(2, 1, 0));
}

TEST(InvertedIndex, NamesTheMatchedTermsRarestFirst) {
  InvertedIndex index;
  index.Add("row softmax");
  index.Add("row");
  const auto hits = index.Search("row softmax unknown", 1, AcceptAll);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_THAT(hits[0].terms, ElementsAre("softmax", "row"));
}

TEST(InvertedIndex, FindsAnApiNameByItsPart) {
  InvertedIndex index;
  index.Add("uses DataCopyPad");
  EXPECT_THAT(Documents(index.Search("pad", 10, AcceptAll)), ElementsAre(0));
  EXPECT_THAT(Documents(index.Search("datacopypad", 10, AcceptAll)), ElementsAre(0));
}

TEST(InvertedIndex, AnswersWithNothingWhenNothingMatches) {
  InvertedIndex index;
  EXPECT_THAT(index.Search("softmax", 10, AcceptAll), IsEmpty());
  index.Add("gelu");
  EXPECT_THAT(index.Search("softmax", 10, AcceptAll), IsEmpty());
  EXPECT_THAT(index.Search("", 10, AcceptAll), IsEmpty());
  EXPECT_THAT(index.Search("gelu", 0, AcceptAll), IsEmpty());
}

TEST(InvertedIndex, GivesTheSameScoresOnEveryQuery) {
  InvertedIndex index;
  for (int i = 0; i < 50; ++i) index.Add(i % 2 == 0 ? "softmax row" : "softmax");
  const auto first = index.Search("softmax row", 50, [](int document) { return document % 3 != 0; });
  const auto second = index.Search("softmax row", 50, [](int document) { return document % 3 != 0; });
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].document, second[i].document);
    EXPECT_EQ(first[i].score, second[i].score);
  }
}

}  // namespace
}  // namespace kernelsmith::memory
