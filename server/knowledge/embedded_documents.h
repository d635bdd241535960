// What CMake made of docs/knowledge.
#pragma once

#include <vector>

namespace kernelsmith::server {

struct EmbeddedDocument {
  const char* card_kind;
  const char* text;
};

const std::vector<EmbeddedDocument>& EmbeddedDocuments();

}  // namespace kernelsmith::server
