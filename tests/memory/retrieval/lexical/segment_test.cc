#include "memory/retrieval/lexical/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "absl/strings/escaping.h"
#include "common/hash.h"
#include "memory/retrieval/lexical/delta_part.h"
#include "memory/retrieval/lexical/segment_writer.h"
#include "tests/memory/retrieval/lexical/corpus.h"

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;

class LexicalSegmentTest : public ::testing::Test {
 protected:
  std::string WriteTexts(const std::vector<std::string>& texts, uint32_t first = 0) {
    auto part = std::make_shared<DeltaPart>(first);
    for (const std::string& text : texts) part->Add(text);
    EXPECT_TRUE(WriteSegment({part}, path_).ok());
    return *common::ReadFile(path_);
  }

  // What opening the bytes as a file gives.
  absl::StatusOr<std::shared_ptr<const LexicalSegment>> OpenBytes(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return LexicalSegment::Open(path_);
  }

  common::TemporaryFolder folder_ = common::TemporaryFolder::Make("lexical").value();
  const std::string path_ = folder_.path() + "/segment";
};

// Makes both digests right again after a change of the bytes.
std::string Signed(std::string bytes) {
  const size_t body = sizeof(LexicalHeader);
  const std::string body_digest = common::Sha256Hex(absl::string_view(bytes).substr(body));
  bytes.replace(offsetof(LexicalHeader, body_digest), 64, body_digest);
  const size_t end = offsetof(LexicalHeader, header_digest);
  bytes.replace(end, 64, common::Sha256Hex(absl::string_view(bytes).substr(0, end)));
  return bytes;
}

std::vector<std::string> ManyTexts() {
  RandomTexts texts(21, 200, 15);
  std::vector<std::string> many;
  for (int i = 0; i < 1500; ++i) many.push_back(texts.Next());
  return many;
}

TEST_F(LexicalSegmentTest, WritesTheDocumentedBytes) {
  const std::string bytes = WriteTexts({"row row", "softmax row", ""}, 5);
  // Lists: row in 0 (twice) and 1 (once); softmax in 1.
  const std::string lists = absl::HexStringToBytes(
                                "02000000"
                                "01010000"
                                "01010000") +
                            std::string(4, '\0');
  const std::string dictionary = absl::HexStringToBytes(
                                     "0003726f7704"
                                     "0007736f66746d617802") +
                                 std::string(0, '\0');
  const std::string index = absl::HexStringToBytes(
      "0000000000776f72"
      "00000000"
      "00000000");
  const std::string lengths = absl::HexStringToBytes("020002000000") + std::string(2, '\0');
  ASSERT_EQ(bytes.size(), 256 + 16 + 16 + 16 + 8 + 0u);
  EXPECT_EQ(bytes.substr(0, 32), std::string("KSLEXSEG") + absl::HexStringToBytes("01000000"
                                                                                  "00010000"
                                                                                  "05000000"
                                                                                  "08000000"
                                                                                  "0400000000000000"));
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(32, 88)),
            "0200000000000000"
            "0001000000000000"
            "0c00000000000000"
            "1001000000000000"
            "1000000000000000"
            "2001000000000000"
            "1000000000000000"
            "3001000000000000"
            "0600000000000000"
            "3801000000000000"
            "0000000000000000");
  EXPECT_EQ(bytes.substr(120, 8), std::string(8, '\0'));
  EXPECT_EQ(bytes.substr(128, 64), common::Sha256Hex(bytes.substr(256)));
  EXPECT_EQ(bytes.substr(192, 64), common::Sha256Hex(bytes.substr(0, 192)));
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(256)), absl::BytesToHexString(lists + dictionary + index + lengths));
}

TEST_F(LexicalSegmentTest, KnowsItsItemsAndTerms) {
  WriteTexts({"row row", "softmax row"}, 40);
  const auto segment = *LexicalSegment::Open(path_);
  EXPECT_EQ(segment->first(), 40u);
  EXPECT_EQ(segment->last(), 42u);
  EXPECT_EQ(segment->total_length(), 4);
  EXPECT_EQ(CountOf(segment->Find("row"), 0), 2u);
  EXPECT_EQ(CountOf(segment->Find("softmax"), 0), 0u);
  EXPECT_TRUE(segment->Find("gelu").empty());
  EXPECT_TRUE(segment->Find("").empty());
  EXPECT_TRUE(segment->Find("zzz").empty());
}

TEST_F(LexicalSegmentTest, HoldsAnEmptyIndex) {
  WriteTexts({});
  const auto segment = LexicalSegment::Open(path_);
  ASSERT_TRUE(segment.ok()) << segment.status();
  EXPECT_TRUE((*segment)->Find("row").empty());
}

TEST_F(LexicalSegmentTest, RefusesANewerFormatAndNamesBothNumbers) {
  std::string bytes = WriteTexts({"row"});
  bytes[8] = 7;
  const absl::Status status = OpenBytes(Signed(bytes)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("format 7; this program reads up to 1"));
}

TEST_F(LexicalSegmentTest, SaysWhichFileIsMissing) {
  const absl::Status status = LexicalSegment::Open(folder_.path() + "/absent").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/absent"));
}

TEST_F(LexicalSegmentTest, RefusesAFileCutAnywhere) {
  const std::string bytes = WriteTexts({"row row", "softmax row", "矩阵 tile"});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(OpenBytes(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_EQ(OpenBytes(bytes + "x").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(LexicalSegmentTest, RefusesEveryFlippedBit) {
  const std::string bytes = WriteTexts({"row row", "softmax row", "矩阵 tile"});
  for (size_t place = 0; place < bytes.size(); ++place) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
    const absl::StatusCode code = OpenBytes(damaged).status().code();
    EXPECT_TRUE(code == absl::StatusCode::kDataLoss || code == absl::StatusCode::kFailedPrecondition) << place;
  }
}

// Digests do not help against bytes that were wrong when they were signed: those are refused, or harmless.
TEST_F(LexicalSegmentTest, SurvivesUnsoundBytesUnderRightDigests) {
  const std::string bytes = WriteTexts(ManyTexts());
  RandomTexts random(31, 200, 15);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = bytes;
    for (int i = 1 + random.Below(3); i > 0; --i) {
      const int from = round % 4 == 0 ? 0 : 256;  // the header, too
      damaged[from + random.Below(static_cast<int>(bytes.size()) - from)] = static_cast<char>(random.Below(256));
    }
    auto segment = OpenBytes(Signed(damaged));
    if (!segment.ok()) {
      ++refused;
      continue;
    }
    LexicalIndex index;
    if (!index.Adopt(*segment).ok()) continue;
    for (int query = 0; query < 5; ++query) index.Search(random.NextQuery(), 50, nullptr);
    index.Fingerprint();
  }
  EXPECT_GT(refused, 100);
}

TEST_F(LexicalSegmentTest, KeepsCountsAndLengthsThatNeedMoreBits) {
  std::string often;
  for (int i = 0; i < 70000; ++i) often += "row ";
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i)
    texts.push_back(i % 7 == 0 ? "row row row row row row row row row row row row row row "
                                 "row row row tile"
                               : "row");
  texts[10] = often;
  texts.push_back("");
  for (int i = 0; i < 300; ++i) texts.push_back("softmax");
  WriteTexts(texts);
  const auto segment = *LexicalSegment::Open(path_);
  EXPECT_EQ(segment->lengths().At(10), 70000u);
  EXPECT_EQ(segment->lengths().At(300), 0u);
  EXPECT_EQ(CountOf(segment->Find("row"), 10), 70000u);
  EXPECT_EQ(CountOf(segment->Find("row"), 7), 17u);
  EXPECT_EQ(CountOf(segment->Find("row"), 8), 1u);
  EXPECT_EQ(CountOf(segment->Find("row"), 301), 0u);
}

TEST_F(LexicalSegmentTest, LeavesNothingBehindWhenTheDiskIsFull) {
  auto part = std::make_shared<DeltaPart>(0);
  for (const std::string& text : ManyTexts()) part->Add(text);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteSegment({part}, path_);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  EXPECT_FALSE(common::ReadFile(path_).ok());
  EXPECT_FALSE(common::ReadFile(path_ + ".unfinished").ok());
}

TEST_F(LexicalSegmentTest, RefusesPiecesWithAGapBetweenThem) {
  auto first = std::make_shared<DeltaPart>(0);
  first->Add("row");
  auto second = std::make_shared<DeltaPart>(2);
  second->Add("row");
  EXPECT_EQ(WriteSegment({first, second}, path_).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteSegment({}, path_).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(WriteSegment({first}, folder_.path() + "/absent/segment").ok());
}

TEST_F(LexicalSegmentTest, FindsEveryTermOfAMergeAndNoOther) {
  LexicalPieces parts;
  std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>> wanted;
  RandomTexts texts(41, 3000, 10);
  uint32_t item = 0;
  for (int i = 0; i < 3; ++i) {
    auto part = std::make_shared<DeltaPart>(item);
    for (int k = 0; k < 1000; ++k, ++item) {
      const std::string text = texts.Next();
      part->Add(text);
      std::map<std::string, uint32_t> counts;
      for (const std::string& term : Tokenize(text)) ++counts[term];
      for (const auto& [term, count] : counts) wanted[term].emplace_back(item, count);
    }
    parts.push_back(part);
  }
  ASSERT_TRUE(WriteSegment(parts, path_).ok());
  const auto segment = *LexicalSegment::Open(path_);
  const auto terms = segment->Terms();
  for (const auto& [term, postings] : wanted) {
    ASSERT_TRUE(terms->valid());
    EXPECT_EQ(terms->term(), absl::string_view(term));
    std::vector<Posting> found;
    AppendPostings(segment->Find(term), 0, found);
    ASSERT_EQ(found.size(), postings.size()) << term;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].item, postings[i].first);
      EXPECT_EQ(found[i].count, postings[i].second);
      EXPECT_EQ(CountOf(segment->Find(term), found[i].item), found[i].count);
    }
    EXPECT_TRUE(segment->Find(term + "~").empty());
    terms->Next();
  }
  EXPECT_FALSE(terms->valid());
}

}  // namespace
}  // namespace kernelsmith::memory
