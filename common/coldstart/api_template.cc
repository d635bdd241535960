#include "common/coldstart/api_template.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "common/coldstart/code_tokens.h"

namespace kernelsmith::common {
namespace {

bool IsQualifiedName(absl::string_view text) {
  if (text.empty() || absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; });
}

// Cuts "Name(args)", "Name<T>" and "Name（ISASI）" behind the name.
absl::string_view WithoutRemark(absl::string_view text) {
  size_t cut = text.size();
  for (const absl::string_view mark : {"(", "<", "\xEF\xBC\x88"}) cut = std::min(cut, std::min(text.find(mark), cut));
  return absl::StripAsciiWhitespace(text.substr(0, cut));
}

enum class Occurrence { kNone, kDeclaration, kUse };

// What stands at tokens[i], a token that is the name.
Occurrence OccurrenceAt(const std::vector<Token>& tokens, size_t i) {
  size_t open = i + 1;
  if (open < tokens.size() && tokens[open].Is("<")) open = BehindBracket(tokens, open);
  if (open >= tokens.size() || !tokens[open].Is("(")) return Occurrence::kNone;
  size_t before = i;
  while (before >= 2 && tokens[before - 1].Is("::")) before -= 2;  // AscendC::Add
  if (before == 0) return Occurrence::kUse;
  const Token& previous = tokens[before - 1];
  const bool type = (previous.kind == Token::Kind::kName && !previous.Is("return") && !previous.Is("else")) ||
                    previous.Is(">") || previous.Is("&") || previous.Is("*");
  return type ? Occurrence::kDeclaration : Occurrence::kUse;
}

}  // namespace

std::string ApiNameOf(absl::string_view heading) {
  absl::string_view name = WithoutRemark(absl::StripAsciiWhitespace(heading));
  absl::ConsumePrefix(&name, "AscendC::");
  return IsQualifiedName(name) ? std::string(name) : "";
}

bool ShowsSignatureAndUse(absl::string_view code, absl::string_view name) {
  const absl::string_view last = name.substr(name.rfind(':') == absl::string_view::npos ? 0 : name.rfind(':') + 1);
  const std::vector<Token> tokens = Tokenize(code);
  bool declared = false;
  bool used = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::kName || tokens[i].text != last) continue;
    const Occurrence occurrence = OccurrenceAt(tokens, i);
    declared = declared || occurrence == Occurrence::kDeclaration;
    used = used || occurrence == Occurrence::kUse;
  }
  return declared && used;
}

}  // namespace kernelsmith::common
