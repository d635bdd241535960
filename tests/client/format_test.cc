#include "client/cli/text/format.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

TEST(Format, TimesHaveThreeSignificantDigitsAndAUnitThatFits) {
  const struct {
    double us;
    const char* text;
  } rows[] = {{0, "-"},           {-1, "-"},          {NAN, "-"},        {0.0423, "0.04 us"},
              {1.234, "1.23 us"}, {12.34, "12.3 us"}, {123.4, "123 us"}, {999.4, "999 us"},
              {999.6, "1.00 ms"}, {12345, "12.3 ms"}, {1.5e6, "1.50 s"}, {2.34e7, "23.4 s"}};
  for (const auto& row : rows) EXPECT_EQ(FormatMicros(row.us), row.text) << row.us;
}

TEST(Format, SecondsBecomeMinutesAndHours) {
  const struct {
    double s;
    const char* text;
  } rows[] = {{0, "0.00 s"},        {-1, "-"},          {12.34, "12.3 s"}, {59.99, "1 min 0 s"},
              {125.2, "2 min 5 s"}, {3725, "1 h 2 min"}};
  for (const auto& row : rows) EXPECT_EQ(FormatSeconds(row.s), row.text) << row.s;
}

TEST(Format, RatiosAndPercentagesNameWhatIsMissing) {
  EXPECT_EQ(FormatRatio(2.314), "2.31x");
  EXPECT_EQ(FormatRatio(0), "-");
  EXPECT_EQ(FormatPercent(0.0312), "3.1 %");
  EXPECT_EQ(FormatPercent(-0.00001), "0.0 %");
  EXPECT_EQ(FormatPercent(NAN), "-");
}

TEST(Format, BytesUseBinaryUnits) {
  EXPECT_EQ(FormatBytes(512), "512 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(int64_t{2} << 30), "2.0 GiB");
}

TEST(Format, ADateIsInUtc) {
  EXPECT_EQ(FormatUtc(0), "-");
  EXPECT_EQ(FormatUtc(1'700'000'000'000'000), "2023-11-14 22:13:20");
}

TEST(Format, ALongLineIsCutBetweenCharacters) {
  EXPECT_EQ(OneLine("a\nb\tc\x1b[31m", 80), "a b c[31m");
  EXPECT_EQ(OneLine("abcdefgh", 6), "abc...");
  EXPECT_EQ(OneLine("ab\xc3\xa4\xc3\xa4\xc3\xa4", 6), "ab...");
}

TEST(Format, ControlBytesFromElsewhereCannotReachTheTerminal) {
  EXPECT_EQ(Printable("ok\n\x1b[2J\x07"), "ok\n\\x1b[2J\\x07");
}

TEST(Table, ColumnsAreAlignedWithoutBlanksAtLineEnds) {
  Table table({"name", "us", "note"}, {Align::kLeft, Align::kRight});
  table.Add({"softmax", "1.5", ""});
  table.Add({"a", "12.25", "x"});
  EXPECT_EQ(table.Render(),
            "name        us  note\n"
            "softmax    1.5\n"
            "a        12.25  x\n");
}

TEST(Table, AccentedTextTakesOneColumnACharacter) {
  Table table({}, {});
  table.Add({"\xc3\xa4\xc3\xb6", "b"});
  table.Add({"abc", "d"});
  EXPECT_EQ(table.Render(), "\xc3\xa4\xc3\xb6   b\nabc  d\n");
}

}  // namespace
}  // namespace kernelsmith::client
