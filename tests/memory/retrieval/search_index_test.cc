#include "memory/retrieval/search/search_index.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/hash.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDimensions = 8;

Vector VectorOf(int item) {
  Vector vector(kDimensions, 0.05F);
  vector[item % kDimensions] = 1.0F;
  return vector;
}

// A word of its own for each number; one that holds digits would be found by its parts.
std::string Word(int number) {
  std::string word = "w";
  for (const char digit : std::to_string(number)) word += static_cast<char>('a' + digit - '0');
  return word;
}

std::string TextOf(int item) { return absl::StrCat("row reduction ", Word(item), item % 3 == 0 ? " tail" : " block"); }

class SearchIndexTest : public testing::Test {
 protected:
  std::unique_ptr<SearchIndex> Open(const std::string& embedder = "test-1/8") {
    auto opened = SearchIndex::Open({.folder = folder(), .embedder_id = embedder, .dimensions = kDimensions});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  std::string folder() const { return absl::StrCat(folder_.path(), "/index"); }

  static void AddTo(SearchIndex& index, int last) {
    while (static_cast<int>(index.indexed()) < last) {
      const int item = static_cast<int>(index.indexed());
      const std::string text = TextOf(item);
      ASSERT_TRUE(index.Add({text}, {VectorOf(item)}).ok());
    }
  }
  static std::vector<int> Found(const SearchIndex& index, absl::string_view text, const Vector* vector, int limit = 5) {
    std::vector<int> items;
    for (const FusedHit& hit : index.Search({.text = text, .vector = vector, .limit = limit}).hits) {
      items.push_back(hit.item);
    }
    return items;
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) names.push_back(entry.path().filename());
    return names;
  }
  void Damage(absl::string_view prefix) const {
    for (const std::string& name : Files()) {
      if (!absl::StartsWith(name, prefix)) continue;
      std::fstream file(absl::StrCat(folder(), "/", name), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(100);
      file.put('\xff');
      file.put('\xfe');
    }
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("search-index");
};

TEST_F(SearchIndexTest, FusesWordsAndVectors) {
  const auto index = Open();
  AddTo(*index, 40);
  const Vector near = VectorOf(7);
  const SearchOutcome found = index->Search({.text = Word(7), .vector = &near, .limit = 5});
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.hits[0].item, 7);
  EXPECT_EQ(found.hits[0].lexical_rank, 1);
  EXPECT_GT(found.hits[0].vector_rank, 0);
  EXPECT_EQ(found.TermsOf(found.hits[0]).front(), Word(7));
  EXPECT_EQ(Found(*index, Word(7), nullptr), std::vector<int>{7});
  EXPECT_EQ(Found(*index, "", &near, 2), (std::vector<int>{39, 31}));
}

TEST_F(SearchIndexTest, AllowedItemsAloneAreFound) {
  const auto index = Open();
  AddTo(*index, 40);
  Roaring allowed;
  for (const uint32_t item : {3, 11, 19}) allowed.add(item);
  const Vector near = VectorOf(3);
  for (const FusedHit& hit : index->Search({.text = "row", .vector = &near, .allowed = &allowed}).hits) {
    EXPECT_TRUE(allowed.contains(static_cast<uint32_t>(hit.item)));
  }
}

TEST_F(SearchIndexTest, SealingChangesNoAnswerAndSurvivesARestart) {
  const Vector near = VectorOf(5);
  std::vector<int> expected;
  std::string fingerprint;
  {
    const auto index = Open();
    for (const int last : {30, 34, 60, 61}) {
      AddTo(*index, last);
      if (last != 61) {
        ASSERT_TRUE(index->Seal(SealScope::kDue, {.now_unix_us = last}).ok());
      }
    }
    EXPECT_EQ(index->Statistics().unsealed, 1);
    expected = Found(*index, "row tail", &near);
    fingerprint = index->Fingerprint();
  }
  const auto index = Open();
  EXPECT_TRUE(index->problems().empty());
  EXPECT_EQ(index->indexed(), 60U);
  AddTo(*index, 61);
  EXPECT_EQ(Found(*index, "row tail", &near), expected);
  EXPECT_EQ(index->Fingerprint(), fingerprint);

  ASSERT_EQ(*index->Seal(SealScope::kAll, {.now_unix_us = 100}), 61);
  EXPECT_EQ(index->Statistics().segments, 1);
  EXPECT_EQ(*index->Seal(SealScope::kAll, {.now_unix_us = 101}), 0);
  EXPECT_EQ(Found(*index, "row tail", &near), expected);
  EXPECT_EQ(index->Fingerprint(), fingerprint);
  EXPECT_EQ(Files().size(), 3U);  // the manifest and one file of each half
}

TEST_F(SearchIndexTest, ADamagedSegmentOfWordsIsIndexedAgain) {
  {
    const auto index = Open();
    AddTo(*index, 30);
    ASSERT_TRUE(index->Seal(SealScope::kDue, {}).ok());
  }
  Damage("words");
  const auto index = Open();
  ASSERT_EQ(index->problems().size(), 1U);
  EXPECT_TRUE(absl::StrContains(index->problems()[0], "item 0")) << index->problems()[0];
  EXPECT_EQ(index->indexed(), 0U);
  AddTo(*index, 30);
  EXPECT_EQ(Found(*index, Word(7), nullptr), std::vector<int>{7});
  EXPECT_TRUE(index->WithoutVector(0, 100).empty());  // the vectors were not damaged
  ASSERT_TRUE(index->Seal(SealScope::kDue, {.now_unix_us = 2}).ok());
  EXPECT_TRUE(Open()->problems().empty());
}

TEST_F(SearchIndexTest, ADamagedSegmentOfVectorsLeavesTheWords) {
  {
    const auto index = Open();
    AddTo(*index, 30);
    ASSERT_TRUE(index->Seal(SealScope::kDue, {}).ok());
  }
  Damage("vectors");
  const auto index = Open();
  ASSERT_EQ(index->problems().size(), 1U);
  EXPECT_EQ(index->indexed(), 30U);
  EXPECT_EQ(index->WithoutVector(0, 100).size(), 30U);
  const Vector near = VectorOf(5);
  EXPECT_EQ(Found(*index, Word(7), &near), std::vector<int>{7});
  for (uint32_t item = 0; item < 30; ++item) {
    ASSERT_TRUE(index->AddVectors({item}, {VectorOf(static_cast<int>(item))}).ok());
  }
  EXPECT_EQ(Found(*index, "", &near, 1), std::vector<int>{29});
  AddTo(*index, 31);
  ASSERT_EQ(*index->Seal(SealScope::kDue, {.now_unix_us = 2}), 1);
  EXPECT_TRUE(Open()->WithoutVector(0, 100).empty());
}

TEST_F(SearchIndexTest, AnotherEmbedderKeepsTheWordsAndDropsTheVectors) {
  {
    const auto index = Open();
    AddTo(*index, 20);
    ASSERT_TRUE(index->Seal(SealScope::kDue, {}).ok());
  }
  const auto index = Open("other-2/8");
  EXPECT_EQ(index->problems().size(), 1U);
  EXPECT_EQ(index->indexed(), 20U);
  EXPECT_EQ(index->WithoutVector(0, 100).size(), 20U);
  EXPECT_EQ(Found(*index, Word(7), nullptr), std::vector<int>{7});
}

TEST_F(SearchIndexTest, WithoutAnEmbedderItSearchesWords) {
  auto opened = SearchIndex::Open({.folder = folder()});
  ASSERT_TRUE(opened.ok());
  const std::string text = TextOf(0);
  ASSERT_TRUE((*opened)->Add({text}, {}).ok());
  ASSERT_EQ(*(*opened)->Seal(SealScope::kDue, {}), 1);
  EXPECT_EQ(Found(**opened, Word(0), nullptr), std::vector<int>{0});
  EXPECT_TRUE((*opened)->WithoutVector(0, 10).empty());
}

TEST_F(SearchIndexTest, AVectorThatIsNoneLeavesTheItemWithItsWords) {
  const auto index = Open();
  const std::string text = TextOf(0);
  EXPECT_EQ(index->Add({text}, {Vector(3, 1.0F)}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(index->indexed(), 1U);
  EXPECT_EQ(index->WithoutVector(0, 10), std::vector<uint32_t>{0});
  EXPECT_EQ(Found(*index, Word(0), nullptr), std::vector<int>{0});
}

TEST_F(SearchIndexTest, ADamagedManifestMeansToIndexAnew) {
  {
    const auto index = Open();
    AddTo(*index, 20);
    ASSERT_TRUE(index->Seal(SealScope::kDue, {}).ok());
  }
  ASSERT_TRUE(common::WriteFileAtomically(absl::StrCat(folder(), "/manifest"), "nonsense").ok());
  const auto index = Open();
  EXPECT_EQ(index->problems().size(), 1U);
  EXPECT_EQ(index->indexed(), 0U);
}

TEST_F(SearchIndexTest, ANewerManifestIsRefused) {
  ASSERT_TRUE(common::MakeFolders(folder()).ok());
  IndexManifest manifest;
  manifest.set_format(kIndexFormat + 1);
  const std::string content = manifest.SerializeAsString();
  const std::string file = absl::StrCat(common::Sha256Hex(content), content);
  ASSERT_TRUE(common::WriteFileAtomically(absl::StrCat(folder(), "/manifest"), file).ok());
  const auto opened = SearchIndex::Open({.folder = folder()});
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(opened.status().message(), "newer program")) << opened.status();
}

TEST_F(SearchIndexTest, ACancelledSealChangesNothing) {
  const auto index = Open();
  AddTo(*index, 20);
  const auto sealed = index->Seal(SealScope::kDue, {.cancelled = [] { return true; }});
  if (!sealed.ok()) {
    EXPECT_EQ(sealed.status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(index->Statistics().unsealed, 20);
  }
  EXPECT_EQ(Found(*index, Word(7), nullptr), std::vector<int>{7});
}

}  // namespace
}  // namespace kernelsmith::memory
