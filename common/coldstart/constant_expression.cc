#include "common/coldstart/constant_expression.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::common {
namespace {

constexpr int kMostDepth = 64;

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, const Constants& constants) : tokens_(tokens), constants_(constants) {}

  std::optional<int64_t> Whole() {
    const std::optional<int64_t> value = Shift();
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  bool Take(absl::string_view sign) {
    if (at_ >= tokens_.size() || !tokens_[at_].Is(sign)) return false;
    ++at_;
    return true;
  }

  std::optional<int64_t> Shift() {
    std::optional<int64_t> left = Sum();
    while (left && Take("<<")) {
      const std::optional<int64_t> right = Sum();
      if (!right || *right < 0 || *right > 40 || *left < 0 || *left > (int64_t{1} << 20)) return std::nullopt;
      left = *left << *right;
    }
    return left;
  }

  std::optional<int64_t> Sum() {
    std::optional<int64_t> left = Product();
    while (left) {
      int64_t result = 0;
      const bool plus = Take("+");
      if (!plus && !Take("-")) return left;
      const std::optional<int64_t> right = Product();
      if (!right) return std::nullopt;
      if (plus ? __builtin_add_overflow(*left, *right, &result) : __builtin_sub_overflow(*left, *right, &result)) {
        return std::nullopt;
      }
      left = result;
    }
    return left;
  }

  std::optional<int64_t> Product() {
    std::optional<int64_t> left = Primary();
    while (left) {
      if (Take("*")) {
        const std::optional<int64_t> right = Primary();
        int64_t result = 0;
        if (!right || __builtin_mul_overflow(*left, *right, &result)) return std::nullopt;
        left = result;
        continue;
      }
      const bool divide = Take("/");
      if (!divide && !Take("%")) return left;
      const std::optional<int64_t> right = Primary();
      if (!right || *right <= 0 || *left < 0) return std::nullopt;
      left = divide ? *left / *right : *left % *right;
    }
    return left;
  }

  std::optional<int64_t> Primary() {
    if (at_ >= tokens_.size() || ++depth_ > kMostDepth) return std::nullopt;
    const std::optional<int64_t> value = Operand();
    --depth_;
    return value;
  }

  std::optional<int64_t> Operand() {
    if (Take("(")) {
      const std::optional<int64_t> value = Shift();
      return Take(")") ? value : std::nullopt;
    }
    const Token& token = tokens_[at_++];
    if (token.kind == Token::Kind::kNumber) return Number(token.text);
    if (token.Is("sizeof")) {
      if (!Take("(") || at_ >= tokens_.size()) return std::nullopt;
      const int64_t bytes = BytesOfType(tokens_[at_++].text);
      return bytes > 0 && Take(")") ? std::optional<int64_t>(bytes) : std::nullopt;
    }
    const auto known = constants_.find(token.text);
    if (token.kind != Token::Kind::kName || known == constants_.end()) return std::nullopt;
    return known->second;
  }

  static std::optional<int64_t> Number(const std::string& text) {
    std::string digits = absl::StrReplaceAll(text, {{"'", ""}});
    while (!digits.empty() && std::string("uUlLzZ").find(digits.back()) != std::string::npos) digits.pop_back();
    int64_t value = 0;
    const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (hex ? absl::SimpleHexAtoi(digits, &value) : absl::SimpleAtoi(digits, &value)) return value;
    return std::nullopt;
  }

  const std::vector<Token>& tokens_;
  const Constants& constants_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<int64_t> Evaluate(const std::vector<Token>& tokens, const Constants& constants) {
  return Parser(tokens, constants).Whole();
}

int64_t BytesOfType(const std::string& type) {
  static const auto* const bytes = new std::map<std::string, int64_t>{
      {"half", 2},    {"bfloat16_t", 2}, {"float", 4},    {"double", 8},   {"int8_t", 1},  {"uint8_t", 1},
      {"int16_t", 2}, {"uint16_t", 2},   {"int32_t", 4},  {"uint32_t", 4}, {"int64_t", 8}, {"uint64_t", 8},
      {"int", 4},     {"bool", 1},       {"_Float16", 2}, {"__bf16", 2},   {"__fp16", 2}};
  const auto found = bytes->find(type);
  return found == bytes->end() ? 0 : found->second;
}

}  // namespace kernelsmith::common
