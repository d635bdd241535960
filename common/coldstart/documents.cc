#include "common/coldstart/documents.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/coldstart/api_template.h"
#include "common/coldstart/language.h"
#include "common/coldstart/markdown.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

bool IsBlank(absl::string_view text) { return absl::StripAsciiWhitespace(text).empty(); }

std::string WholeText(const std::vector<Section>& sections, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) absl::StrAppend(&text, sections[i].heading, sections[i].body);
  return text;
}

// Leading blank lines and trailing white space away; the indentation of the first line stays.
std::string WithoutBlankEdges(absl::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  const size_t line = first == absl::string_view::npos ? 0 : text.rfind('\n', first);
  if (line != absl::string_view::npos && first != absl::string_view::npos) text.remove_prefix(line + 1);
  return std::string(absl::StripTrailingAsciiWhitespace(text));
}

// Prose cut at line ends; a line that is too long stays whole.
std::vector<std::string> CutLines(const std::string& text, size_t most_bytes) {
  std::vector<std::string> pieces(1);
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (!pieces.back().empty() && pieces.back().size() + (end - at) > most_bytes) pieces.emplace_back();
    pieces.back().append(text, at, end - at);
    at = end;
  }
  return pieces;
}

// Pieces of at most `most_bytes` where code allows it; the first begins with `heading`.
std::vector<std::string> CutBody(const std::string& heading, const std::string& body, size_t most_bytes) {
  std::vector<std::string> pieces = {heading};
  bool bare = true;  // the last piece holds nothing but the heading
  const auto add = [&](const std::string& part) {
    if (!bare && pieces.back().size() + part.size() > most_bytes) pieces.emplace_back();
    pieces.back() += part;
    bare = false;
  };
  for (const MarkdownBlock& block : SplitBlocks(body)) {
    if (block.code || block.text.size() <= most_bytes) {
      add(block.text);
    } else {
      for (const std::string& part : CutLines(block.text, most_bytes)) add(part);
    }
  }
  return pieces;
}

class Splitter {
 public:
  Splitter(absl::string_view path, const DocumentOptions& options) : path_(path), options_(options) {}

  absl::StatusOr<std::vector<v1::ItemContent>> Split(const std::vector<Section>& sections) {
    for (size_t i = 0; i < sections.size();) {
      const size_t whole = EndOfSection(sections, i);
      if (AddTemplate(sections, i, whole)) {
        i = whole;
        continue;
      }
      size_t end = i + 1;
      while (end < whole && sections[end].level > options_.split_level) ++end;
      if (HasTemplate(sections, i + 1, end) || WholeText(sections, i, end).size() > options_.most_bytes) end = i + 1;
      AddSections(sections, i, end);
      i = end;
    }
    for (const v1::ItemContent& item : items_) {
      if (item.text().size() <= kMostItemBytes) continue;
      return InvalidField("document",
                          absl::StrCat(item.name(), " holds code of ", item.text().size(),
                                       " bytes that cannot be cut; an item takes at most ", kMostItemBytes));
    }
    return std::move(items_);
  }

 private:
  std::string TemplateName(const std::vector<Section>& sections, size_t i, size_t whole) const {
    if (options_.bundle.empty() || sections[i].path.empty()) return "";
    std::string name = ApiNameOf(sections[i].path.back());
    if (name.empty()) return "";
    const std::string text = WholeText(sections, i, whole);
    return text.size() <= kMostItemBytes && ShowsSignatureAndUse(CodeOf(text), name) ? name : "";
  }

  bool HasTemplate(const std::vector<Section>& sections, size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
      if (!TemplateName(sections, i, EndOfSection(sections, i)).empty()) return true;
    }
    return false;
  }

  bool AddTemplate(const std::vector<Section>& sections, size_t i, size_t whole) {
    const std::string name = TemplateName(sections, i, whole);
    if (name.empty()) return false;
    v1::ItemContent& item = Add(v1::API_TEMPLATE, name, WholeText(sections, i, whole));
    item.set_title(name);
    item.set_bundle(options_.bundle);
    return true;
  }

  void AddSections(const std::vector<Section>& sections, size_t begin, size_t end) {
    const Section& first = sections[begin];
    std::string body = first.body;
    if (end > begin + 1) absl::StrAppend(&body, WholeText(sections, begin + 1, end));
    if (IsBlank(body)) return;
    std::vector<std::string> pieces = {first.heading + body};
    if (pieces[0].size() > options_.most_bytes) pieces = CutBody(first.heading, body, options_.most_bytes);
    const std::string name =
        UniqueName(absl::StrCat(path_, first.path.empty() ? "" : "#", absl::StrJoin(first.path, " > ")));
    for (size_t i = 0; i < pieces.size(); ++i) {
      const std::string part = pieces.size() > 1 ? absl::StrCat(" (", i + 1, " of ", pieces.size(), ")") : "";
      v1::ItemContent& item = Add(v1::DOCUMENT, name + part, pieces[i]);
      item.set_title(absl::StrCat(TitleOf(first), part));
    }
  }

  // The last two headings, or the file's name.
  std::string TitleOf(const Section& section) const {
    if (section.path.empty()) return std::string(path_.substr(path_.rfind('/') + 1));
    const size_t skip = section.path.size() > 2 ? section.path.size() - 2 : 0;
    return absl::StrJoin(section.path.begin() + static_cast<std::ptrdiff_t>(skip), section.path.end(), ": ");
  }

  std::string UniqueName(const std::string& name) {
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = absl::StrCat(name, " [", i, "]");
    return unique;
  }

  v1::ItemContent& Add(v1::ItemKind kind, std::string name, const std::string& text) {
    v1::ItemContent& item = items_.emplace_back();
    item.set_kind(kind);
    item.set_name(std::move(name));
    item.set_text(WithoutBlankEdges(text) + "\n");
    item.set_language(DetectLanguage(text));
    item.set_trust("document");
    return item;
  }

  absl::string_view path_;
  const DocumentOptions& options_;
  std::set<std::string> names_;
  std::vector<v1::ItemContent> items_;
};

}  // namespace

absl::StatusOr<std::vector<v1::ItemContent>> SplitDocument(absl::string_view path, absl::string_view text,
                                                           const DocumentOptions& options) {
  if (!IsUtf8(text)) return InvalidField("document", absl::StrCat(path, " is not UTF-8 text; convert it first"));
  if (IsBlank(text)) return InvalidField("document", absl::StrCat(path, " holds no text"));
  return Splitter(path, options).Split(ParseSections(text));
}

}  // namespace kernelsmith::common
