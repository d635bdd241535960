// Files of vector segments: golden bytes, damage, cancellation, the same bytes for the same rows.
#include "memory/retrieval/vector/vector_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "absl/strings/escaping.h"
#include "common/hash.h"
#include "memory/retrieval/vector/code_builder.h"
#include "memory/retrieval/vector/code_scan.h"
#include "tests/memory/retrieval/vector_fixture.h"

namespace kernelsmith::memory {
namespace {

using testing::HasSubstr;

class VectorSegmentTest : public VectorFixture {
 protected:
  static std::string Bytes(const std::string& path) {
    auto bytes = common::ReadFile(path);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes.ok() ? *bytes : "";
  }

  absl::Status OpenBytes(const std::string& bytes) {
    EXPECT_TRUE(common::WriteFileAtomically(Path("damaged"), bytes).ok());
    return VectorSegment::Open(Path("damaged"), kTestEmbedder, kTestDimensions).status();
  }

  std::string Build(uint32_t items, BuildOptions options) {
    VectorIndex index(kTestEmbedder, kTestDimensions);
    AddItems(index, 1, items);
    const auto info = BuildSegment(index.Rows(0, items), Path("built"), options);
    EXPECT_TRUE(info.ok()) << info.status();
    return Bytes(Path("built"));
  }
};

TEST_F(VectorSegmentTest, FormatOneHasTheseBytes) {
  VectorIndex index("e/3", 3);
  ASSERT_TRUE(index.Add({1, 0, -0.5F}).ok());
  ASSERT_TRUE(index.Add({}).ok());
  ASSERT_TRUE(index.Add({0, 2, 0}).ok());
  ASSERT_TRUE(index.Add({2, 0, -1}).ok());
  const auto info = BuildSegment(index.Rows(0, 4), Path("golden"), {});
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->vectors, 3);
  EXPECT_EQ(info->rows, 2);
  const std::string bytes = Bytes(Path("golden"));
  ASSERT_EQ(bytes.size(), 128 + 64 + 2 * 64);
  std::string rest(bytes.size() - 80, '\0');
  const auto put = [&rest](size_t at, absl::string_view hex) {
    const std::string raw = absl::HexStringToBytes(hex);
    rest.replace(at - 80, raw.size(), raw);
  };
  put(80, "4001000000000000");                   // bytes of the file
  put(88, "0000000004000000");                   // items 0 to 4
  put(96, "0300000002000000");                   // dimensions, rows
  put(104, "000000000000000000000000");          // lists, groups, blocks
  put(116, "03000000652f33");                    // embedder id
  put(128, "00000000ffffffff0100000000000000");  // rows of the items
  put(192, "7f00c0");                            // 127 0 -64
  put(256, "007f00");                            // 0 127 0
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(80)), absl::BytesToHexString(rest));
  EXPECT_EQ(bytes.substr(0, 16), std::string("KSVECTOR\x01\0\0\0\x80\0\0\0", 16));
  EXPECT_EQ(bytes.substr(16, 64), common::Sha256Hex(rest));
  EXPECT_EQ(info->checksum, common::Sha256Hex(rest));
}

TEST_F(VectorSegmentTest, TheSameRowsGiveTheSameBytesOnAnyNumberOfThreads) {
  const std::string one = Build(3000, {.threads = 1, .codes_from = 100});
  EXPECT_EQ(one, Build(3000, {.threads = 3, .codes_from = 100}));
}

TEST_F(VectorSegmentTest, EveryDamagedByteIsNoticed) {
  const std::string good = Build(300, {.codes_from = 100});
  ASSERT_TRUE(OpenBytes(good).ok());
  for (size_t at = 0; at < good.size(); at += at < 256 ? 1 : 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const absl::Status status = OpenBytes(bad);
    EXPECT_TRUE(absl::IsDataLoss(status) || absl::IsFailedPrecondition(status)) << "byte " << at << ": " << status;
  }
}

TEST_F(VectorSegmentTest, EveryCutFileIsNoticed) {
  const std::string good = Build(300, {.codes_from = 100});
  for (size_t size = 0; size < good.size(); size += size < 256 ? 1 : 211) {
    EXPECT_TRUE(absl::IsDataLoss(OpenBytes(good.substr(0, size)))) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(OpenBytes(good + "x")));
}

// Damage that a checksum does not show, because a program wrote it.
TEST_F(VectorSegmentTest, NumbersThatLeadOutsideAreNoticedUnderAGoodChecksum) {
  const std::string good = Build(300, {.codes_from = 100});
  const auto with = [&good](size_t at, uint32_t number) {
    std::string bad = good;
    bad.replace(at, 4, std::string(reinterpret_cast<const char*>(&number), 4));
    bad.replace(16, 64, common::Sha256Hex(absl::string_view(bad).substr(80)));
    return bad;
  };
  ASSERT_TRUE(OpenBytes(with(88, 0)).ok());
  const size_t row_of = 128;
  const size_t rows = row_of + 1216;  // 300 numbers, padded
  uint32_t of_first = 0;              // the row of item 0: without item 1, the row of that has no item
  std::memcpy(&of_first, good.data() + row_of, sizeof of_first);
  for (const auto& [at, number] : std::vector<std::pair<size_t, uint32_t>>{{88, 7},
                                                                           {92, 9},
                                                                           {96, 0},
                                                                           {96, 9000},
                                                                           {100, 5},
                                                                           {100, 0xffffffff},
                                                                           {104, 0},
                                                                           {104, 400},
                                                                           {108, 2},
                                                                           {112, 77},
                                                                           {116, 0xfffffff0},
                                                                           {row_of, 100'000},
                                                                           {row_of + 4, of_first}}) {
    const absl::Status status = OpenBytes(with(at, number));
    EXPECT_TRUE(absl::IsDataLoss(status) || absl::IsFailedPrecondition(status)) << at << ": " << status;
  }
  std::string zero = good;
  zero.replace(rows, 64, std::string(64, '\0'));
  zero.replace(16, 64, common::Sha256Hex(absl::string_view(zero).substr(80)));
  EXPECT_TRUE(absl::IsDataLoss(OpenBytes(zero)));
}

TEST_F(VectorSegmentTest, ANewerFormatAndAnotherEmbedderAreRefusedByName) {
  std::string newer = Build(300, {});
  newer[8] = 2;
  absl::Status status = OpenBytes(newer);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("format 2; this program reads up to 1"));
  status = VectorSegment::Open(Path("built"), "http/x/48", kTestDimensions).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("of embedder 'test/48'"));
  EXPECT_TRUE(absl::IsNotFound(VectorSegment::Open(Path("absent"), kTestEmbedder, kTestDimensions).status()));
}

TEST_F(VectorSegmentTest, ACancelledBuildLeavesNoFile) {
  VectorIndex index(kTestEmbedder, kTestDimensions);
  AddItems(index, 1, 20'000);
  int looks = 0;
  const auto info = BuildSegment(index.Rows(0, 20'000), Path("cancelled"),
                                 {.codes_from = 100, .cancelled = [&looks] { return ++looks > 5; }});
  EXPECT_TRUE(absl::IsCancelled(info.status())) << info.status();
  EXPECT_TRUE(std::filesystem::is_empty(folder_->path()));
}

TEST_F(VectorSegmentTest, ProgressGrowsToTheEnd) {
  VectorIndex index(kTestEmbedder, kTestDimensions);
  AddItems(index, 1, 5000);
  uint32_t last = 0;
  uint32_t whole = 0;
  ASSERT_TRUE(BuildSegment(index.Rows(0, 5000), Path("built"),
                           {.codes_from = 100,
                            .progress =
                                [&](uint32_t done, uint32_t all) {
                                  EXPECT_GE(done, last);
                                  last = done;
                                  whole = all;
                                }})
                  .ok());
  EXPECT_GT(whole, 4000);
  EXPECT_GE(last + 1, whole);
}

TEST_F(VectorSegmentTest, AFolderThatIsNotThereIsAnError) {
  VectorIndex index(kTestEmbedder, kTestDimensions);
  AddItems(index, 1, 10);
  EXPECT_TRUE(absl::IsNotFound(BuildSegment(index.Rows(0, 10), Path("no/such/folder"), {}).status()));
}

TEST_F(VectorSegmentTest, ItemsWithoutAnyVectorMakeASegmentThatFindsNothing) {
  VectorIndex index(kTestEmbedder, kTestDimensions);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(index.Add({}).ok());
  ASSERT_NO_FATAL_FAILURE(Seal(index, 0, 5, {.codes_from = 0}));
  const auto hits = index.Search(TestVector(1, 1), 5, nullptr);
  ASSERT_TRUE(hits.ok());
  EXPECT_TRUE(hits->empty());
  EXPECT_EQ(index.without_vector(), 5);
}

TEST_F(VectorSegmentTest, CodesOfFewRowsAndOfAnyDimensionRankThem) {
  for (const int dimensions : {1, 2, 7, 96, 600}) {
    for (const uint32_t count : {1U, 3U, 200U}) {
      RowTable rows(RowStride(dimensions), count);
      for (uint32_t i = 0; i < count; ++i) {
        const auto row = QuantisedVector::From(TestVector(1, i, dimensions), dimensions);
        ASSERT_TRUE(row.ok());
        rows.Append(row->row(), row->inverse_length());
      }
      const auto coded = BuildCodes(rows, dimensions, {});
      ASSERT_TRUE(coded.ok());
      const std::vector<uint32_t> blocks = BlockBegins(coded->codes.list_begin);
      const auto query = QuantisedVector::From(TestVector(1, 7, dimensions), dimensions);
      const auto any = [](uint32_t) { return true; };
      EXPECT_EQ(LikelyRows(coded->codes, blocks, *query, dimensions, count, count, any).size(), count);
      const auto odd =
          LikelyRows(coded->codes, blocks, *query, dimensions, count, count, [](uint32_t row) { return row % 2 == 1; });
      EXPECT_EQ(odd.size(), count / 2);
      if (count < 200) continue;
      uint32_t best = 0;
      for (uint32_t i = 0; i < count; ++i) {
        if (coded->rows.Score(query->row(), i) > coded->rows.Score(query->row(), best)) best = i;
      }
      const auto likely = LikelyRows(coded->codes, blocks, *query, dimensions, count, 60, any);
      EXPECT_EQ(likely.size(), 60);
      if (dimensions > 2) {
        EXPECT_THAT(likely, testing::Contains(best)) << dimensions;
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::memory
