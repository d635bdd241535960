#include "client/cli/text/format.h"

#include <array>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"

namespace kernelsmith::client {
namespace {

// Three significant digits without an exponent, for values from 0.01 to 999.
std::string Significant(double value) {
  if (value >= 99.95) return absl::StrFormat("%.0f", value);
  if (value >= 9.995) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.2f", value);
}

bool Absent(double value) { return !std::isfinite(value) || value <= 0; }

}  // namespace

std::string FormatMicros(double us) {
  if (Absent(us)) return "-";
  if (us < 999.5) return Significant(us) + " us";
  if (us < 999.5e3) return Significant(us / 1e3) + " ms";
  return Significant(us / 1e6) + " s";
}

std::string FormatSeconds(double s) {
  if (!std::isfinite(s) || s < 0) return "-";
  if (s < 59.95) return Significant(s) + " s";
  const auto whole = static_cast<int64_t>(std::llround(s));
  if (whole < 3600) return absl::StrCat(whole / 60, " min ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::string FormatRatio(double ratio) { return Absent(ratio) ? "-" : Significant(ratio) + "x"; }

std::string FormatPercent(double ratio) {
  return std::isfinite(ratio) ? absl::StrFormat("%.1f %%", std::round(ratio * 1000) / 10 + 0.0) : "-";
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? absl::StrCat(bytes, " B") : absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string FormatUtc(int64_t unix_us) {
  if (unix_us == 0) return "-";
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMicros(unix_us), absl::UTCTimeZone());
}

std::string FormatEnum(absl::string_view name) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"_", " "}});
}

std::string OneLine(absl::string_view text, size_t limit) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' || c == '\t' || c == '\r') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else if (!absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      line += c;
    }
  }
  if (line.size() <= limit) return line;
  size_t cut = limit > 3 ? limit - 3 : 0;
  while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) --cut;  // not inside a UTF-8 sequence
  return line.substr(0, cut) + "...";
}

std::string Printable(absl::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t' || !absl::ascii_iscntrl(byte)) {
      text += c;
    } else {
      absl::StrAppendFormat(&text, "\\x%02x", byte);
    }
  }
  return text;
}

}  // namespace kernelsmith::client
