#include "memory/retrieval/lexical/lexical_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "memory/retrieval/lexical/segment_builder.h"
#include "memory/retrieval/lexical/segment_writer.h"
#include "tests/memory/retrieval/lexical/corpus.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<uint32_t> Items(const LexicalResult& result) {
  std::vector<uint32_t> items;
  for (const LexicalMatch& hit : result.hits) items.push_back(hit.item);
  return items;
}

std::shared_ptr<const LexicalSegment> Write(const LexicalPieces& pieces, const std::string& path) {
  const absl::Status written = WriteSegment(pieces, path);
  EXPECT_TRUE(written.ok()) << written;
  auto segment = LexicalSegment::Open(path);
  EXPECT_TRUE(segment.ok()) << segment.status();
  return *std::move(segment);
}

class LexicalIndexTest : public ::testing::Test {
 protected:
  std::string Path() { return absl::StrCat(folder_.path(), "/segment-", next_++); }

  void Seal(LexicalIndex& index) {
    const LexicalPieces parts = index.CutDelta();
    if (parts.empty()) return;
    ASSERT_TRUE(index.Adopt(Write(parts, Path())).ok());
  }

  common::TemporaryFolder folder_ = common::TemporaryFolder::Make("lexical").value();
  int next_ = 0;
};

// Whatever an operation does to the split, the answer is that of a scan over everything.
TEST_F(LexicalIndexTest, AnswersLikeAnExhaustiveScanWhateverTheSplit) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    RandomTexts texts(seed, 300, seed % 2 == 0 ? 12 : 30);
    LexicalIndex index;
    ExhaustiveScan scan;
    for (int step = 0; step < 14; ++step) {
      const int added = texts.Below(step == 5 ? 9000 : 900);
      for (int i = 0; i < added; ++i) {
        const std::string text = texts.Next();
        index.Add(text);
        scan.Add(text);
      }
      if (step % 2 == 1) Seal(index);
      if (step % 3 == 2) index.CutDelta();
      if (const LexicalPieces pieces = index.Pieces(); step % 4 == 3 && pieces.size() > 1) {
        const int first = texts.Below(static_cast<int>(pieces.size()) - 1);
        const int last = first + 2 + texts.Below(static_cast<int>(pieces.size()) - first - 1);
        ASSERT_TRUE(index.Adopt(Write({pieces.begin() + first, pieces.begin() + last}, Path())).ok());
      }
      for (int query = 0; query < 12; ++query) {
        const std::string text = texts.NextQuery();
        const int limit = query % 3 == 0 ? 1 + texts.Below(5) : 100;
        Roaring allowed;
        const int of_thousand[] = {1000, 5, 20, 60, 300, 700};
        for (uint32_t item = 0; item < index.size(); ++item) {
          if (texts.Below(1000) < of_thousand[query % 6]) allowed.add(item);
        }
        const Roaring* const set = query < 4 ? nullptr : &allowed;
        ASSERT_EQ(Describe(index.Search(text, limit, set)), Describe(scan.Search(text, limit, set)))
            << "seed " << seed << " step " << step << " query " << text;
      }
    }
  }
}

TEST_F(LexicalIndexTest, AnswersLikeAnExhaustiveScanBeyondOneChunk) {
  RandomTexts texts(7, 60, 3);
  LexicalIndex index;
  ExhaustiveScan scan;
  for (int i = 0; i < 150000; ++i) {
    const std::string text = texts.Next();
    index.Add(text);
    scan.Add(text);
    if (i == 140000) Seal(index);
  }
  Roaring third;
  for (uint32_t item = 0; item < index.size(); item += 3) third.add(item);
  for (int query = 0; query < 6; ++query) {
    const std::string text = texts.NextQuery();
    const Roaring* const set = query % 2 == 0 ? nullptr : &third;
    ASSERT_EQ(Describe(index.Search(text, 100, set)), Describe(scan.Search(text, 100, set))) << text;
  }
}

TEST_F(LexicalIndexTest, BreaksTiesByRecencyAcrossPieces) {
  LexicalIndex index;
  for (int i = 0; i < 3; ++i) index.Add("softmax row");
  Seal(index);
  for (int i = 0; i < 2; ++i) index.Add("softmax row");
  EXPECT_THAT(Items(index.Search("softmax", 4, nullptr)), ElementsAre(4, 3, 2, 1));
}

TEST_F(LexicalIndexTest, AnswersWithNothingWhenNothingMatches) {
  LexicalIndex index;
  EXPECT_THAT(Items(index.Search("softmax", 10, nullptr)), IsEmpty());
  index.Add("gelu");
  EXPECT_THAT(Items(index.Search("softmax", 10, nullptr)), IsEmpty());
  EXPECT_THAT(Items(index.Search("", 10, nullptr)), IsEmpty());
  EXPECT_THAT(Items(index.Search("gelu", 0, nullptr)), IsEmpty());
  EXPECT_THAT(Items(index.Search("gelu", -1, nullptr)), IsEmpty());
  const Roaring none;
  EXPECT_THAT(Items(index.Search("gelu", 10, &none)), IsEmpty());
}

TEST_F(LexicalIndexTest, NamesTheTermsOfAHitRarestFirst) {
  LexicalIndex index;
  index.Add("row softmax");
  Seal(index);
  index.Add("row");
  const LexicalResult found = index.Search("row row softmax unknown", 2, nullptr);
  EXPECT_THAT(found.terms, ElementsAre("softmax", "row"));
  EXPECT_THAT(Items(found), ElementsAre(0, 1));
  EXPECT_THAT(found.TermsOf(found.hits[0]), ElementsAre("softmax", "row"));
  EXPECT_THAT(found.TermsOf(found.hits[1]), ElementsAre("row"));
}

TEST_F(LexicalIndexTest, UsesTheRarestSixtyFourTermsOfALongQuery) {
  LexicalIndex index;
  std::string query;
  for (int i = 0; i < 70; ++i) {
    std::string text;
    for (int k = 0; k <= i; ++k) absl::StrAppend(&text, "w", k, "w ");
    index.Add(text);
    absl::StrAppend(&query, "w", i, "w ");
  }
  const LexicalResult found = index.Search(query, 100, nullptr);
  EXPECT_EQ(found.terms.size(), 64u);
  EXPECT_GT(found.unused_terms, 0);
  EXPECT_EQ(found.terms.front(), "69");
}

TEST_F(LexicalIndexTest, AddsWhileAPartIsWrittenAndSwapsItIn) {
  LexicalIndex index;
  for (int i = 0; i < 100; ++i) index.Add(absl::StrCat("softmax ", i));
  const LexicalPieces parts = index.CutDelta();
  ASSERT_EQ(parts.size(), 1u);
  for (int i = 100; i < 150; ++i) index.Add(absl::StrCat("softmax ", i));
  const std::string before = Describe(index.Search("softmax 7 120", 20, nullptr));
  const auto replaced = index.Adopt(Write(parts, Path()));
  ASSERT_TRUE(replaced.ok());
  EXPECT_EQ(replaced->size(), 1u);
  EXPECT_EQ(Describe(index.Search("softmax 7 120", 20, nullptr)), before);
  const LexicalStatistics statistics = index.Statistics();
  EXPECT_EQ(statistics.items, 150);
  EXPECT_EQ(statistics.delta_items, 50);
  EXPECT_EQ(statistics.segments, 1);
  EXPECT_GT(statistics.mapped_bytes, 0);
}

TEST_F(LexicalIndexTest, StartsFromSegmentsInOrder) {
  LexicalIndex first;
  for (int i = 0; i < 30; ++i) {
    first.Add(absl::StrCat("row ", i));
    if (i % 10 == 9) Seal(first);
  }
  LexicalIndex second;
  for (int i = 0; i < 3; ++i) {
    const auto segment = LexicalSegment::Open(absl::StrCat(folder_.path(), "/segment-", i));
    ASSERT_TRUE(segment.ok());
    ASSERT_TRUE(second.Adopt(*segment).ok());
  }
  EXPECT_EQ(second.size(), 30u);
  EXPECT_EQ(second.Fingerprint(), first.Fingerprint());
}

TEST_F(LexicalIndexTest, RefusesASegmentThatLeavesAGapOrCutsAPiece) {
  LexicalIndex other;
  for (int i = 0; i < 20; ++i) other.Add("row");
  const LexicalPieces early = other.CutDelta();
  for (int i = 0; i < 20; ++i) other.Add("row");
  const auto late = Write({other.CutDelta().back()}, Path());
  LexicalIndex index;
  const auto gap = index.Adopt(late);
  EXPECT_EQ(gap.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(gap.status().message()), HasSubstr("20 to 40"));
  for (int i = 0; i < 30; ++i) index.Add("row");
  EXPECT_FALSE(index.Adopt(Write(early, Path())).ok());  // the first 20 of an open part
  index.CutDelta();
  EXPECT_FALSE(index.Adopt(Write(early, Path())).ok());
  EXPECT_FALSE(index.Adopt(late).ok());
  EXPECT_EQ(index.size(), 30u);
}

TEST_F(LexicalIndexTest, HasTheSameFingerprintWhateverTheSplit) {
  RandomTexts texts(3, 100, 10);
  LexicalIndex split;
  LexicalIndex whole;
  for (int i = 0; i < 500; ++i) {
    const std::string text = texts.Next();
    split.Add(text);
    whole.Add(text);
    if (i % 150 == 149) Seal(split);
  }
  EXPECT_EQ(split.Fingerprint(), whole.Fingerprint());
}

TEST_F(LexicalIndexTest, AnswersManyThreadsAtOnce) {
  RandomTexts texts(5, 200, 20);
  LexicalIndex index;
  for (int i = 0; i < 3000; ++i) {
    index.Add(texts.Next());
    if (i == 2000) Seal(index);
  }
  std::vector<std::string> queries;
  std::vector<std::string> answers;
  for (int i = 0; i < 20; ++i) {
    queries.push_back(texts.NextQuery());
    answers.push_back(Describe(index.Search(queries.back(), 20, nullptr)));
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        for (size_t i = 0; i < queries.size(); ++i) {
          if (Describe(index.Search(queries[i], 20, nullptr)) != answers[i]) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LexicalIndexTest, BuildsTheSameSegmentFromTextsInOneRunOrInMany) {
  RandomTexts texts(11, 400, 20);
  LexicalIndex index;
  const std::string small = Path();
  const std::string large = Path();
  {
    SegmentBuilder in_runs(0, small, 200 << 10);
    SegmentBuilder at_once(0, large);
    for (int i = 0; i < 4000; ++i) {
      const std::string text = texts.Next();
      index.Add(text);
      ASSERT_TRUE(in_runs.Add(text).ok());
      ASSERT_TRUE(at_once.Add(text).ok());
    }
    EXPECT_EQ(in_runs.last(), 4000u);
    ASSERT_TRUE(common::ReadFile(small + ".run1").ok());
    ASSERT_TRUE(in_runs.Finish().ok());
    ASSERT_TRUE(at_once.Finish().ok());
  }
  EXPECT_FALSE(common::ReadFile(small + ".run0").ok());
  EXPECT_EQ(*common::ReadFile(small), *common::ReadFile(large));
  LexicalIndex opened;
  ASSERT_TRUE(opened.Adopt(*LexicalSegment::Open(small)).ok());
  EXPECT_EQ(opened.Fingerprint(), index.Fingerprint());
}

}  // namespace
}  // namespace kernelsmith::memory
