#include "worker/screening/ascend_screen.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "worker/screening/lexer.h"

namespace kernelsmith::worker {
namespace {

// Headers of the C++ library without host code that a kernel may use.
constexpr absl::string_view kPlainHeaders[] = {"cstdint", "stdint.h", "cstddef", "stddef.h", "type_traits", "limits",
                                               "climits", "limits.h", "utility", "tuple",    "cmath",       "math.h"};
// Headers of CANN for the host.
constexpr absl::string_view kHostFolders[] = {"acl/",       "runtime/", "register/", "graph/",
                                              "exe_graph/", "aclnn/",   "hccl/"};

constexpr absl::string_view kReserved[] = {"ks_", "kse", "__ks", "cuda", "__cuda", "__asan", "__sanitizer"};

constexpr absl::string_view kKeywords[] = {
    "int",      "void",    "if",       "for",       "while",      "return",     "switch",     "case",
    "struct",   "class",   "const",    "static",    "extern",     "inline",     "template",   "typename",
    "operator", "default", "unsigned", "namespace", "__global__", "__aicore__", "__vector__", "__cube__"};

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

absl::string_view FirstWord(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  size_t end = 0;
  while (end < text.size() && IsWord(text[end])) ++end;
  return text.substr(0, end);
}

class KernelScreen {
 public:
  explicit KernelScreen(const v1::SourceFile& file)
      : name_(file.name()), source_(file.content()), lexed_(LexCpp(source_)) {}

  std::vector<v1::Diagnostic> Run() {
    const std::vector<absl::string_view> code = absl::StrSplit(absl::string_view(lexed_.code), '\n');
    const std::vector<absl::string_view> raw = absl::StrSplit(absl::string_view(source_), '\n');
    for (size_t i = 0; i < code.size(); ++i) {
      line_ = static_cast<int>(i) + 1;
      absl::string_view text = absl::StripLeadingAsciiWhitespace(code[i]);
      if (absl::ConsumePrefix(&text, "#")) Directive(text, raw[i]);
      if (absl::StrContains(code[i], "<<<")) {
        Report("launch", "a launch in kernel.asc; name the launch in plan.cpp with ks_add_launch");
      }
      Words(code[i]);
    }
    return std::move(findings_);
  }

 private:
  void Report(absl::string_view rule, absl::string_view text) {
    v1::Diagnostic finding;
    finding.set_severity(v1::Diagnostic::ERROR);
    finding.set_file(name_);
    finding.set_line(line_);
    finding.set_rule(std::string(rule));
    finding.set_text(std::string(text));
    findings_.push_back(std::move(finding));
  }

  void Words(absl::string_view code) {
    for (size_t at = 0; at < code.size();) {
      if (!IsWord(code[at])) {
        ++at;
        continue;
      }
      size_t end = at;
      while (end < code.size() && IsWord(code[end])) ++end;
      Word(code.substr(at, end - at), absl::StripLeadingAsciiWhitespace(code.substr(end)));
      at = end;
    }
  }

  void Word(absl::string_view word, absl::string_view after) {
    if (word == "main" && absl::StartsWith(after, "(")) {
      Report("host-code", "a main function; kernel.asc holds device code, plan.cpp says what to launch");
    } else if (word == "asm" || word == "__asm__" || word == "__asm") {
      Report("assembly", "inline assembly; use the Ascend C API");
    } else if (word == "constructor" || word == "destructor") {
      Report("constructor", "a function that runs when the object is loaded; a kernel runs only when it is launched");
    }
    for (const absl::string_view prefix : kReserved) {
      if (!absl::StartsWith(word, prefix)) continue;
      Report("reserved-name",
             absl::StrCat("the name ", word, " is reserved; choose one that does not begin with ", prefix));
      break;
    }
  }

  void Directive(absl::string_view code, absl::string_view raw) {
    code = absl::StripLeadingAsciiWhitespace(code);
    const absl::string_view directive = FirstWord(code);
    if (directive == "include" || directive == "import" || directive == "embed" || directive == "include_next") {
      Include(raw);
    } else if (directive == "define") {
      const absl::string_view name = FirstWord(code.substr(directive.size()));
      if (std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords)) {
        Report("macro", absl::StrCat("a macro that hides the keyword ", name));
      }
    } else if (directive == "line") {
      Report("macro", "#line hides where the code is");
    }
  }

  void Include(absl::string_view raw) {
    const size_t open = raw.find_first_of("<\"");
    if (open == absl::string_view::npos) {
      Report("include-path", "an include by a macro; write the header's name");
      return;
    }
    const bool angle = raw[open] == '<';
    absl::string_view path = raw.substr(open + 1);
    path = path.substr(0, path.find_first_of(">\""));
    if (absl::StartsWith(path, "/") || absl::StrContains(path, "..")) {
      Report("include-path", "an include outside the toolkit's headers");
      return;
    }
    const bool host = std::any_of(std::begin(kHostFolders), std::end(kHostFolders),
                                  [path](absl::string_view folder) { return absl::StartsWith(path, folder); });
    const bool plain = std::find(std::begin(kPlainHeaders), std::end(kPlainHeaders), path) != std::end(kPlainHeaders);
    const bool of_toolkit = absl::StrContains(path, "/") || absl::StartsWith(path, "kernel_");
    if (host || (angle && !plain && (!of_toolkit || absl::StartsWith(path, "sys/")))) {
      Report("host-include", absl::StrCat("<", path, "> is a header for the host; kernel.asc holds device code alone"));
    }
  }

  const std::string name_;
  const std::string source_;
  const LexedSource lexed_;
  int line_ = 0;
  std::vector<v1::Diagnostic> findings_;
};

}  // namespace

std::vector<v1::Diagnostic> ScreenKernel(const v1::SourceFile& kernel) { return KernelScreen(kernel).Run(); }

}  // namespace kernelsmith::worker
