#include "common/exchange_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/hash.h"

namespace kernelsmith::common {
namespace {

using testing::HasSubstr;

v1::ExchangeRow Sealed(v1::ExchangeRow row) {
  EXPECT_TRUE(SealRow(&row).ok());
  return row;
}

v1::ExchangeRow ManifestRow() {
  v1::ExchangeRow row;
  row.mutable_manifest()->set_format(1);
  row.mutable_manifest()->set_team("a");
  return Sealed(row);
}

v1::ExchangeRow AttemptRow(uint64_t number) {
  v1::ExchangeRow row;
  row.set_number(number);
  row.mutable_attempt()->set_attempt_id("j/1");
  v1::Case& tried = *row.mutable_attempt()->mutable_case_();
  tried.set_latency_us(12.5);
  (*tried.mutable_thought()->mutable_parameters())["tile"] = "4096";
  (*tried.mutable_thought()->mutable_parameters())["buffers"] = "2";
  tried.set_code_after("a \"b\"\n\xE6\xA0\xB8");
  return Sealed(row);
}

v1::ExchangeRow ClosingRow(const RowChain& chain) {
  v1::ExchangeRow row;
  row.set_number(chain.next_number());
  *row.mutable_closing() = chain.Closing();
  return Sealed(row);
}

TEST(ExchangeRows, AreTheDocumentedBytes) {
  const v1::ExchangeRow row = AttemptRow(1);
  const std::string bare =
      "{\"attempt\":{\"attempt_id\":\"j/1\",\"case\":{\"code_after\":\"a "
      "\\\"b\\\"\\n\xE6\xA0\xB8\",\"latency_us\":12.5,"
      "\"thought\":{\"parameters\":{\"buffers\":\"2\",\"tile\":\"4096\"}}}},\"number\":\"1\"";
  EXPECT_EQ(row.sha256(), Sha256Hex(bare + "}"));
  EXPECT_EQ(*EncodeRow(row), bare + ",\"sha256\":\"" + row.sha256() + "\"}");
}

TEST(ExchangeRows, SurviveARoundTripByteForByte) {
  const std::string line = *EncodeRow(AttemptRow(7));
  const absl::StatusOr<v1::ExchangeRow> row = DecodeRow(line);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(*EncodeRow(*row), line);
}

TEST(ExchangeRows, KeepEveryBitOfANumber) {
  for (const double value : {0.1, 1.0 / 3, 1e-9, 123456789.123456789, 1e22, 5e-324}) {
    v1::ExchangeRow row = AttemptRow(1);
    row.mutable_attempt()->mutable_case_()->set_latency_us(value);
    EXPECT_EQ(DecodeRow(*EncodeRow(Sealed(row)))->attempt().case_().latency_us(), value);
  }
}

TEST(ExchangeRows, ThatWereChangedAreRefused) {
  std::string line = *EncodeRow(AttemptRow(1));
  line.replace(line.find("4096"), 4, "8192");
  const absl::Status status = DecodeRow(line).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("row 1"));
}

TEST(ExchangeRows, ThatAreNoneAreRefused) {
  for (const char* line : {"", "{", "[]", "{}", "{\"number\":\"1\"}", "{\"unknown\":1}", "\xFF"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeRow(line).status())) << line;
  }
}

TEST(RowChain, AcceptsWhatItClosedItself) {
  RowChain writer;
  RowChain reader;
  for (const v1::ExchangeRow& row : {ManifestRow(), AttemptRow(1), AttemptRow(2)}) {
    EXPECT_TRUE(writer.Add(row).ok());
    EXPECT_TRUE(reader.Add(row).ok());
  }
  const v1::ExchangeRow closing = ClosingRow(writer);
  EXPECT_EQ(closing.closing().rows(), 2U);
  EXPECT_TRUE(reader.Add(closing).ok());
  EXPECT_TRUE(reader.closed());
}

TEST(RowChain, GoesOnFromItsTwoValues) {
  RowChain whole;
  ASSERT_TRUE(whole.Add(ManifestRow()).ok());
  ASSERT_TRUE(whole.Add(AttemptRow(1)).ok());
  RowChain rest(whole.next_number(), whole.digest());
  ASSERT_TRUE(whole.Add(AttemptRow(2)).ok());
  ASSERT_TRUE(rest.Add(AttemptRow(2)).ok());
  EXPECT_EQ(rest.digest(), whole.digest());
}

TEST(RowChain, NamesTheRowThatIsWrong) {
  const auto after = [](const std::vector<v1::ExchangeRow>& rows, const v1::ExchangeRow& last) {
    RowChain chain;
    for (const auto& row : rows) EXPECT_TRUE(chain.Add(row).ok());
    return chain.Add(last);
  };
  const v1::ExchangeRow manifest = ManifestRow();
  EXPECT_THAT(std::string(after({}, AttemptRow(0)).message()), HasSubstr("no manifest"));
  EXPECT_THAT(std::string(after({manifest}, AttemptRow(2)).message()),
              HasSubstr("row 2 of the export comes where row 1"));
  v1::ExchangeRow second = manifest;
  second.set_number(1);
  EXPECT_THAT(std::string(after({manifest}, Sealed(second)).message()), HasSubstr("second manifest"));

  RowChain other;
  EXPECT_TRUE(other.Add(manifest).ok());
  const absl::Status early = after({manifest, AttemptRow(1)}, [&] {
    v1::ExchangeRow row = ClosingRow(other);
    row.set_number(2);
    return Sealed(row);
  }());
  EXPECT_TRUE(absl::IsDataLoss(early));
  EXPECT_THAT(std::string(early.message()), HasSubstr("closes 0 rows"));

  v1::ExchangeRow closing = ClosingRow(other);
  v1::ExchangeRow late = AttemptRow(2);
  EXPECT_THAT(std::string(after({manifest, closing}, late).message()), HasSubstr("after the closing row"));
}

TEST(RowChain, RefusesANewerFormatWithBothNumbers) {
  v1::ExchangeRow row = ManifestRow();
  row.mutable_manifest()->set_format(2);
  const absl::Status status = RowChain().Add(Sealed(row));
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), testing::AllOf(HasSubstr("format 2"), HasSubstr("knows 1")));
  const absl::Status unknown = DecodeRow("{\"manifest\":{\"format\":3,\"new\":1},\"number\":\"0\"}").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(unknown)) << unknown;
}

}  // namespace
}  // namespace kernelsmith::common
