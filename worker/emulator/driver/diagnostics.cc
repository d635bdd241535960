#include "worker/emulator/driver/diagnostics.h"

#include <charconv>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace kernelsmith::emulator {
namespace {

enum class LineKind : uint8_t { kError, kWarning, kNote, kIncluded, kCount, kOther };

bool Contains(std::string_view line, std::string_view text) { return line.find(text) != std::string_view::npos; }

LineKind KindOf(std::string_view line) {
  if (line.starts_with("In file included from ")) return LineKind::kIncluded;
  if (Contains(line, " generated") && !line.empty() && line[0] >= '0' && line[0] <= '9' &&
      (Contains(line, " error") || Contains(line, " warning"))) {
    return LineKind::kCount;
  }
  // Source lines, which clang prints beneath, are indented or belong to the diagnostic above anyway; a location comes
  // first.
  const auto at = [&](std::string_view mark) {
    const size_t found = line.find(mark);
    return found != std::string_view::npos && (found == 0 || line[found - 1] == ' ') && !line.starts_with(" ");
  };
  if (at("error: ")) return LineKind::kError;
  if (at("warning: ")) return LineKind::kWarning;
  if (at("note: ")) return LineKind::kNote;
  return LineKind::kOther;
}

// What language.h says where it refuses a kernel.
constexpr std::string_view kRefused = "UNSUPPORTED: this kernel";

// Names the kernel that a refusal speaks of.
std::string NameKernel(const std::string& line, const Rewriting& rewriting) {
  const size_t found = line.find(kRefused);
  const size_t colon = line.find(':');
  if (found == std::string::npos || colon == std::string::npos) return line;
  const std::string file = line.substr(0, colon);
  uint32_t number = 0;
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), number);
  for (const auto& [path, kernel] : rewriting.kernels) {
    if (!path.ends_with(file.substr(file.find_last_of('/') + 1)) || number < kernel.first_line ||
        number > kernel.last_line) {
      continue;
    }
    return absl::StrCat(line.substr(0, found), "UNSUPPORTED: kernel '", kernel.name, "'",
                        line.substr(found + kRefused.size()));
  }
  return line;
}

// clang speaks of CUDA; the author of Ascend C.
std::string Translate(const std::string& line) {
  return absl::StrReplaceAll(
      line, {{"__device__, __constant__, __shared__, and __managed__ variables", "__aicore__ variables"},
             {"'__global__ ", "'"},
             {" __attribute__((ms_abi))", ""},
             {"__device__", "__aicore__"}});
}

struct Block {
  std::string head;  // the line with "error:" or "warning:"
  std::string text;
  LineKind kind = LineKind::kOther;
};

std::vector<Block> Split(const std::string& output, const Rewriting& rewriting) {
  std::vector<Block> blocks;
  std::string included;
  bool muted = false;  // notes about the macros by which language.h refuses a kernel
  for (absl::string_view view : absl::StrSplit(output, '\n')) {
    std::string line(view);
    const LineKind kind = KindOf(line);
    if (kind == LineKind::kCount || line.empty()) continue;
    if (kind == LineKind::kIncluded) {
      absl::StrAppend(&included, line, "\n");
      continue;
    }
    if (kind == LineKind::kError || kind == LineKind::kWarning) {
      muted = false;
      line = NameKernel(Translate(line), rewriting);
      blocks.push_back({line, absl::StrCat(included, line, "\n"), kind});
    } else {
      if (blocks.empty()) blocks.push_back({line, "", LineKind::kOther});
      if (kind == LineKind::kNote) {
        muted = blocks.back().head.find("UNSUPPORTED: kernel") != std::string::npos;
        line = Translate(line);
      } else if (const auto original = rewriting.lines.find(line); original != rewriting.lines.end()) {
        line = original->second;
      }
      if (!muted) absl::StrAppend(&blocks.back().text, included, line, "\n");
    }
    included.clear();
  }
  return blocks;
}

std::string Count(size_t warnings, size_t errors) {
  const auto some = [](size_t n, const char* what) { return absl::StrCat(n, " ", what, n == 1 ? "" : "s"); };
  if (errors == 0 && warnings == 0) return "";
  if (errors == 0) return absl::StrCat(some(warnings, "warning"), " generated.\n");
  if (warnings == 0) return absl::StrCat(some(errors, "error"), " generated.\n");
  return absl::StrCat(some(warnings, "warning"), " and ", some(errors, "error"), " generated.\n");
}

}  // namespace

std::string MergeDiagnostics(const std::vector<std::string>& outputs, const Rewriting& rewriting) {
  std::string merged;
  std::set<std::string> seen;
  size_t warnings = 0;
  size_t errors = 0;
  for (const std::string& output : outputs) {
    std::set<std::string> here;
    for (const Block& block : Split(output, rewriting)) {
      here.insert(block.head);
      if (seen.contains(block.head)) continue;
      merged += block.text;
      warnings += block.kind == LineKind::kWarning ? 1 : 0;
      errors += block.kind == LineKind::kError ? 1 : 0;
    }
    seen.merge(here);
  }
  return merged + Count(warnings, errors);
}

std::string DriverComplaints(const std::string& answer) {
  std::string complaints;
  for (absl::string_view view : absl::StrSplit(answer, '\n')) {
    std::string line(view);
    if (line.empty() || line[0] == ' ') continue;
    const LineKind kind = KindOf(line);
    if (kind != LineKind::kError && kind != LineKind::kWarning && kind != LineKind::kNote) continue;
    if (line.starts_with("clang") && line.find(": ") != std::string::npos)
      line = absl::StrCat("bisheng", line.substr(line.find(": ")));
    if (line.starts_with("error: ") || line.starts_with("warning: ")) line = absl::StrCat("bisheng: ", line);
    absl::StrAppend(&complaints, line, "\n");
  }
  return complaints;
}

}  // namespace kernelsmith::emulator
