#include "kernelsmith/client/exchange_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_replace.h"
#include "common/exchange_rows.h"
#include "common/file_io.h"
#include "tests/client/example_export.h"
#include "tests/client/fake_server.h"

namespace kernelsmith::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ExchangeFile : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string Write(const std::string& text) const {
    EXPECT_TRUE(common::WriteFileAtomically(Path("in.jsonl"), text).ok());
    return Path("in.jsonl");
  }
  bool Exists(const std::string& path) const { return std::filesystem::exists(path); }
  absl::StatusOr<ImportSummary> Import(const std::string& path) {
    return ImportFromFile(memory_, path, {.reconnect_for = absl::Seconds(10)});
  }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-exchange-test");
  FakeServer server_;
  MemoryClient memory_ = *MemoryClient::Connect({.address = server_.address(), .retry_for = absl::Seconds(10)});
};

TEST_F(ExchangeFile, AnExportIsTheRowsAsTheyCame) {
  server_.memory.exported = ExampleExport(3);
  v1::ExportRequest request;
  request.add_held_out_operators("softmax");
  const auto wrote = ExportToFile(memory_, request, Path("out.jsonl"));
  ASSERT_TRUE(wrote.ok()) << wrote.status();
  EXPECT_EQ(*common::ReadFile(Path("out.jsonl")), ExportLines(server_.memory.exported));
  EXPECT_EQ(wrote->attempts, 2U);
  EXPECT_EQ(wrote->items, 1U);
  EXPECT_EQ(wrote->sha256, server_.memory.exported.back().closing().sha256());
  EXPECT_THAT(server_.memory.LastExport().held_out_operators(), ElementsAre("softmax"));
  EXPECT_FALSE(Exists(Path("out.jsonl.partial")));
}

TEST_F(ExchangeFile, AnExportStartsOverAfterABrokenConnection) {
  server_.memory.exported = ExampleExport(3);
  server_.memory.BreakNext("Export", 2);
  const auto wrote = ExportToFile(memory_, {}, Path("out.jsonl"));
  ASSERT_TRUE(wrote.ok()) << wrote.status();
  EXPECT_EQ(*common::ReadFile(Path("out.jsonl")), ExportLines(server_.memory.exported));
}

TEST_F(ExchangeFile, ADamagedOrCutExportLeavesNoFile) {
  const std::vector<v1::ExchangeRow> whole = ExampleExport(3);
  auto changed = whole;
  changed[1].mutable_attempt()->set_attempt_id("other");
  auto cut = whole;
  cut.pop_back();
  auto gap = whole;
  gap.erase(gap.begin() + 2);
  for (const auto& rows : {changed, cut, gap}) {
    server_.memory.exported = rows;
    const auto wrote = ExportToFile(memory_, {}, Path("out.jsonl"));
    EXPECT_TRUE(absl::IsDataLoss(wrote.status())) << wrote.status();
    EXPECT_FALSE(Exists(Path("out.jsonl")));
    EXPECT_FALSE(Exists(Path("out.jsonl.partial")));
  }
}

TEST_F(ExchangeFile, AnExportOverwritesNothingAndSaysWhereItCannotWrite) {
  server_.memory.exported = ExampleExport(1);
  EXPECT_TRUE(absl::IsAlreadyExists(ExportToFile(memory_, {}, Write("mine")).status()));
  EXPECT_EQ(*common::ReadFile(Path("in.jsonl")), "mine");
  const auto nowhere = ExportToFile(memory_, {}, Path("absent/out.jsonl"));
  EXPECT_TRUE(absl::IsInvalidArgument(nowhere.status())) << nowhere.status();
}

TEST_F(ExchangeFile, AnImportSendsEveryRowOnce) {
  const auto rows = ExampleExport(4);
  server_.memory.refused_rows = {3};
  std::vector<uint64_t> refused;
  const auto took = ImportFromFile(memory_, Write(ExportLines(rows)),
                                   {.on_refused = [&](const v1::ImportStatus& s) { refused.push_back(s.number()); }});
  ASSERT_TRUE(took.ok()) << took.status();
  EXPECT_EQ(took->stored, 3U);
  EXPECT_EQ(took->refused, 1U);
  EXPECT_EQ(took->bytes_read, took->total_bytes);
  EXPECT_TRUE(took->complete);
  EXPECT_FALSE(took->resumed);
  EXPECT_THAT(refused, ElementsAre(3));
  EXPECT_THAT(server_.memory.ImportedRows(), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(server_.memory.ResumeTokens(), ElementsAre(""));
  EXPECT_FALSE(Exists(ResumeFileOf(Path("in.jsonl"))));
}

TEST_F(ExchangeFile, AnImportGoesOnByItselfAfterABrokenConnection) {
  server_.memory.BreakNext("Import", 3);
  server_.memory.FailNext("Import", grpc::Status(grpc::StatusCode::UNAVAILABLE, "starting"));
  const auto took = Import(Write(ExportLines(ExampleExport(5))));
  ASSERT_TRUE(took.ok()) << took.status();
  EXPECT_EQ(took->stored, 5U);
  EXPECT_EQ(took->skipped, 2U);
  EXPECT_THAT(server_.memory.ResumeTokens(), ElementsAre("", "2"));
}

TEST_F(ExchangeFile, AnInterruptedImportGoesOnWhereItStopped) {
  const std::string path = Write(ExportLines(ExampleExport(6)));
  server_.memory.HoldImportAt(4);
  std::stop_source stop;
  ImportOptions options;
  options.on_progress = [&](const ImportSummary& so_far) {
    if (so_far.stored >= 2) stop.request_stop();
  };
  const auto broken = ImportFromFile(memory_, path, options, stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(broken.status())) << broken.status();
  EXPECT_TRUE(Exists(ResumeFileOf(path)));
  server_.memory.HoldImportAt(0);
  const auto took = Import(path);
  ASSERT_TRUE(took.ok()) << took.status();
  EXPECT_TRUE(took->resumed);
  EXPECT_EQ(took->stored + took->skipped + took->duplicates, 6U);
  EXPECT_EQ(took->skipped, 2U);
  EXPECT_EQ(server_.memory.ImportedRows().size(), 7U);
  EXPECT_FALSE(Exists(ResumeFileOf(path)));
}

TEST_F(ExchangeFile, AnotherExportUnderTheSameNameStartsAnew) {
  const std::string path = Write(ExportLines(ExampleExport(2)));
  EXPECT_TRUE(common::WriteFileAtomically(ResumeFileOf(path), R"({"export_sha256": "other", "server": ")" +
                                                                  server_.address() + R"(", "resume_token": "1"})")
                  .ok());
  const auto took = Import(path);
  ASSERT_TRUE(took.ok()) << took.status();
  EXPECT_FALSE(took->resumed);
  EXPECT_THAT(server_.memory.ResumeTokens(), ElementsAre(""));
}

TEST_F(ExchangeFile, ATokenThatTheServerForgotStartsAnew) {
  const auto rows = ExampleExport(2);
  const std::string path = Write(ExportLines(rows));
  EXPECT_TRUE(common::WriteFileAtomically(ResumeFileOf(path), R"({"export_sha256": ")" + rows[0].sha256() +
                                                                  R"(", "server": ")" + server_.address() +
                                                                  R"(", "resume_token": "old"})")
                  .ok());
  server_.memory.unknown_tokens = {"old"};
  const auto took = Import(path);
  ASSERT_TRUE(took.ok()) << took.status();
  EXPECT_EQ(took->stored, 2U);
  EXPECT_THAT(server_.memory.ResumeTokens(), ElementsAre("old", ""));
}

TEST_F(ExchangeFile, ADamagedFileIsRefusedByLineAndWhatCameBeforeIsStored) {
  const std::string text = ExportLines(ExampleExport(4));
  const size_t third = text.find("rule-1");
  const struct {
    std::string text;
    const char* reason;
    bool loss;
  } rows[] = {
      {text.substr(0, third) + "rule-X" + text.substr(third + 6), "line 3: row 2 of the export was changed", true},
      {text.substr(0, text.size() - 40), "was cut off", true},
      {text.substr(0, text.rfind("{\"closing")), "without a closing row", true},
      {absl::StrReplaceAll(text, {{"{\"attempt\":{\"attempt_id\":\"j/2\"}", "{"}}), "line 4", false},
      {"not JSON\n", "line 1", false},
      {"", "is empty", false},
  };
  for (const auto& row : rows) {
    const auto took = Import(Write(row.text));
    EXPECT_THAT(std::string(took.status().message()), HasSubstr(row.reason));
    EXPECT_EQ(absl::IsDataLoss(took.status()), row.loss) << took.status();
  }
  EXPECT_EQ(server_.memory.ImportedRows().count(1), 1U);
  EXPECT_TRUE(absl::IsInvalidArgument(Import(Path("absent.jsonl")).status()));
}

TEST_F(ExchangeFile, ANewerFormatIsRefusedBeforeAnythingIsSent) {
  v1::ExchangeRow manifest = ExampleExport(1)[0];
  manifest.mutable_manifest()->set_format(2);
  ASSERT_TRUE(common::SealRow(&manifest).ok());
  const auto took = Import(Write(ExportLines({manifest})));
  EXPECT_TRUE(absl::IsFailedPrecondition(took.status())) << took.status();
  EXPECT_EQ(server_.memory.Calls("Import"), 0);
  EXPECT_THAT(server_.memory.ImportedRows(), IsEmpty());
}

TEST_F(ExchangeFile, AnImportThatTheServerStoppedSaysWhyAndGoesOn) {
  const std::string path = Write(ExportLines(ExampleExport(3)));
  server_.memory.refused_rows = {2, 3, 4};  // the closing row too, as when its disk is full
  const auto stopped = Import(path);
  EXPECT_TRUE(absl::IsAborted(stopped.status())) << stopped.status();
  EXPECT_THAT(std::string(stopped.status().message()), HasSubstr("taken by another attempt"));
  EXPECT_TRUE(Exists(ResumeFileOf(path)));
}

TEST_F(ExchangeFile, AServerThatStaysAwayIsUnavailable) {
  server_.Stop();
  const auto took =
      ImportFromFile(memory_, Write(ExportLines(ExampleExport(1))), {.reconnect_for = absl::Milliseconds(1)});
  EXPECT_TRUE(absl::IsUnavailable(took.status())) << took.status();
}

}  // namespace
}  // namespace kernelsmith::client
