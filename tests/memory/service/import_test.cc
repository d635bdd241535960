// Export and Import through gRPC: what one server knows becomes what another one knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/exchange_rows.h"
#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

using testing::Call;
using ::testing::HasSubstr;
using Stub = v1::ExperienceMemory::Stub;

class ImportTest : public ::testing::Test {
 protected:
  static std::unique_ptr<grpc::ClientContext> Context() {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
    return context;
  }
  static std::vector<v1::ExchangeRow> Export(Stub& stub, const v1::ExportRequest& request = {}) {
    const auto context = Context();
    const auto reader = stub.Export(context.get(), request);
    std::vector<v1::ExchangeRow> rows;
    v1::ExchangeRow row;
    while (reader->Read(&row)) rows.push_back(row);
    EXPECT_TRUE(reader->Finish().ok());
    return rows;
  }
  // Sends the rows and returns what is said of each, and at the end of the stream.
  static std::vector<v1::ImportStatus> Import(Stub& stub, const std::vector<v1::ExchangeRow>& rows,
                                              const std::string& token = "") {
    const auto context = Context();
    const auto stream = stub.Import(context.get());
    std::vector<v1::ImportStatus> statuses;
    for (const v1::ExchangeRow& row : rows) {
      v1::ImportRequest request;
      if (statuses.empty()) request.set_resume_token(token);
      *request.mutable_row() = row;
      v1::ImportStatus status;
      if (!stream->Write(request) || !stream->Read(&status)) break;
      statuses.push_back(status);
    }
    stream->WritesDone();
    v1::ImportStatus last;
    while (stream->Read(&last)) statuses.push_back(last);
    end_ = common::FromGrpc(stream->Finish());
    return statuses;
  }
  static int Count(const std::vector<v1::ImportStatus>& statuses, v1::ImportStatus::Outcome outcome) {
    return static_cast<int>(std::count_if(statuses.begin(), statuses.end(),
                                          [&](const v1::ImportStatus& status) { return status.outcome() == outcome; }));
  }
  // Everything but the first row, which names server and time.
  static std::vector<std::string> Content(const std::vector<v1::ExchangeRow>& rows) {
    std::vector<std::string> content;
    for (const v1::ExchangeRow& row : rows) {
      if (row.has_attempt()) content.push_back(row.attempt().SerializeAsString());
      if (row.has_item()) content.push_back(row.item().SerializeAsString());
    }
    return content;
  }

  void Fill() {
    for (int i = 0; i < 8; ++i) {
      auto request = testing::Attempt(absl::StrCat("a", i), i == 0 ? "" : "a0", 1.0 + i * 0.1);
      request.mutable_case_()->mutable_thought()->clear_parameters();
      ASSERT_TRUE(Call(*stub_, &Stub::RecordAttempt, request).ok());
    }
    v1::RecordItemRequest item;
    item.set_producer("notes");
    item.set_item_key("banks");
    item.mutable_content()->set_kind(v1::INSIGHT);
    item.mutable_content()->set_title("Banks");
    item.mutable_content()->set_text("行缓冲对齐 avoids bank conflicts");
    ASSERT_TRUE(Call(*stub_, &Stub::RecordItem, item).ok());
  }

  static absl::Status end_;
  testing::MemoryServer server_;
  testing::MemoryServer other_;
  const std::unique_ptr<Stub> stub_ = server_.Stub();
  const std::unique_ptr<Stub> other_stub_ = other_.Stub();
};
absl::Status ImportTest::end_;

TEST_F(ImportTest, ARoundTripIsIdentical) {
  Fill();
  const std::vector<v1::ExchangeRow> rows = Export(*stub_);
  ASSERT_EQ(rows.size(), 11U);
  const std::vector<v1::ImportStatus> statuses = Import(*other_stub_, rows);
  EXPECT_TRUE(end_.ok()) << end_;
  EXPECT_EQ(Count(statuses, v1::ImportStatus::STORED), 9 + 1) << "the manifest counts";
  EXPECT_EQ(Count(statuses, v1::ImportStatus::COMPLETE), 1);
  EXPECT_EQ(Content(Export(*other_stub_)), Content(rows));
  const std::vector<v1::ImportStatus> again = Import(*other_stub_, rows);
  EXPECT_EQ(Count(again, v1::ImportStatus::DUPLICATE), 9);
}

TEST_F(ImportTest, WhatAServerExportedIsADuplicateThereToo) {
  Fill();  // without times and without an author of the item: the server fills both in
  const std::vector<v1::ExchangeRow> rows = Export(*stub_);
  for (int i = 0; i < 2; ++i) {
    const std::vector<v1::ImportStatus> statuses = Import(*stub_, rows);
    EXPECT_EQ(Count(statuses, v1::ImportStatus::DUPLICATE), 9);
    EXPECT_EQ(Count(statuses, v1::ImportStatus::COMPLETE), 1);
  }
  EXPECT_EQ(Content(Export(*stub_)), Content(rows)) << "nothing has changed";
}

TEST_F(ImportTest, OtherContentUnderAKnownIdIsStillRefused) {
  Fill();
  std::vector<v1::ExchangeRow> rows = Export(*stub_);
  common::RowChain chain;
  for (v1::ExchangeRow& row : rows) {
    if (row.has_attempt() && row.attempt().attempt_id() == "a3") row.mutable_attempt()->mutable_case_()->set_speedup(7);
    if (row.has_item()) row.mutable_item()->mutable_content()->set_text("something else altogether");
    if (row.has_closing()) *row.mutable_closing() = chain.Closing();
    ASSERT_TRUE(common::SealRow(&row).ok());
    ASSERT_TRUE(chain.Add(row).ok());
  }
  const std::vector<v1::ImportStatus> statuses = Import(*stub_, rows);
  EXPECT_EQ(Count(statuses, v1::ImportStatus::REFUSED), 2);
  EXPECT_EQ(Count(statuses, v1::ImportStatus::DUPLICATE), 7);
  EXPECT_EQ(Count(statuses, v1::ImportStatus::COMPLETE), 1);
}

TEST_F(ImportTest, AnAttemptWhosePredecessorWasFilteredOutIsARoot) {
  ASSERT_TRUE(Call(*stub_, &Stub::RecordAttempt, testing::FailedAttempt("f")).ok());
  ASSERT_TRUE(Call(*stub_, &Stub::RecordAttempt, testing::Attempt("g", "f", 1.5)).ok());
  ASSERT_TRUE(Call(*stub_, &Stub::RecordAttempt, testing::Attempt("h", "g", 3)).ok());
  v1::ExportRequest correct;
  correct.mutable_filter()->set_correct_only(true);
  const std::vector<v1::ExchangeRow> rows = Export(*stub_, correct);
  ASSERT_EQ(rows.size(), 2U + 2U);
  const std::vector<v1::ImportStatus> statuses = Import(*other_stub_, rows);
  EXPECT_EQ(statuses[1].outcome(), v1::ImportStatus::STORED);
  EXPECT_EQ(statuses[1].message(), "its predecessor 'f' is not recorded here: the attempt counts as a root");
  EXPECT_EQ(statuses[2].outcome(), v1::ImportStatus::STORED);
  EXPECT_EQ(statuses[2].message(), "");
  const auto lineage = Call(*other_stub_, &Stub::Lineage, v1::LineageRequest());
  ASSERT_EQ(lineage->nodes_size(), 2);
  EXPECT_EQ(lineage->nodes(0).r(), 1);
  EXPECT_EQ(lineage->nodes(1).prev_attempt_id(), "g");
  EXPECT_EQ(lineage->nodes(1).r(), 2);
  EXPECT_EQ(Content(Export(*other_stub_)), Content(rows)) << "the row keeps the predecessor's name";
  EXPECT_EQ(Count(Import(*other_stub_, rows), v1::ImportStatus::DUPLICATE), 2);
  const auto recorded = Call(*other_stub_, &Stub::RecordAttempt, testing::Attempt("i", "f"));
  EXPECT_EQ(recorded.status().code(), absl::StatusCode::kFailedPrecondition) << "a coordinator records in order";
}

TEST_F(ImportTest, RetiredItemsStayBehindUnlessTheyAreAskedFor) {
  Fill();
  v1::RetireRequest retire;
  retire.set_item_id(ContentItemId("local", "notes", "banks"));
  retire.set_reason("wrong");
  ASSERT_TRUE(Call(*stub_, &Stub::Retire, retire).ok());
  EXPECT_EQ(Export(*stub_).size(), 10U);
  v1::ExportRequest all;
  all.mutable_filter()->set_include_retired(true);
  EXPECT_EQ(Export(*stub_, all).size(), 11U);
}

TEST_F(ImportTest, AnInterruptedImportGoesOnFromItsToken) {
  Fill();
  const std::vector<v1::ExchangeRow> rows = Export(*stub_);
  const std::vector<v1::ExchangeRow> half(rows.begin(), rows.begin() + 5);
  const std::vector<v1::ImportStatus> statuses = Import(*other_stub_, half);
  EXPECT_EQ(Count(statuses, v1::ImportStatus::COMPLETE), 0);
  const std::string token = statuses[4].resume_token();
  ASSERT_FALSE(token.empty());
  const std::vector<v1::ImportStatus> rest = Import(*other_stub_, rows, token);
  EXPECT_EQ(Count(rest, v1::ImportStatus::SKIPPED), 5);
  EXPECT_EQ(Count(rest, v1::ImportStatus::COMPLETE), 1);
  EXPECT_EQ(Content(Export(*other_stub_)), Content(rows));
  Import(*other_stub_, rows, "nonsense");
  EXPECT_EQ(end_.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ImportTest, ADamagedRowIsRefusedAndChangesNothing) {
  Fill();
  std::vector<v1::ExchangeRow> rows = Export(*stub_);
  rows[3].mutable_attempt()->mutable_case_()->set_speedup(99);
  const std::vector<v1::ImportStatus> statuses = Import(*other_stub_, rows);
  EXPECT_EQ(statuses[3].outcome(), v1::ImportStatus::REFUSED);
  EXPECT_THAT(statuses[3].message(), HasSubstr("row"));
  EXPECT_EQ(Count(statuses, v1::ImportStatus::COMPLETE), 0);
  EXPECT_EQ(Call(*other_stub_, &Stub::Stats, v1::StatsRequest())->attempts(), 2);
}

}  // namespace
}  // namespace kernelsmith::memory
