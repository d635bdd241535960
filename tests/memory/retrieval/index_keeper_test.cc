#include "memory/retrieval/search/index_keeper.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDimensions = 4;

// A word of its own for each number; one that holds digits would be found by its parts.
std::string Word(uint32_t number) {
  std::string word = "w";
  for (const char digit : std::to_string(number)) word += static_cast<char>('a' + digit - '0');
  return word;
}

class SwitchedEmbedder : public Embedder {
 public:
  const std::string& id() const override { return id_; }
  int dimensions() const override { return kDimensions; }
  absl::StatusOr<std::vector<Vector>> Embed(absl::Span<const absl::string_view> texts) override {
    if (down) return absl::UnavailableError("no answer");
    std::vector<Vector> vectors;
    for (const absl::string_view text : texts) {
      Vector& vector = vectors.emplace_back(kDimensions, 0.1F);
      vector[text.size() % kDimensions] = 1.0F;
    }
    return vectors;
  }
  absl::StatusOr<Vector> EmbedQuery(absl::string_view text) override {
    auto vectors = Embed({text});
    if (!vectors.ok()) return vectors.status();
    return vectors->front();
  }

  std::atomic<bool> down = false;

 private:
  const std::string id_ = "switched-1/4";
};

class IndexKeeperTest : public testing::Test {
 protected:
  IndexKeeperTest() {
    index_ = *SearchIndex::Open(
        {.folder = folder_.path(), .embedder_id = embedder_.id(), .dimensions = embedder_.dimensions()});
  }

  std::unique_ptr<IndexKeeper> Keeper(IndexKeeper::Options options) {
    options.embedder = &embedder_;
    return std::make_unique<IndexKeeper>(
        options, [this](const std::string&, uint32_t first, uint32_t last) -> absl::StatusOr<std::vector<std::string>> {
          if (unreadable_) return absl::DataLossError("cannot read");
          std::vector<std::string> texts;
          for (uint32_t item = first; item < last; ++item) texts.push_back(absl::StrCat("text ", Word(item)));
          return texts;
        });
  }

  // Until `condition` holds; false after half a minute.
  static bool Eventually(const std::function<bool()>& condition) {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    while (!condition()) {
      if (absl::Now() > deadline) return false;
      absl::SleepFor(absl::Milliseconds(2));
    }
    return true;
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("index-keeper");
  SwitchedEmbedder embedder_;
  std::atomic<bool> unreadable_ = false;
  std::unique_ptr<SearchIndex> index_;
};

TEST_F(IndexKeeperTest, WhatWasRecordedIsSearchableAfterAwait) {
  const auto keeper = Keeper({});
  keeper->Watch("team", index_.get(), 0);
  for (uint32_t items = 1; items <= 40; ++items) {
    keeper->Recorded("team", items);
    EXPECT_EQ(keeper->Await("team", items, absl::Seconds(30)), items);
  }
  const SearchOutcome found = index_->Search({.text = Word(39)});
  ASSERT_EQ(found.hits.size(), 1U);
  EXPECT_EQ(found.hits[0].item, 39);
  EXPECT_TRUE(index_->WithoutVector(0, 100).empty());
}

TEST_F(IndexKeeperTest, CatchesUpWithWhatWasThereAtStart) {
  const auto keeper = Keeper({});
  keeper->Watch("team", index_.get(), 1000);
  EXPECT_TRUE(Eventually([&] { return index_->indexed() == 1000; }));
}

TEST_F(IndexKeeperTest, AReaderDoesNotWaitForALongBacklog) {
  unreadable_ = true;  // nothing will ever be indexed
  const auto keeper = Keeper({});
  keeper->Watch("team", index_.get(), IndexKeeper::kNear + 1);
  EXPECT_EQ(keeper->Await("team", IndexKeeper::kNear + 1, absl::InfiniteDuration()), 0U);
  EXPECT_EQ(keeper->Await("nobody", 5, absl::InfiniteDuration()), 0U);
}

TEST_F(IndexKeeperTest, UnreadableTextsStallUntilTheNextRecord) {
  unreadable_ = true;
  const auto keeper = Keeper({});
  keeper->Watch("team", index_.get(), 0);
  keeper->Recorded("team", 3);
  EXPECT_EQ(keeper->Await("team", 3, absl::InfiniteDuration()), 0U);
  EXPECT_EQ(keeper->SealNow("team", SealScope::kAll, 1).status().code(), absl::StatusCode::kUnavailable);
  unreadable_ = false;
  keeper->Recorded("team", 4);
  EXPECT_EQ(keeper->Await("team", 4, absl::Seconds(30)), 4U);
}

TEST_F(IndexKeeperTest, AnEmbedderThatIsDownStopsNoWordsAndIsCaughtUpWith) {
  embedder_.down = true;
  const auto keeper = Keeper({.embedder_is_remote = true, .retry = absl::Milliseconds(5)});
  keeper->Watch("team", index_.get(), 0);
  keeper->Recorded("team", 30);
  EXPECT_EQ(keeper->Await("team", 30, absl::Seconds(30)), 30U);
  EXPECT_EQ(index_->Search({.text = Word(7)}).hits.size(), 1U);
  EXPECT_TRUE(Eventually([&] { return keeper->embedder_problem() == "no answer"; }));
  EXPECT_EQ(index_->WithoutVector(0, 100).size(), 30U);
  embedder_.down = false;
  EXPECT_TRUE(Eventually([&] { return index_->WithoutVector(0, 100).empty(); }));
  EXPECT_TRUE(Eventually([&] { return keeper->embedder_problem().empty(); }));
}

TEST_F(IndexKeeperTest, SealsWhatHasGathered) {
  const auto keeper = Keeper({.seal_after = 50});
  keeper->Watch("team", index_.get(), 120);
  EXPECT_TRUE(Eventually([&] { return index_->Statistics().segments > 0 && index_->Statistics().unsealed < 50; }));
}

TEST_F(IndexKeeperTest, SealNowLeavesOneSegment) {
  const auto keeper = Keeper({});
  keeper->Watch("team", index_.get(), 90);
  ASSERT_EQ(*keeper->SealNow("team", SealScope::kAll, 2), 90);
  EXPECT_EQ(index_->Statistics().segments, 1);
  EXPECT_EQ(index_->Statistics().unsealed, 0);
  EXPECT_EQ(*keeper->SealNow("nobody", SealScope::kAll, 2), 0);
}

}  // namespace
}  // namespace kernelsmith::memory
