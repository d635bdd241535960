#include "worker/screening/screen.h"

#include <algorithm>
#include <array>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "worker/screening/lexer.h"

namespace kernelsmith::worker {
namespace {

// A name whose call no kernel needs.
struct NameRule {
  absl::string_view name;
  absl::string_view rule;
  absl::string_view why;
};

constexpr absl::string_view kProcess = "a kernel starts no process and sends no signal";
constexpr absl::string_view kNetwork = "a kernel has no network";
constexpr absl::string_view kLoader = "a kernel loads no code and looks up no symbol at run time";
constexpr absl::string_view kMemory = "a kernel changes no mapping and no other process's memory";
constexpr absl::string_view kClock = "a kernel does not change clocks, limits or the scheduler";

constexpr std::array kNames = {
    NameRule{"system", "process", kProcess},
    NameRule{"popen", "process", kProcess},
    NameRule{"fork", "process", kProcess},
    NameRule{"vfork", "process", kProcess},
    NameRule{"clone", "process", kProcess},
    NameRule{"clone3", "process", kProcess},
    NameRule{"execl", "process", kProcess},
    NameRule{"execle", "process", kProcess},
    NameRule{"execlp", "process", kProcess},
    NameRule{"execv", "process", kProcess},
    NameRule{"execve", "process", kProcess},
    NameRule{"execvp", "process", kProcess},
    NameRule{"execvpe", "process", kProcess},
    NameRule{"posix_spawn", "process", kProcess},
    NameRule{"posix_spawnp", "process", kProcess},
    NameRule{"daemon", "process", kProcess},
    NameRule{"kill", "process", kProcess},
    NameRule{"pthread_detach", "detached-thread", "a kernel joins its threads before it returns"},
    NameRule{"ptrace", "process", kProcess},
    NameRule{"socket", "network", kNetwork},
    NameRule{"connect", "network", kNetwork},
    NameRule{"sendmsg", "network", kNetwork},
    NameRule{"recvmsg", "network", kNetwork},
    NameRule{"dlopen", "loader", kLoader},
    NameRule{"dlmopen", "loader", kLoader},
    NameRule{"dlsym", "loader", kLoader},
    NameRule{"dl_iterate_phdr", "loader", kLoader},
    NameRule{"mprotect", "mapping", kMemory},
    NameRule{"process_vm_readv", "mapping", kMemory},
    NameRule{"process_vm_writev", "mapping", kMemory},
    NameRule{"shm_open", "mapping", kMemory},
    NameRule{"shmget", "mapping", kMemory},
    NameRule{"clock_settime", "clock", kClock},
    NameRule{"settimeofday", "clock", kClock},
    NameRule{"setrlimit", "clock", kClock},
    NameRule{"prlimit", "clock", kClock},
    NameRule{"prctl", "clock", kClock},
    NameRule{"syscall", "system-call", "a kernel makes no system call of its own"},
};

struct TextRule {
  absl::string_view text;
  absl::string_view rule;
  absl::string_view why;
};

constexpr std::array kStrings = {
    TextRule{"/proc/", "path", "a kernel reads nothing about processes"},
    TextRule{"/sys/", "path", "a kernel reads nothing about the machine"},
    TextRule{"/dev/shm", "path", "a kernel shares no memory with other runs"},
    TextRule{"/dev/mem", "path", "a kernel reads no device"},
    TextRule{"/etc/", "path", "a kernel reads no configuration of the host"},
    TextRule{"LD_PRELOAD", "loader", kLoader},
    TextRule{".incbin", "incbin", "a kernel embeds no file of the compiler's host"},
};

// Inside the text of an asm statement.
constexpr std::array kAssembly = {"syscall", "sysenter", "int $0x80", "int 0x80", "svc #0", "svc 0"};

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Screen {
 public:
  Screen(const v1::SourceFile& file, std::vector<v1::Diagnostic>& findings)
      : name_(file.name()), source_(file.content()), lexed_(LexCpp(source_)), findings_(findings) {}

  void Run() {
    Words();
    Directives();
    Strings();
  }

 private:
  void Report(int line, absl::string_view rule, absl::string_view text) {
    v1::Diagnostic finding;
    finding.set_severity(v1::Diagnostic::ERROR);
    finding.set_file(name_);
    finding.set_line(line);
    finding.set_rule(std::string(rule));
    finding.set_text(std::string(text));
    findings_.push_back(std::move(finding));
  }

  // Identifiers in code, with their neighbours.
  void Words() {
    const absl::string_view code = lexed_.code;
    int line = 1;
    for (size_t at = 0; at < code.size();) {
      if (code[at] == '\n') ++line;
      if (!IsWord(code[at])) {
        ++at;
        continue;
      }
      size_t end = at;
      while (end < code.size() && IsWord(code[end])) ++end;
      Word(code.substr(at, end - at), code.substr(0, at), code.substr(end), line);
      at = end;
    }
  }

  void Word(absl::string_view word, absl::string_view before, absl::string_view after, int line) {
    before = absl::StripTrailingAsciiWhitespace(before);
    after = absl::StripLeadingAsciiWhitespace(after);
    if (word == "asm" || word == "__asm__" || word == "__asm") assembly_lines_.push_back(line);
    if (word == "constructor" && absl::EndsWith(before, "(") && absl::StrContains(Tail(before), "attribute")) {
      Report(line, "constructor",
             "a function that runs when the object is loaded; a kernel runs only when it is called");
    }
    if (word == "constructor" && absl::EndsWith(before, "::") && absl::StrContains(Tail(before), "gnu")) {
      Report(line, "constructor",
             "a function that runs when the object is loaded; a kernel runs only when it is called");
    }
    if (!absl::StartsWith(after, "(") || IsMember(before) || IsDeclaration(before)) return;
    for (const NameRule& rule : kNames) {
      if (rule.name == word) Report(line, rule.rule, absl::StrCat("call of ", word, ": ", rule.why));
    }
  }

  static absl::string_view Tail(absl::string_view text) {
    return text.substr(text.size() - std::min<size_t>(64, text.size()));
  }

  // object.kill(x), object->connect(x) and mine::system(x) are the author's own; ::system and std::system are not.
  static bool IsMember(absl::string_view before) {
    if (absl::EndsWith(before, ".") || absl::EndsWith(before, "->")) return true;
    if (!absl::EndsWith(before, "::")) return false;
    const absl::string_view scope = absl::StripTrailingAsciiWhitespace(absl::StripSuffix(before, "::"));
    return !scope.empty() && IsWord(scope.back()) && !absl::EndsWith(scope, "std");
  }

  // `float system(float x)` declares a function of that name: a type comes before.
  static bool IsDeclaration(absl::string_view before) {
    if (before.empty()) return false;
    if (before.back() == '*' || before.back() == '&') return false;
    if (!IsWord(before.back())) return false;
    size_t begin = before.size();
    while (begin > 0 && IsWord(before[begin - 1])) --begin;
    const absl::string_view word = before.substr(begin);
    return word != "return" && word != "else" && word != "do" && word != "co_return" && word != "case" &&
           word != "throw";
  }

  void Strings() {
    for (const StringLiteral& literal : lexed_.strings) {
      if (include_lines_.contains(literal.line)) continue;
      for (const TextRule& rule : kStrings) {
        if (absl::StrContains(literal.text, rule.text)) {
          Report(literal.line, rule.rule, absl::StrCat("\"", rule.text, "\" in a string: ", rule.why));
        }
      }
      for (const char* instruction : kAssembly) {
        if (absl::StrContains(literal.text, instruction) && NearAssembly(literal.line)) {
          Report(literal.line, "system-call",
                 "inline assembly with a system call: a kernel makes no system call of its own");
        }
      }
    }
  }

  // Whether an asm statement began on this line or at most 20 lines before.
  bool NearAssembly(int line) const {
    return std::any_of(assembly_lines_.begin(), assembly_lines_.end(),
                       [line](int begin) { return begin <= line && line - begin <= 20; });
  }

  void Directives() {
    int line = 0;
    const std::vector<absl::string_view> code = absl::StrSplit(lexed_.code, '\n');
    const std::vector<absl::string_view> raw = absl::StrSplit(absl::string_view(source_), '\n');
    for (; line < static_cast<int>(code.size()); ++line) {
      absl::string_view text = absl::StripLeadingAsciiWhitespace(code[static_cast<size_t>(line)]);
      if (!absl::ConsumePrefix(&text, "#")) continue;
      text = absl::StripLeadingAsciiWhitespace(text);
      if (absl::StartsWith(text, "include") || absl::StartsWith(text, "embed") || absl::StartsWith(text, "import")) {
        include_lines_.insert(line + 1);
        Include(raw[static_cast<size_t>(line)], line + 1);
      }
    }
  }

  void Include(absl::string_view text, int line) {
    const size_t open = text.find_first_of("<\"");
    if (open == absl::string_view::npos) return;
    const absl::string_view path = text.substr(open + 1);
    if (absl::StartsWith(path, "/") || absl::StartsWith(path, "../") || absl::StrContains(path, "/../")) {
      Report(line, "include-path", "an include outside the candidate and the system's headers");
    }
  }

  const std::string name_;
  const std::string source_;
  const LexedSource lexed_;
  std::vector<int> assembly_lines_;
  std::set<int> include_lines_;
  std::vector<v1::Diagnostic>& findings_;
};

}  // namespace

std::vector<v1::Diagnostic> ScreenSources(const v1::Candidate& candidate) {
  std::vector<v1::Diagnostic> findings;
  for (const v1::SourceFile& file : candidate.files()) {
    const size_t before = findings.size();
    Screen(file, findings).Run();
    std::stable_sort(findings.begin() + static_cast<ptrdiff_t>(before), findings.end(),
                     [](const v1::Diagnostic& a, const v1::Diagnostic& b) { return a.line() < b.line(); });
  }
  return findings;
}

}  // namespace kernelsmith::worker
