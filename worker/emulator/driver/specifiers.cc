#include "worker/emulator/driver/specifiers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "worker/emulator/driver/tokens.h"

namespace kernelsmith::emulator {
namespace {

using Tokens = std::vector<Token>;

bool Is(const Token& token, std::string_view text) { return token.text == text; }

bool EndsDeclaration(const Token& token) {
  return token.kind == TokenKind::kPunctuation &&
         (Is(token, ";") || Is(token, "{") || Is(token, "}") || Is(token, ":"));
}

// Specifiers that take arguments in parentheses.
bool TakesArguments(const Token& token) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "__attribute__", "__attribute", "__declspec", "alignas", "__mix__", "__schedmode__", "__launch_bounds__"};
  return std::find(kNames.begin(), kNames.end(), token.text) != kNames.end();
}

// Index after the bracket that closes the one at `at`.
size_t SkipForward(const Tokens& tokens, size_t at) {
  size_t depth = 0;
  for (; at < tokens.size(); ++at) {
    if (Is(tokens[at], "(") || Is(tokens[at], "[")) ++depth;
    if ((Is(tokens[at], ")") || Is(tokens[at], "]")) && --depth == 0) return at + 1;
  }
  return at;
}

// Index of the bracket that opens the one at `at`.
std::optional<size_t> SkipBackward(const Tokens& tokens, size_t at) {
  size_t depth = 0;
  while (true) {
    if (Is(tokens[at], ")") || Is(tokens[at], "]")) ++depth;
    if ((Is(tokens[at], "(") || Is(tokens[at], "[")) && --depth == 0) return at;
    if (at == 0) return std::nullopt;
    --at;
  }
}

class Blanker {
 public:
  Blanker(std::string_view source, const SpecifierMacros& macros) : macros_(macros) {
    result_.text = std::string(source);
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  void Run(const Tokens& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (Is(tokens[i], "__global__") || macros_.global.contains(tokens[i].text)) Declaration(tokens, i);
    }
  }

  BlankedSource Take() { return std::move(result_); }

 private:
  void Declaration(const Tokens& tokens, size_t global) {
    const size_t first = Backward(tokens, global);
    size_t at = global + 1;
    std::optional<size_t> name;
    while (at < tokens.size() && !EndsDeclaration(tokens[at])) {
      if (Is(tokens[at], "(")) break;
      if (Is(tokens[at], "[") || (TakesArguments(tokens[at]) && at + 1 < tokens.size() && Is(tokens[at + 1], "("))) {
        at = SkipForward(tokens, Is(tokens[at], "[") ? at : at + 1);
        continue;
      }
      Blank(tokens[at]);
      if (tokens[at].kind == TokenKind::kIdentifier) name = at;
      ++at;
    }
    if (at >= tokens.size() || !Is(tokens[at], "(") || !name) return;
    result_.kernels.push_back(
        {std::string(tokens[*name].text), Line(tokens[first].offset), Line(tokens[*name].offset)});
  }

  // Blanks among the specifiers before `global`; returns the first of them.
  size_t Backward(const Tokens& tokens, size_t global) {
    size_t first = global;
    while (first > 0 && !EndsDeclaration(tokens[first - 1])) {
      --first;
      if (Is(tokens[first], ")") || Is(tokens[first], "]")) {
        const std::optional<size_t> open = SkipBackward(tokens, first);
        if (!open) break;
        first = *open;
        continue;
      }
      Blank(tokens[first]);
    }
    return first;
  }

  void Blank(const Token& token) {
    if (!Is(token, "__aicore__") && !macros_.aicore.contains(token.text)) return;
    std::fill_n(result_.text.begin() + static_cast<ptrdiff_t>(token.offset), token.text.size(), ' ');
    result_.changed = true;
  }

  uint32_t Line(size_t offset) const {
    return static_cast<uint32_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) -
                                 line_starts_.begin()) +
           1;
  }

  const SpecifierMacros& macros_;
  std::vector<size_t> line_starts_;
  BlankedSource result_;
};

}  // namespace

void CollectSpecifierMacros(std::string_view source, SpecifierMacros& macros) {
  for (const Tokens& directive : Tokenize(source).directives) {
    if (directive.size() < 3 || !Is(directive[0], "define")) continue;
    const Token& name = directive[1];
    if (Is(directive[2], "(") && directive[2].offset == name.offset + name.text.size()) continue;
    const auto has = [&](std::string_view text) {
      return std::any_of(directive.begin() + 2, directive.end(), [&](const Token& token) { return Is(token, text); });
    };
    if (has("__global__") && !has("__aicore__")) {
      macros.global.emplace(name.text);
    } else if (directive.size() == 3 && has("__aicore__")) {
      macros.aicore.emplace(name.text);
    }
  }
}

BlankedSource BlankKernelSpecifiers(std::string_view source, const SpecifierMacros& macros) {
  const TokenLists lists = Tokenize(source);
  Blanker blanker(source, macros);
  blanker.Run(lists.code);
  for (const Tokens& directive : lists.directives) {
    // A definition of a macro is about its replacement, not about its own name.
    if (directive.size() > 2 && Is(directive[0], "define")) blanker.Run(Tokens(directive.begin() + 2, directive.end()));
  }
  return blanker.Take();
}

}  // namespace kernelsmith::emulator
