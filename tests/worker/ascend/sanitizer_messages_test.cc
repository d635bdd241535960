// What mssanitizer prints.
#include "worker/diagnostics/sanitizer_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOutput =
    "[mssanitizer] logging to ./mindstudio_sanitizer_log\n"
    "====== ERROR: illegal write of size 224\n"
    "======    at 0x12c0c0015000 on GM in add_custom_kernel\n"
    "======    in block aiv(0) on device 0\n"
    "======    code in pc current 0x77c (serialNo:10)\n"
    "======    #0 /work/kernel.asc:55:9\n"
    "======    #1 /work/kernel.asc:70:3\n"
    "\n"
    "====== ERROR: Potential RAW hazard detected at UB in kernel on device 0:\n"
    "======    PIPE_MTE2 Write at RAW()+0x40 in block 0 (aiv) on device 0 at pc current 0x10 (serialNo:14)\n"
    "======    #0 /work/kernel.asc:30:5\n"
    "======    PIPE_V Read at RAW()+0x40 in block 0 (aiv) on device 0 at pc current 0x20 (serialNo:15)\n"
    "====== WARNING: Unpaired set_flag instructions detected\n"
    "======    from PIPE_S to PIPE_MTE3 in kernel\n"
    "====== ERROR: uninitialized read of size 32\n"
    "[mssanitizer] Sanitizer finished on kernel add_custom_kernel.\n";

TEST(SanitizerMessagesTest, EveryReportIsAFinding) {
  const std::vector<v1::Finding> findings = ParseSanitizerMessages(kOutput);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].severity(), v1::Finding::ERROR);
  EXPECT_EQ(findings[0].check(), "out_of_bounds");
  EXPECT_EQ(findings[0].bytes(), 224);
  EXPECT_EQ(findings[0].offset(), 0x12c0c0015000);
  EXPECT_EQ(findings[0].buffer(), "GM");
  EXPECT_EQ(findings[0].core(), "aiv(0)");
  EXPECT_EQ(findings[0].file(), "/work/kernel.asc");
  EXPECT_EQ(findings[0].line(), 55);
  EXPECT_EQ(findings[1].check(), "race");
  EXPECT_EQ(findings[1].buffer(), "UB");
  EXPECT_EQ(findings[1].offset(), 0x40);
  EXPECT_EQ(findings[1].line(), 30);
  EXPECT_EQ(findings[1].operation(), "PIPE_V Read");
  EXPECT_THAT(findings[1].text(), HasSubstr("PIPE_MTE2 Write"));
  EXPECT_EQ(findings[2].severity(), v1::Finding::NOTE);
  EXPECT_EQ(findings[2].check(), "pairing");
  EXPECT_THAT(findings[2].text(), HasSubstr("from PIPE_S to PIPE_MTE3"));
  EXPECT_EQ(findings[3].check(), "uninitialized");
  EXPECT_EQ(findings[3].bytes(), 32);
}

TEST(SanitizerMessagesTest, ACleanRunHasNoFindings) {
  EXPECT_TRUE(ParseSanitizerMessages("[mssanitizer] Sanitizer finished on kernel k. No error detected.\n").empty());
}

TEST(SanitizerMessagesTest, HalfALineIsNoTrap) {
  for (const char* text : {"======", "====== ERROR: ", "====== ERROR: x of size \n======    at 0x on\n======    #\n",
                           "====== ERROR: a\n======    #0 nowhere\n======    in block \n======    PIPE_\n"}) {
    (void)ParseSanitizerMessages(text);
  }
}

}  // namespace
}  // namespace kernelsmith::worker
