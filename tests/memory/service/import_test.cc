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
  static std::vector<v1::ExchangeRow> Export(Stub& stub) {
    const auto context = Context();
    const auto reader = stub.Export(context.get(), v1::ExportRequest());
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
