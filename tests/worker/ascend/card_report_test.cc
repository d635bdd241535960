// What an emulated card says about launches.
#include "worker/devices/ascend/card_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

constexpr const char* kReport = R"({"launches": [
  {"kernel": "add", "blocks": 8, "us": 12.5, "end": "done", "message": "", "truncated": false, "cores": [],
   "findings": [{"severity": "error", "check": "race", "operation": "Add", "buffer": "UB", "offset": 64, "bytes": 256,
     "core": "aiv 0", "file": "./src/kernel.asc", "line": 12, "text": "Add (./src/kernel.asc:12) reads what DataCopy may write", "count": 3,
     "hazard": "RAW", "other_operation": "DataCopy", "other_line": 10}]},
  {"kernel": "mul", "truncated": true,
   "findings": [{"severity": "note", "check": "pairing", "text": "a buffer was not freed"}]}]})";

TEST(CardReportTest, FindingsOfAllLaunchesAreRead) {
  const std::vector<v1::Finding> findings = ParseCardReport(kReport, "src/");
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].severity(), v1::Finding::ERROR);
  EXPECT_EQ(findings[0].check(), "race");
  EXPECT_EQ(findings[0].operation(), "Add");
  EXPECT_EQ(findings[0].buffer(), "UB");
  EXPECT_EQ(findings[0].offset(), 64);
  EXPECT_EQ(findings[0].bytes(), 256);
  EXPECT_EQ(findings[0].core(), "aiv 0");
  EXPECT_EQ(findings[0].file(), "kernel.asc");
  EXPECT_EQ(findings[0].line(), 12);
  EXPECT_EQ(findings[0].text(), "Add (kernel.asc:12) reads what DataCopy may write");
  EXPECT_EQ(findings[0].count(), 3);
  EXPECT_EQ(findings[1].severity(), v1::Finding::NOTE);
  EXPECT_EQ(findings[1].count(), 1);
  EXPECT_EQ(findings[2].check(), "truncated");
  EXPECT_EQ(findings[2].operation(), "mul");
}

TEST(CardReportTest, WhatIsNoReportHasNoFindings) {
  for (const char* text : {"", "nonsense", "[]", "{}", "{\"launches\": 3}", "{\"launches\": [1, {\"findings\": {}}]}",
                           "{\"launches\": [{\"findings\": [7]}]}"}) {
    EXPECT_TRUE(ParseCardReport(text, "").empty()) << text;
  }
}

TEST(CardReportTest, LaunchesHaveTheirTimes) {
  EXPECT_THAT(LaunchTimes(R"({"launches": [{"us": 12.5}, {"us": 3}, {}]})"), ::testing::ElementsAre(12.5, 3, 0));
  EXPECT_TRUE(LaunchTimes("oops").empty());
}

TEST(CardFactsTest, ARealCardHasNoLabel) {
  const auto facts = ParseCardFacts(
      R"({"soc": "Ascend910B3", "devices": 8, "aic_cores": 20, "aiv_cores": 40, "memory_bytes": 65536, "driver": "24.1",
          "label": ""})");
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->soc, "Ascend910B3");
  EXPECT_EQ(facts->aiv_cores, 40);
  EXPECT_EQ(facts->memory_bytes, 65536);
  EXPECT_EQ(facts->driver, "24.1");
  EXPECT_FALSE(facts->emulated());
  EXPECT_TRUE(ParseCardFacts(R"({"soc": "Ascend910B3", "label": "emulated-cann 1"})")->emulated());
}

TEST(CardFactsTest, ACardWithoutANameIsRefused) {
  const absl::Status status = ParseCardFacts(R"({"soc": ""})").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not tell its SoC"));
  EXPECT_FALSE(ParseCardFacts("oops").ok());
}

}  // namespace
}  // namespace kernelsmith::worker
