// The documents of docs/knowledge as the build found them, by kind of card.
//
//   for (const Document& document : DocumentsFor("ascend")) ...
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::server {

struct Document {
  std::string id;     // "document-" and 16 digits of the text's SHA-256: another text is another document
  std::string title;  // its first heading
  std::string text;   // Markdown
};

bool IsDocument(const std::string& item_id);

// In the order in which they should be read. Empty for a kind of card without documents.
const std::vector<Document>& DocumentsFor(const std::string& card_kind);

}  // namespace kernelsmith::server
