// Numbers as people read them. Three significant digits; never "-0" or "nan".
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::client {

std::string FormatMicros(double us);      // "12.3 us", "1.23 ms", "4.56 s"; "-" for zero: not measured
std::string FormatSeconds(double s);      // "0.12 s", "12.3 s", "2 min 5 s", "1 h 2 min"
std::string FormatRatio(double ratio);    // "2.31x"; "-" for zero
std::string FormatPercent(double ratio);  // 0.031 is "3.1 %"
std::string FormatBytes(int64_t bytes);   // "512 B", "1.5 KiB", "2.0 GiB"
std::string FormatUtc(int64_t unix_us);   // "2026-11-30 09:48:08"; "-" for zero

// "REFINING" as "refining", "INCORRECT_COUNT" as "incorrect count".
std::string FormatEnum(absl::string_view name);

// One line: newlines become spaces, control bytes are dropped, longer text ends in "...".
std::string OneLine(absl::string_view text, size_t limit);

// Bytes from elsewhere made safe for a terminal: keeps newlines, tabs and UTF-8, shows other control bytes as \xNN.
std::string Printable(absl::string_view bytes);

}  // namespace kernelsmith::client
