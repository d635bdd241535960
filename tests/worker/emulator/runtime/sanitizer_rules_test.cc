#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/emulator/sanitizer/console_text.h"
#include "worker/emulator/sanitizer/options.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SanitizerOptions, AreReadUpToTheProgram) {
  const auto options = ParseSanitizerOptions({"-t", "racecheck", "--leak-check=yes", "--kernel-name=add",
                                              "--block-id=2", "--cache-size=100", "--full-backtrace=yes", "--demangle",
                                              "simple", "--log-file=f", "--", "./app", "-t", "x"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->tool, SanitizerTool::kRacecheck);
  EXPECT_TRUE(options->leak_check);
  EXPECT_EQ(options->kernel_name, "add");
  EXPECT_EQ(options->block, 2);
  EXPECT_EQ(options->log_file, "f");
  EXPECT_THAT(options->program, ElementsAre("./app", "-t", "x"));
  EXPECT_THAT(ParseSanitizerOptions({"--tool=initcheck", "app", "--", "x"})->program, ElementsAre("app", "--", "x"));
  EXPECT_TRUE(ParseSanitizerOptions({"--help"})->help);
}

TEST(SanitizerOptions, NameWhatIsWrong) {
  const std::vector<std::string> cases[] = {{},
                                            {"-t"},
                                            {"-t", "leakcheck", "app"},
                                            {"--leak-check=maybe", "app"},
                                            {"--block-id=-1", "app"},
                                            {"--unknown=1", "app"},
                                            {"-t", "memcheck", "--"}};
  for (const auto& words : cases) EXPECT_FALSE(ParseSanitizerOptions(words).ok());
  EXPECT_THAT(std::string(ParseSanitizerOptions({"--unknown=1", "app"}).status().message()), HasSubstr("--unknown=1"));
}

constexpr char kLaunch[] = R"({"device": 3, "launch": {"kernel": "add", "findings": [
 {"severity": "error", "check": "out_of_bounds", "operation": "DataCopy", "pipe": "MTE2", "buffer": "global memory",
  "offset": 20616941899776, "bytes": 224, "core": "aiv 1", "file": "k.asc", "line": 55, "text": "reads too far", "count": 2},
 {"severity": "error", "check": "misaligned", "operation": "Add", "pipe": "V", "buffer": "UB", "offset": 4, "bytes": 64,
  "core": "aiv 0", "file": "k.asc", "line": 60, "text": "starts at byte 4", "count": 1},
 {"severity": "error", "check": "race", "operation": "Add", "pipe": "V", "buffer": "UB", "offset": 32, "bytes": 64,
  "core": "aiv 0", "file": "k.asc", "line": 61, "hazard": "RAW", "other_operation": "DataCopy", "other_pipe": "MTE2",
  "other_core": "aiv 0", "other_file": "k.asc", "other_line": 40, "text": "not ordered", "count": 1},
 {"severity": "error", "check": "uninitialized", "operation": "DataCopy", "buffer": "UB", "bytes": 8, "core": "aiv 0"},
 {"severity": "note", "check": "pairing", "operation": "SetFlag", "core": "aiv 0", "text": "never awaited"}]}})";

std::string Text(SanitizerTool tool, const std::string& line = kLaunch) {
  SanitizerOptions options;
  options.tool = tool;
  return ConsoleText(line, options);
}

TEST(SanitizerText, MemcheckTellsAccesses) {
  EXPECT_EQ(Text(SanitizerTool::kMemcheck),
            "====== ERROR: illegal read of size 224\n"
            "======    at 0x12c0417f9000 on GM in add\n"
            "======    in block aiv(1) on device 3\n"
            "======    code in pc current 0x0 (serialNo:0)\n"
            "======    #0 k.asc:55\n"
            "======    DataCopy: reads too far\n"
            "======    seen 2 times\n"
            "====== ERROR: misaligned access of size 64\n"
            "======    at 0x4 on UB in add\n"
            "======    in block aiv(0) on device 3\n"
            "======    code in pc current 0x0 (serialNo:0)\n"
            "======    #0 k.asc:60\n"
            "======    Add: starts at byte 4\n"
            "[mssanitizer] Sanitizer finished on kernel add. 2 errors detected.\n");
}

TEST(SanitizerText, RacecheckTellsBothSides) {
  EXPECT_EQ(Text(SanitizerTool::kRacecheck),
            "====== ERROR: Potential RAW hazard detected at UB in add on device 3:\n"
            "======    PIPE_V Read at RAW()+0x20 in block 0 (aiv) on device 3 at pc current 0x0 (serialNo:0)\n"
            "======    #0 k.asc:61\n"
            "======    PIPE_MTE2 Write at RAW()+0x20 in block 0 (aiv) on device 3 at pc current 0x0 (serialNo:0)\n"
            "======    #0 k.asc:40\n"
            "======    Add: not ordered\n"
            "[mssanitizer] Sanitizer finished on kernel add. 1 error detected.\n");
}

TEST(SanitizerText, OtherToolsFindTheirs) {
  EXPECT_THAT(Text(SanitizerTool::kInitcheck), HasSubstr("====== ERROR: uninitialized read of size 8\n"));
  EXPECT_THAT(Text(SanitizerTool::kSynccheck), HasSubstr("====== WARNING: pairing: SetFlag\n"));
  EXPECT_THAT(Text(SanitizerTool::kSynccheck), HasSubstr("kernel add. No error detected.\n"));
}

TEST(SanitizerText, KernelsAndBlocksCanBeChosen) {
  SanitizerOptions options;
  options.kernel_name = "mul";
  EXPECT_EQ(ConsoleText(kLaunch, options), "");
  options.kernel_name = "ad";
  options.block = 1;
  EXPECT_THAT(ConsoleText(kLaunch, options), HasSubstr("1 error detected"));
  EXPECT_THAT(ConsoleText(kLaunch, options), Not(HasSubstr("misaligned")));
}

TEST(SanitizerText, LeaksAreToldWhenAsked) {
  const std::string leaks =
      R"({"device": 0, "leaks": [{"address": 4096, "bytes": 30}, {"address": 8192, "bytes": 12}]})";
  SanitizerOptions options;
  EXPECT_EQ(ConsoleText(leaks, options), "");
  options.leak_check = true;
  EXPECT_EQ(ConsoleText(leaks, options),
            "====== ERROR: LeakCheck: detected memory leaks\n"
            "======    Direct leak of 30 byte(s)\n======      at 0x1000 on GM\n"
            "======    Direct leak of 12 byte(s)\n======      at 0x2000 on GM\n"
            "====== SUMMARY: 42 byte(s) leaked in 2 allocation(s)\n");
}

TEST(SanitizerText, DamagedLinesAreToldAndSurvived) {
  for (const char* line : {"", "{", "[]", "{\"launch\": 3}", "{\"launch\": {\"findings\": [3]}}"}) {
    EXPECT_THAT(Text(SanitizerTool::kMemcheck, line), HasSubstr("====== WARNING: ")) << line;
  }
}

}  // namespace
}  // namespace kernelsmith::emulator
