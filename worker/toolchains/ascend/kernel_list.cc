#include "worker/toolchains/ascend/kernel_list.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "worker/include/kernelsmith/plan_abi.h"
#include "worker/screening/lexer.h"

namespace kernelsmith::worker {
namespace {

struct Token {
  absl::string_view text;  // a word, or one character
  int line = 1;
};

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Words and punctuation. A string literal is two quotes: the lexer blanked what is between. Directives are left out.
std::vector<Token> TokensOf(absl::string_view code) {
  std::vector<Token> tokens;
  int line = 1;
  bool line_start = true;
  for (size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (c == '\n') {
      ++line;
      line_start = true;
      ++at;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      ++at;
    } else if (c == '#' && line_start) {
      while (at < code.size() && (code[at] != '\n' || code[at - 1] == '\\')) {
        if (code[at] == '\n') ++line;
        ++at;
      }
    } else {
      size_t end = at + 1;
      while (IsWord(c) && end < code.size() && IsWord(code[end])) ++end;
      tokens.push_back({code.substr(at, end - at), line});
      at = end;
      line_start = false;
    }
  }
  return tokens;
}

class Finder {
 public:
  explicit Finder(const std::vector<Token>& tokens) : tokens_(tokens) {}

  absl::StatusOr<std::vector<KernelSignature>> Run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (Is(i, "{")) blocks_.push_back(IsLinkage(i));
      if (Is(i, "}") && !blocks_.empty()) blocks_.pop_back();
      if (Is(i, "__global__") && HasCName(i)) RETURN_IF_ERROR(Kernel(i + 1));
    }
    if (kernels_.empty()) {
      return absl::InvalidArgumentError(
          "kernel.asc defines no kernel that a plan can launch; define one as extern \"C\" __global__ __vector__ void "
          "name(GM_ADDR x, ...)");
    }
    return std::move(kernels_);
  }

 private:
  bool Is(size_t i, absl::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }

  // Whether the brace opens an extern "C" block.
  bool IsLinkage(size_t brace) const { return brace >= 3 && Is(brace - 1, "\"") && Is(brace - 3, "extern"); }

  // Whether the declaration around __global__ is extern "C" and no template.
  bool HasCName(size_t global) const {
    bool linkage = std::find(blocks_.begin(), blocks_.end(), true) != blocks_.end();
    for (size_t i = global; i-- > 0;) {
      if (Is(i, ";") || Is(i, "{") || Is(i, "}")) break;
      if (Is(i, "template")) return false;
      if (Is(i, "extern") && Is(i + 1, "\"")) linkage = true;
    }
    return linkage;
  }

  // Index behind the group that opens at `open`.
  size_t Skip(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < tokens_.size(); ++i) {
      if (Is(i, "(")) ++depth;
      if (Is(i, ")") && --depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  absl::Status Wrong(size_t i, absl::string_view what) const {
    const int line = i < tokens_.size() ? tokens_[i].line : 0;
    return absl::InvalidArgumentError(absl::StrCat("kernel.asc:", line, ": ", what));
  }

  absl::Status Kernel(size_t i) {
    // Attributes such as __mix__(1, 2) have parentheses of their own.
    while (i < tokens_.size() && !Is(i, ";") && !Is(i, "{")) {
      if (!Is(i + 1, "(")) {
        ++i;
      } else if (absl::StartsWith(tokens_[i].text, "__")) {
        i = Skip(i + 1);
      } else {
        break;
      }
    }
    if (!Is(i + 1, "(")) return absl::OkStatus();
    const size_t end = Skip(i + 1);
    if (!Is(end, "{")) return absl::OkStatus();  // a declaration
    KernelSignature kernel;
    kernel.name = std::string(tokens_[i].text);
    if (kernel.name.size() >= KS_PLAN_MAX_NAME) return Wrong(i, "the name of this kernel is too long for a plan");
    for (const KernelSignature& other : kernels_) {
      if (other.name == kernel.name) return Wrong(i, absl::StrCat("kernel ", kernel.name, " is defined twice"));
    }
    RETURN_IF_ERROR(Parameters(i + 2, end - 1, kernel));
    kernels_.push_back(std::move(kernel));
    return absl::OkStatus();
  }

  absl::Status Parameters(size_t begin, size_t end, KernelSignature& kernel) const {
    if (begin == end || (end == begin + 1 && Is(begin, "void"))) return absl::OkStatus();
    bool pointer = false;
    for (size_t i = begin; i <= end; ++i) {
      if (i < end && (Is(i, "*") || Is(i, "GM_ADDR"))) pointer = true;
      if (i < end && !Is(i, ",")) continue;
      ++kernel.parameters;
      if (!pointer) {
        return Wrong(i == end ? end - 1 : i,
                     absl::StrCat("parameter ", kernel.parameters, " of kernel ", kernel.name,
                                  " is no pointer; pass values in the tiling bytes, as GM_ADDR"));
      }
      pointer = false;
    }
    if (kernel.parameters <= KS_PLAN_MAX_ARGUMENTS) return absl::OkStatus();
    return Wrong(begin, absl::StrCat("kernel ", kernel.name, " has ", kernel.parameters,
                                     " parameters; a plan can give ", KS_PLAN_MAX_ARGUMENTS));
  }

  const std::vector<Token>& tokens_;
  std::vector<bool> blocks_;  // open braces: whether each is an extern "C" block
  std::vector<KernelSignature> kernels_;
};

}  // namespace

absl::StatusOr<std::vector<KernelSignature>> KernelsOf(absl::string_view source) {
  const LexedSource lexed = LexCpp(source);
  const std::vector<Token> tokens = TokensOf(lexed.code);
  return Finder(tokens).Run();
}

}  // namespace kernelsmith::worker
