#include "common/coldstart/kernel_structure.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/coldstart/code_tokens.h"
#include "common/coldstart/constant_expression.h"

namespace kernelsmith::common {
namespace {

bool Among(const std::set<std::string>& set, const std::string& text) { return set.find(text) != set.end(); }

bool IsKeyword(const std::string& name) {
  static const auto* const keywords = new std::set<std::string>{
      "if",     "for",      "while",       "switch",   "return",           "sizeof",        "alignof", "alignas",
      "catch",  "decltype", "static_cast", "new",      "reinterpret_cast", "const_cast",    "do",      "else",
      "delete", "throw",    "constexpr",   "noexcept", "dynamic_cast",     "__attribute__", "operator"};
  return Among(*keywords, name);
}

// Calls whose template argument says what they do.
bool KeepsArgument(const std::string& name) {
  static const auto* const names = new std::set<std::string>{"PipeBarrier",      "SetFlag",           "WaitFlag",
                                                             "CrossCoreSetFlag", "CrossCoreWaitFlag", "SyncAll"};
  return Among(*names, name);
}

class StructureReader {
 public:
  StructureReader(KernelStructure& structure, std::vector<Token> tokens)
      : structure_(structure), tokens_(std::move(tokens)) {}

  void Read() {
    structure_.tokens += static_cast<int64_t>(tokens_.size());
    ReadConstants();
    ReadQueues();
    for (at_ = 0; at_ < tokens_.size(); ++at_) ReadToken();
    ReadStatements();
  }

 private:
  const Token* At(size_t i) const { return i < tokens_.size() ? &tokens_[i] : nullptr; }
  bool IsAt(size_t i, absl::string_view text) const { return i < tokens_.size() && tokens_[i].Is(text); }

  std::optional<int64_t> Value(size_t begin, size_t end) const {
    return Evaluate(
        {tokens_.begin() + static_cast<std::ptrdiff_t>(begin), tokens_.begin() + static_cast<std::ptrdiff_t>(end)},
        known_);
  }

  void AddConstant(const std::string& name, const std::string& text, const std::optional<int64_t>& value) {
    structure_.constants[name] = text;
    if (!value) return;
    structure_.values[name] = *value;
    known_[name] = *value;
  }

  // constexpr TYPE NAME = VALUE; and #define NAME VALUE
  void ReadConstants() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.kind == Token::Kind::kDirective) {
        const std::vector<std::string> words = absl::StrSplit(token.text, absl::MaxSplits(' ', 2), absl::SkipEmpty());
        if (words.size() == 3 && words[0] == "define" && !absl::StrContains(words[1], "(")) {
          AddConstant(words[1], words[2], Evaluate(Tokenize(words[2]), known_));
        }
        continue;
      }
      if (!token.Is("constexpr") && !token.Is("const")) continue;
      size_t equals = i + 1;
      while (equals < tokens_.size() && equals < i + 8 &&
             (tokens_[equals].kind == Token::Kind::kName || tokens_[equals].Is("::"))) {
        ++equals;
      }
      if (!IsAt(equals, "=") || equals < i + 3) continue;
      size_t end = equals + 1;
      while (end < tokens_.size() && !tokens_[end].Is(";") && !tokens_[end].Is("{")) ++end;
      // A constant that is computed from the call is not one; its text still tells kernels apart.
      const std::optional<int64_t> value = Value(equals + 1, end);
      if (token.Is("constexpr") || value) AddConstant(tokens_[equals - 1].text, Join(tokens_, equals + 1, end), value);
    }
  }

  // TQue<TPosition::VECIN, 1> in; and TBuf<TPosition::VECCALC> work;
  void ReadQueues() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const bool queue = tokens_[i].Is("TQue") || tokens_[i].Is("TQueBind");
      if ((!queue && !tokens_[i].Is("TBuf")) || !tokens_[i + 1].Is("<")) continue;
      const size_t name = BehindBracket(tokens_, i + 1);
      const Token* declared = At(name);
      if (declared == nullptr || declared->kind != Token::Kind::kName) continue;
      KernelBuffer& buffer = structure_.buffers[declared->text];
      size_t comma = i + 2;
      while (comma < name && !tokens_[comma].Is(",")) ++comma;
      if (comma > i + 2) buffer.position = tokens_[std::min(comma, name - 1) - 1].text;
      if (queue && comma + 1 < name) buffer.depth = Value(comma + 1, name - 1);
    }
  }

  // The arguments of a call, as ranges of tokens.
  std::vector<std::pair<size_t, size_t>> Arguments(size_t open) const {
    const size_t end = BehindBracket(tokens_, open);
    std::vector<std::pair<size_t, size_t>> arguments;
    size_t begin = open + 1;
    int depth = 0;
    for (size_t i = open + 1; i < end; ++i) {
      const Token& token = tokens_[i];
      if (token.Is("(") || token.Is("[") || token.Is("{")) ++depth;
      const bool last = i + 1 == end;
      if ((token.Is(",") && depth == 0) || last) {
        if (i > begin) arguments.emplace_back(begin, i);
        begin = i + 1;
      }
      if (token.Is(")") || token.Is("]") || token.Is("}")) --depth;
    }
    return arguments;
  }

  void ReadToken() {
    const Token& token = tokens_[at_];
    if (token.Is("{")) ++braces_;
    if (token.Is("}")) {
      --braces_;
      if (!loops_.empty() && loops_.back() > braces_) {
        loops_.pop_back();
        while (!loops_.empty() && loops_.back() < 0) loops_.pop_back();  // for (...) for (...) { ... }
      }
    }
    // A loop without braces ends with its statement.
    if (token.Is(";") && parentheses_ == 0) {
      while (!loops_.empty() && loops_.back() < 0) loops_.pop_back();
    }
    if (token.Is("(")) ++parentheses_;
    if (token.Is(")")) --parentheses_;
    if (token.kind == Token::Kind::kDirective && absl::StartsWith(token.text, "pragma ")) {
      ++structure_.marks[absl::StrCat("#", token.text)];
    }
    if (token.kind == Token::Kind::kName) ReadName(token);
  }

  void ReadName(const Token& token) {
    if (BytesOfType(token.text) > 0 && token.text != "int" && token.text != "bool") ++structure_.types[token.text];
    ReadMark(token);
    if (token.Is("for") || token.Is("while")) return ReadLoop();
    if (token.Is("do")) return EnterLoop(IsAt(at_ + 1, "{"));
    ReadCall(token);
  }

  void ReadMark(const Token& token) {
    if (absl::StrContains(token.text, "restrict")) ++structure_.marks["restrict"];
    if (token.Is("alignas")) ++structure_.marks["alignas"];
    if (token.Is("vector_size") || token.Is("__vector_size__")) ++structure_.marks["vector extension"];
    if (token.Is("thread") || token.Is("jthread") || token.Is("async")) {
      if (at_ >= 2 && IsAt(at_ - 1, "::") && IsAt(at_ - 2, "std")) ++structure_.marks["std::" + token.text];
    }
    // DataCopyExtParams p{blocks, length, ...}: more than one piece in one copy.
    if (token.Is("DataCopyExtParams") || token.Is("DataCopyParams")) {
      const size_t open = at_ + (At(at_ + 1) != nullptr && tokens_[at_ + 1].kind == Token::Kind::kName ? 2 : 1);
      if (!IsAt(open, "{") && !IsAt(open, "(")) return;
      const auto arguments = Arguments(open);
      if (!arguments.empty() && Value(arguments[0].first, arguments[0].second) != std::optional<int64_t>(1)) {
        ++structure_.marks["copies of several pieces"];
      }
    }
  }

  void EnterLoop(bool braces) {
    ++structure_.loops;
    loops_.push_back(braces ? braces_ + 1 : -1);
    structure_.loop_depth = std::max(structure_.loop_depth, static_cast<int64_t>(loops_.size()));
  }

  void ReadLoop() {
    if (!IsAt(at_ + 1, "(")) return;
    const size_t behind = BehindBracket(tokens_, at_ + 1);
    if (tokens_[at_].Is("while") && IsAt(behind, ";")) return;  // of a do
    size_t step = behind - 1;
    while (step > at_ && !tokens_[step].Is(";")) --step;
    if (tokens_[at_].Is("for") && step > at_) {
      for (size_t i = step + 1; i + 1 < behind; ++i) {
        if (tokens_[i].Is("+=") || tokens_[i].Is("-=")) ++structure_.steps[Join(tokens_, i + 1, behind - 1)];
      }
    }
    // What stands in the head belongs to the loop around; it is read before the loop is entered.
    for (++at_; at_ + 1 < behind; ++at_) {
      if (tokens_[at_].kind == Token::Kind::kName) ReadCall(tokens_[at_]);
    }
    at_ = std::min(behind, tokens_.size()) - 1;
    EnterLoop(IsAt(behind, "{"));
  }

  void ReadCall(const Token& token) {
    if (IsKeyword(token.text)) return;
    size_t open = at_ + 1;
    if (IsAt(open, "<")) open = BehindBracket(tokens_, open);
    if (!IsAt(open, "(")) return;
    // TYPE NAME(...) declares; so do template arguments and qualifiers before a name.
    if (at_ > 0) {
      const Token& before = tokens_[at_ - 1];
      if (before.kind == Token::Kind::kName && !before.Is("return") && !before.Is("else") && !before.Is("do")) return;
      if (before.Is(">")) return;
    }
    std::string name = token.text;
    if (KeepsArgument(name) && open > at_ + 1) name = Join(tokens_, at_, open);
    ++structure_.calls[name];
    if (!loops_.empty()) ++structure_.calls_in_loops[name];
    if (loops_.size() > 1) ++structure_.calls_in_inner_loops[name];
    if (token.Is("InitBuffer")) ReadInitBuffer(Arguments(open));
    if (token.Is("ks_add_launch")) {
      const auto arguments = Arguments(open);
      if (arguments.size() > 2) structure_.launches.push_back(Join(tokens_, arguments[2].first, arguments[2].second));
    }
  }

  void ReadInitBuffer(const std::vector<std::pair<size_t, size_t>>& arguments) {
    if (arguments.size() < 2) return;
    KernelBuffer& buffer = structure_.buffers[Join(tokens_, arguments[0].first, arguments[0].second)];
    if (arguments.size() > 2) {
      buffer.count = Join(tokens_, arguments[1].first, arguments[1].second);
      buffer.count_value = Value(arguments[1].first, arguments[1].second);
    }
    const auto& [begin, end] = arguments.back();
    buffer.bytes = Join(tokens_, begin, end);
    buffer.bytes_value = Value(begin, end);
  }

  void ReadStatements() {
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.kind == Token::Kind::kDirective) {
        begin = i + 1;
        continue;
      }
      if (token.Is("(") || token.Is("[")) ++depth;
      if (token.Is(")") || token.Is("]")) --depth;
      if (depth > 0 || (!token.Is(";") && !token.Is("{") && !token.Is("}"))) continue;
      if (i > begin) structure_.statements.push_back(Join(tokens_, begin, i));
      begin = i + 1;
    }
  }

  KernelStructure& structure_;
  std::vector<Token> tokens_;
  Constants known_;
  size_t at_ = 0;
  int braces_ = 0;
  int parentheses_ = 0;
  std::vector<int> loops_;  // the braces a loop's body holds open; -1: a body without braces
};

}  // namespace

KernelStructure ReadStructure(KernelLanguage language, absl::string_view kernel, absl::string_view plan) {
  KernelStructure structure;
  structure.language = language;
  StructureReader(structure, Tokenize(kernel)).Read();
  if (!plan.empty()) {
    // Of the plan only what it launches: its loops and calls run on the host, once.
    KernelStructure host;
    StructureReader(host, Tokenize(plan)).Read();
    structure.launches = std::move(host.launches);
    structure.tokens += host.tokens;
    for (const auto& [name, text] : host.constants) structure.constants.insert({"plan: " + name, text});
  }
  return structure;
}

int64_t CallsOf(const std::map<std::string, int64_t>& calls, absl::string_view name) {
  int64_t sum = 0;
  for (const auto& [called, count] : calls) {
    if (called == name || absl::StartsWith(called, absl::StrCat(name, "<"))) sum += count;
  }
  return sum;
}

}  // namespace kernelsmith::common
