#include "server/knowledge/knowledge.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash.h"
#include "server/knowledge/embedded_documents.h"

namespace kernelsmith::server {
namespace {

constexpr char kPrefix[] = "document-";

std::string TitleOf(const std::string& text) {
  const size_t begin = text.rfind("# ", 0) == 0 ? 2 : 0;
  return text.substr(begin, text.find('\n') - begin);
}

}  // namespace

bool IsDocument(const std::string& item_id) { return item_id.rfind(kPrefix, 0) == 0; }

const std::vector<Document>& DocumentsFor(const std::string& card_kind) {
  static const auto* const documents = [] {
    auto* by_kind = new std::map<std::string, std::vector<Document>>;
    for (const EmbeddedDocument& embedded : EmbeddedDocuments()) {
      const std::string text(embedded.text);
      (*by_kind)[embedded.card_kind].push_back(
          {absl::StrCat(kPrefix, common::Sha256Hex(text).substr(0, 16)), TitleOf(text), text});
    }
    return by_kind;
  }();
  static const auto* const none = new std::vector<Document>;
  const auto found = documents->find(card_kind);
  return found == documents->end() ? *none : found->second;
}

}  // namespace kernelsmith::server
