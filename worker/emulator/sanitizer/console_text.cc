#include "worker/emulator/sanitizer/console_text.h"

#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::emulator {
namespace {

using nlohmann::json;

// Which tool looks for it.
const std::map<std::string, SanitizerTool>& Checks() {
  using T = SanitizerTool;
  static const std::map<std::string, SanitizerTool> checks = {
      {"capacity", T::kMemcheck},       {"out_of_bounds", T::kMemcheck}, {"misaligned", T::kMemcheck},
      {"rounded_down", T::kMemcheck},   {"argument", T::kMemcheck},      {"assert", T::kMemcheck},
      {"uninitialized", T::kInitcheck}, {"race", T::kRacecheck},         {"conflict", T::kRacecheck},
      {"unordered", T::kRacecheck},     {"stale_cache", T::kRacecheck},  {"pairing", T::kSynccheck},
      {"hang", T::kSynccheck},          {"sync_all", T::kSynccheck},     {"cross_core", T::kSynccheck},
      {"timeout", T::kSynccheck}};
  return checks;
}

struct Launch {
  std::string kernel;
  int64_t device = 0;
};

bool StartsWith(const std::string& text, absl::string_view prefix) {
  return text.compare(0, prefix.size(), prefix.data(), prefix.size()) == 0;
}

// "aiv 3.1" as its kind and block.
std::string Kind(const std::string& core) { return core.substr(0, core.find(' ')); }
int Block(const std::string& core) {
  const size_t space = core.find(' ');
  return space == std::string::npos ? -1 : std::atoi(core.c_str() + space + 1);
}

std::string Memory(const json& finding) {
  const std::string buffer = finding.value("buffer", "");
  return buffer == "global memory" ? "GM" : buffer.empty() ? "UB" : buffer;
}

std::string Line(absl::string_view text) { return absl::StrCat("======    ", text, "\n"); }

std::string Site(const json& finding, const char* file, const char* line) {
  const int64_t number = finding.value(line, int64_t{0});
  const std::string name = finding.value(file, "");
  return number == 0 || name.empty() ? "" : Line(absl::StrCat("#0 ", name, ":", number));
}

std::string Where(const json& finding, const Launch& launch) {
  const std::string core = finding.value("core", "");
  return absl::StrCat(Line(absl::StrFormat("at 0x%x on %s in %s", finding.value("offset", uint64_t{0}), Memory(finding),
                                           launch.kernel)),
                      Line(absl::StrCat("in block ", Kind(core), "(", Block(core), ") on device ", launch.device)),
                      Line("code in pc current 0x0 (serialNo:0)"), Site(finding, "file", "line"));
}

// One of the two accesses of a race.
std::string Side(const json& finding, const std::string& pipe, bool writes, const std::string& core, const char* file,
                 const char* line, const Launch& launch) {
  return absl::StrCat(
      Line(absl::StrFormat("PIPE_%s %s at %s()+0x%x in block %d (%s) on device %d at pc current 0x0 (serialNo:0)", pipe,
                           writes ? "Write" : "Read", finding.value("hazard", ""), finding.value("offset", uint64_t{0}),
                           Block(core), Kind(core), launch.device)),
      Site(finding, file, line));
}

std::string Race(const json& finding, const Launch& launch) {
  const std::string hazard = finding.value("hazard", "");
  const bool later_writes = hazard == "WAR" || hazard == "WAW";
  const bool earlier_writes = hazard == "RAW" || hazard == "WAW";
  return absl::StrCat(
      "====== ERROR: Potential ", hazard, " hazard detected at ", Memory(finding), " in ", launch.kernel, " on device ",
      launch.device, ":\n",
      Side(finding, finding.value("pipe", "S"), later_writes, finding.value("core", ""), "file", "line", launch),
      Side(finding, finding.value("other_pipe", "S"), earlier_writes, finding.value("other_core", ""), "other_file",
           "other_line", launch));
}

std::string Headline(const json& finding) {
  const std::string check = finding.value("check", "");
  const std::string text = finding.value("text", "");
  const uint64_t bytes = finding.value("bytes", uint64_t{0});
  if (check == "out_of_bounds") {
    const bool write = StartsWith(text, "write") || (!StartsWith(text, "read") && finding.value("pipe", "") == "MTE3");
    return absl::StrCat("illegal ", write ? "write" : "read", " of size ", bytes);
  }
  if (check == "misaligned") return absl::StrCat("misaligned access of size ", bytes);
  if (check == "uninitialized") return absl::StrCat("uninitialized read of size ", bytes);
  return absl::StrCat(check, ": ", finding.value("operation", ""));
}

std::string FindingText(const json& finding, const Launch& launch) {
  const bool error = finding.value("severity", "") == "error";
  std::string text;
  if (!finding.value("hazard", "").empty()) {
    text = Race(finding, launch);
  } else {
    text = absl::StrCat("====== ", error ? "ERROR" : "WARNING", ": ", Headline(finding), "\n", Where(finding, launch));
  }
  const std::string explanation = finding.value("text", "");
  if (!explanation.empty()) text += Line(absl::StrCat(finding.value("operation", ""), ": ", explanation));
  if (const int64_t count = finding.value("count", int64_t{1}); count > 1)
    text += Line(absl::StrCat("seen ", count, " times"));
  return text;
}

std::string LaunchText(const json& report, const Launch& launch, const SanitizerOptions& options) {
  if (launch.kernel.find(options.kernel_name) == std::string::npos) return "";
  std::string text;
  int errors = 0;
  for (const json& finding : report.value("findings", json::array())) {
    const auto check = Checks().find(finding.value("check", ""));
    if (check == Checks().end() || check->second != options.tool) continue;
    if (options.block && Block(finding.value("core", "")) != *options.block) continue;
    text += FindingText(finding, launch);
    if (finding.value("severity", "") == "error") ++errors;
  }
  absl::StrAppend(&text, "[mssanitizer] Sanitizer finished on kernel ", launch.kernel, ". ");
  absl::StrAppend(&text, errors == 0 ? "No error detected.\n"
                                     : absl::StrCat(errors, errors == 1 ? " error" : " errors", " detected.\n"));
  return text;
}

std::string LeaksText(const json& leaks) {
  std::string text = "====== ERROR: LeakCheck: detected memory leaks\n";
  uint64_t sum = 0;
  for (const json& leak : leaks) {
    const uint64_t bytes = leak.value("bytes", uint64_t{0});
    sum += bytes;
    absl::StrAppend(&text, Line(absl::StrCat("Direct leak of ", bytes, " byte(s)")),
                    Line(absl::StrFormat("  at 0x%x on GM", leak.value("address", uint64_t{0}))));
  }
  absl::StrAppend(&text, "====== SUMMARY: ", sum, " byte(s) leaked in ", leaks.size(), " allocation(s)\n");
  return text;
}

}  // namespace

std::string ConsoleText(const std::string& json_line, const SanitizerOptions& options) {
  try {
    const json told = json::parse(json_line);
    Launch launch{.kernel = "", .device = told.value("device", int64_t{0})};
    if (told.contains("launch")) {
      launch.kernel = told["launch"].value("kernel", "");
      return LaunchText(told["launch"], launch, options);
    }
    if (!told.contains("leaks") || !options.leak_check || options.tool != SanitizerTool::kMemcheck) return "";
    return LeaksText(told["leaks"]);
  } catch (const json::exception&) {
    return "====== WARNING: a message of the emulated device is damaged and was left out\n";
  }
}

}  // namespace kernelsmith::emulator
