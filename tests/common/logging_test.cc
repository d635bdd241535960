#include "common/logging.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/status.h"

namespace kernelsmith::common {
namespace {

TEST(FormatLogText, QuotesValuesThatWouldBreakTheLine) {
  EXPECT_EQ(FormatLogText("job.ended", {{"job", "j-1"}, {"why", "two\nlines"}, {"empty", ""}}),
            "job.ended job=j-1 why=\"two\\nlines\" empty=\"\"");
}

TEST(FormatLogJson, IsOneValidObjectEvenForBytesThatAreNoText) {
  const std::string line = FormatLogJson("memory", "info", "x", 1000000, {{"raw", std::string("\xff\xfe", 2)}});
  const auto parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["event"], "x");
  EXPECT_EQ(parsed["program"], "memory");
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(SetUpLogging, NamesTheFieldAtFault) {
  const struct {
    const char* level;
    const char* format;
    const char* file;
    const char* field;
  } kRows[] = {{"loud", "", "", "observability.log_level"},
               {"", "xml", "", "observability.log_format"},
               {"", "", "/proc/no/such/file", "observability.log_file"}};
  for (const auto& row : kRows) {
    config::v1::Observability options;
    options.set_log_level(row.level);
    options.set_log_format(row.format);
    options.set_log_file(row.file);
    EXPECT_EQ(FieldOf(SetUpLogging("test", options)), row.field);
  }
}

}  // namespace
}  // namespace kernelsmith::common
