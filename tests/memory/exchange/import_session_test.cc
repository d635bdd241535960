#include "memory/exchange/import_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "tests/memory/random_message.h"

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Status = v1::ImportStatus;

// Keeps what it is given, in order, and knows it again by id.
class FakeSink : public ImportSink {
 public:
  absl::StatusOr<Stored> StoreAttempt(const v1::RecordAttemptRequest& attempt) override {
    v1::ExchangeRow row;
    *row.mutable_attempt() = attempt;
    return Store(absl::StrCat("attempt ", attempt.producer(), " ", attempt.attempt_id()), std::move(row));
  }
  absl::StatusOr<Stored> StoreItem(const v1::RecordItemRequest& item) override {
    v1::ExchangeRow row;
    *row.mutable_item() = item;
    return Store(absl::StrCat("item ", item.producer(), " ", item.item_key()), std::move(row));
  }

  std::vector<v1::ExchangeRow> rows;
  absl::Status next;  // the error of the next call

 private:
  absl::StatusOr<Stored> Store(const std::string& id, v1::ExchangeRow row) {
    if (!next.ok()) return std::exchange(next, absl::OkStatus());
    const auto [known, is_new] = places_.emplace(id, rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
    } else if (*common::CanonicalJson(rows[known->second]) != *common::CanonicalJson(row)) {
      return absl::AlreadyExistsError("other content under this id");
    }
    return Stored{.item_id = id, .duplicate = !is_new};
  }

  std::map<std::string, size_t> places_;
};

// Manifest, rows, closing: numbered, hashed, chained.
std::vector<v1::ExchangeRow> ExportOf(const std::vector<v1::ExchangeRow>& content, const std::string& team = "a") {
  std::vector<v1::ExchangeRow> rows;
  common::RowChain chain;
  const auto add = [&](v1::ExchangeRow row) {
    row.set_number(chain.next_number());
    EXPECT_TRUE(common::SealRow(&row).ok());
    EXPECT_TRUE(chain.Add(row).ok());
    rows.push_back(std::move(row));
  };
  v1::ExchangeRow manifest;
  manifest.mutable_manifest()->set_format(common::kExchangeFormat);
  manifest.mutable_manifest()->set_team(team);
  add(manifest);
  for (const v1::ExchangeRow& row : content) add(row);
  v1::ExchangeRow closing;
  *closing.mutable_closing() = chain.Closing();
  add(closing);
  return rows;
}

std::vector<v1::ExchangeRow> RandomContent(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<v1::ExchangeRow> content;
  for (int i = 0; i < count; ++i) {
    v1::ExchangeRow row;
    if (random() % 2 == 0) {
      testing::FillAtRandom(random, row.mutable_attempt());
      row.mutable_attempt()->set_attempt_id(absl::StrCat("attempt-", i));
    } else {
      testing::FillAtRandom(random, row.mutable_item());
      row.mutable_item()->set_item_key(absl::StrCat("item-", i));
    }
    const std::string bytes = row.SerializeAsString();
    EXPECT_TRUE(content.emplace_back().ParseFromString(bytes));  // map keys that repeat are gone
  }
  return content;
}

class ImportSessionTest : public ::testing::Test {
 protected:
  // The outcomes of rows [first, last).
  std::vector<Status::Outcome> Take(ImportSession& session, size_t first, size_t last) {
    std::vector<Status::Outcome> outcomes;
    for (size_t i = first; i < last; ++i) outcomes.push_back((last_ = session.Take(rows_[i])).outcome());
    return outcomes;
  }

  std::vector<v1::ExchangeRow> rows_ = ExportOf(RandomContent(1, 6));  // 0 manifest, 1 to 6, 7 closing
  FakeSink sink_;
  Status last_;
};

TEST_F(ImportSessionTest, StoresEveryRowAndAgreesWithTheClosingHash) {
  ImportSession session(sink_);
  EXPECT_THAT(Take(session, 0, 7), ::testing::Each(Status::STORED));
  EXPECT_FALSE(session.complete());
  EXPECT_EQ(last_.item_id().empty(), false);
  EXPECT_EQ(session.Take(rows_[7]).outcome(), Status::COMPLETE);
  EXPECT_TRUE(session.complete());
  EXPECT_EQ(sink_.rows.size(), 6u);
}

// Through JSON lines into an empty store and out again: the same lines but for the manifest.
TEST_F(ImportSessionTest, GivesBackWhatWasExportedLineByLine) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<v1::ExchangeRow> first = ExportOf(RandomContent(seed, 12));
    FakeSink sink;
    ImportSession session(sink);
    std::vector<std::string> lines;
    for (const v1::ExchangeRow& row : first) {
      lines.push_back(*common::EncodeRow(row));
      const auto decoded = common::DecodeRow(lines.back());
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      const Status status = session.Take(*decoded);
      ASSERT_NE(status.outcome(), Status::REFUSED) << status.message();
    }
    ASSERT_TRUE(session.complete());
    const std::vector<v1::ExchangeRow> second = ExportOf(sink.rows, "a");
    ASSERT_EQ(second.size(), first.size());
    for (size_t i = 0; i < second.size(); ++i) EXPECT_EQ(*common::EncodeRow(second[i]), lines[i]);
  }
}

TEST_F(ImportSessionTest, CallsWhatIsThereAlreadyADuplicate) {
  ImportSession first(sink_);
  Take(first, 0, rows_.size());
  ImportSession second(sink_);
  EXPECT_EQ(second.Take(rows_[0]).outcome(), Status::STORED);
  EXPECT_THAT(Take(second, 1, 7), ::testing::Each(Status::DUPLICATE));
  EXPECT_EQ(second.Take(rows_[7]).outcome(), Status::COMPLETE);
  EXPECT_EQ(sink_.rows.size(), 6u);
}

TEST_F(ImportSessionTest, RefusesABadRowChangesNothingAndTakesItOnceItIsRight) {
  struct Case {
    const char* message;
    std::function<void(v1::ExchangeRow&)> spoil;
  };
  const std::vector<Case> cases = {
      {"its hash differs", [](v1::ExchangeRow& row) { row.mutable_attempt()->set_producer("changed"); }},
      {"its hash differs", [](v1::ExchangeRow& row) { row.set_sha256(std::string(64, '0')); }},
      {"neither a manifest", [](v1::ExchangeRow& row) { row.clear_row(); }},
      {"comes where row 3 belongs",
       [](v1::ExchangeRow& row) {
         row.set_number(4);
         ASSERT_TRUE(common::SealRow(&row).ok());
       }},
      {"comes where row 3 belongs",
       [](v1::ExchangeRow& row) {
         row.set_number(2);
         ASSERT_TRUE(common::SealRow(&row).ok());
       }},
      {"second manifest",
       [](v1::ExchangeRow& row) {
         row.mutable_manifest()->set_format(1);
         ASSERT_TRUE(common::SealRow(&row).ok());
       }},
      {"fields that this program does not know",
       [](v1::ExchangeRow& row) { row.GetReflection()->MutableUnknownFields(&row)->AddVarint(999, 1); }},
      {"fields that this program does not know",
       [](v1::ExchangeRow& row) {
         auto& thought = *row.mutable_attempt()->mutable_case_()->mutable_thought();
         thought.GetReflection()->MutableUnknownFields(&thought)->AddVarint(999, 1);
       }},
      {"bytes; at most",
       [](v1::ExchangeRow& row) {
         row.mutable_attempt()->mutable_case_()->set_code_after(std::string(10 << 20, 'x'));
       }},
      {"format 2, this program knows 1",
       [](v1::ExchangeRow& row) {
         row.mutable_manifest()->set_format(2);
         ASSERT_TRUE(common::SealRow(&row).ok());
       }},
      {"closes 9 rows", [](v1::ExchangeRow& row) {
         row.mutable_closing()->set_rows(9);
         ASSERT_TRUE(common::SealRow(&row).ok());
       }}};
  for (const Case& test : cases) {
    FakeSink sink;
    ImportSession session(sink);
    Take(session, 0, 3);
    const std::string token = last_.resume_token();
    v1::ExchangeRow spoiled = rows_[3];
    test.spoil(spoiled);
    const Status status = session.Take(spoiled);
    EXPECT_EQ(status.outcome(), Status::REFUSED) << test.message;
    EXPECT_THAT(status.message(), HasSubstr(test.message));
    EXPECT_EQ(status.resume_token(), token);
    EXPECT_EQ(sink.rows.size(), 2u);
    EXPECT_THAT(Take(session, 3, 7), ::testing::Each(Status::STORED));
    EXPECT_EQ(session.Take(rows_[7]).outcome(), Status::COMPLETE);
  }
}

TEST_F(ImportSessionTest, TakesNothingWithoutAManifest) {
  ImportSession session(sink_);
  EXPECT_THAT(Take(session, 1, 8), ::testing::Each(Status::REFUSED));
  EXPECT_THAT(last_.resume_token(), IsEmpty());
  EXPECT_THAT(session.Truncated().message(), HasSubstr("the rows end before row 0"));
  EXPECT_THAT(sink_.rows, IsEmpty());
}

TEST_F(ImportSessionTest, PassesOverARowThatTheStoreRefusesForWhatItSays) {
  ImportSession session(sink_);
  Take(session, 0, 3);
  sink_.next = absl::FailedPreconditionError("the predecessor is not recorded");
  EXPECT_THAT(Take(session, 3, 4), ::testing::ElementsAre(Status::REFUSED));
  EXPECT_EQ(last_.message(), "the predecessor is not recorded");
  EXPECT_THAT(Take(session, 4, 7), ::testing::Each(Status::STORED));
  EXPECT_EQ(session.Take(rows_[7]).outcome(), Status::COMPLETE) << "the rows themselves are as they were exported";
}

TEST_F(ImportSessionTest, StopsWhereTheStoreCannotWriteAndGoesOnThereWithTheToken) {
  ImportSession session(sink_);
  Take(session, 0, 3);
  sink_.next = common::Exhausted("the disk is full", absl::Seconds(10));
  EXPECT_THAT(Take(session, 3, 6), ::testing::Each(Status::REFUSED));
  EXPECT_THAT(last_.message(), HasSubstr("the disk is full"));
  ImportSession later(sink_);
  ASSERT_TRUE(later.Resume(last_.resume_token()).ok());
  EXPECT_THAT(Take(later, 3, 7), ::testing::Each(Status::STORED));
  EXPECT_EQ(later.Take(rows_[7]).outcome(), Status::COMPLETE);
  EXPECT_EQ(sink_.rows.size(), 6u);
}

TEST_F(ImportSessionTest, GoesOnFromAnyTokenWhetherEarlierRowsAreSentAgainOrNot) {
  for (size_t stop = 1; stop <= 7; ++stop) {
    for (const bool again : {false, true}) {
      FakeSink sink;
      ImportSession broken(sink);
      Take(broken, 0, stop);
      ImportSession session(sink);
      ASSERT_TRUE(session.Resume(last_.resume_token()).ok());
      EXPECT_THAT(Take(session, 0, again ? stop : 0), ::testing::Each(Status::SKIPPED));
      EXPECT_THAT(Take(session, stop, 7), ::testing::Each(Status::STORED));
      EXPECT_EQ(session.Take(rows_[7]).outcome(), Status::COMPLETE);
      EXPECT_EQ(sink.rows.size(), 6u);
    }
  }
}

TEST_F(ImportSessionTest, RefusesATokenOfAnotherExport) {
  ImportSession broken(sink_);
  Take(broken, 0, 3);
  ImportSession session(sink_);
  ASSERT_TRUE(session.Resume(last_.resume_token()).ok());
  rows_ = ExportOf(RandomContent(2, 6), "b");
  EXPECT_THAT(Take(session, 0, 8), ::testing::Each(Status::REFUSED));
  EXPECT_THAT(last_.message(), HasSubstr("another export"));
  EXPECT_EQ(sink_.rows.size(), 2u);
}

// Without the manifest a row of another export is found out by the closing hash at the latest.
TEST_F(ImportSessionTest, NeverCompletesWithRowsOfTwoExports) {
  ImportSession broken(sink_);
  Take(broken, 0, 3);
  ImportSession session(sink_);
  ASSERT_TRUE(session.Resume(last_.resume_token()).ok());
  rows_ = ExportOf(RandomContent(2, 6), "b");
  Take(session, 3, 8);
  EXPECT_EQ(last_.outcome(), Status::REFUSED);
  EXPECT_FALSE(session.complete());
}

TEST_F(ImportSessionTest, SaysWhereATruncatedExportGoesOn) {
  ImportSession session(sink_);
  Take(session, 0, 5);
  const Status status = session.Truncated();
  EXPECT_EQ(status.outcome(), Status::REFUSED);
  EXPECT_EQ(status.number(), 5u);
  EXPECT_EQ(status.resume_token(), last_.resume_token());
}

}  // namespace
}  // namespace kernelsmith::memory
