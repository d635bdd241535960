#include "memory/graph/toolchain_version.h"

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace kernelsmith::memory {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsLetter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }

// A run of digits or letters at the front of a version. Its rank: letters before the end, the end as the number 0.
struct Run {
  absl::string_view text;
  bool is_letters = false;
};

Run TakeRun(absl::string_view& version) {
  while (!version.empty() && !IsDigit(version[0]) && !IsLetter(version[0])) version.remove_prefix(1);
  if (version.empty()) return {};
  const bool is_letters = IsLetter(version[0]);
  size_t length = 0;
  while (length < version.size() && (is_letters ? IsLetter(version[length]) : IsDigit(version[length]))) ++length;
  const Run run{version.substr(0, length), is_letters};
  version.remove_prefix(length);
  return run;
}

int Sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

// As numbers of any length; "" is 0.
int CompareNumbers(absl::string_view a, absl::string_view b) {
  const auto strip = [](absl::string_view digits) {
    while (!digits.empty() && digits[0] == '0') digits.remove_prefix(1);
    return digits;
  };
  a = strip(a);
  b = strip(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return Sign(a.compare(b));
}

}  // namespace

Toolchain SplitToolchain(absl::string_view toolchain) {
  toolchain = absl::StripAsciiWhitespace(toolchain);
  const size_t space = toolchain.find_last_of(" \t");
  if (space == absl::string_view::npos) return {toolchain, ""};
  absl::string_view version = toolchain.substr(space + 1);
  absl::string_view digits = version;
  if (!absl::ConsumePrefix(&digits, "v")) absl::ConsumePrefix(&digits, "V");
  if (digits.empty() || !IsDigit(digits[0])) return {toolchain, ""};
  return {absl::StripTrailingAsciiWhitespace(toolchain.substr(0, space)), digits};
}

int CompareVersions(absl::string_view a, absl::string_view b) {
  while (true) {
    const Run left = TakeRun(a);
    const Run right = TakeRun(b);
    if (left.text.empty() && right.text.empty()) return 0;
    int order = 0;
    if (left.is_letters && right.is_letters) {
      order = Sign(absl::AsciiStrToLower(left.text).compare(absl::AsciiStrToLower(right.text)));
    } else if (left.is_letters != right.is_letters) {
      order = left.is_letters ? -1 : 1;
    } else {
      order = CompareNumbers(left.text, right.text);
    }
    if (order != 0) return order;
  }
}

}  // namespace kernelsmith::memory
