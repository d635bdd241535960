#include "server/knowledge/cold_documents.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

constexpr int64_t kMostTokens = 30'000;

// At least as many tokens as the text has: one for each three bytes.
int64_t TokensOf(const std::string& text) { return static_cast<int64_t>(text.size() + 2) / 3; }

bool Has(const v1::AssembleContextResponse& context, const std::string& id) {
  return std::any_of(context.decisions().begin(), context.decisions().end(),
                     [&](const v1::ItemDecision& decision) { return decision.item_id() == id; });
}

}  // namespace

void AddColdDocuments(const std::vector<Document>& documents, v1::AssembleContextResponse* context) {
  const int64_t free = std::max<int64_t>(0, context->budget_tokens() - context->required_tokens());
  int64_t quota = std::min({free / 4, kMostTokens, context->budget_tokens() - context->used_tokens()});
  // Behind the specification, the first of the stable blocks.
  int place = context->blocks_size() > 0 && context->blocks(0).tier() == v1::REQUIRED ? 1 : 0;
  for (const Document& document : documents) {
    if (Has(*context, document.id)) continue;
    v1::ItemDecision& decision = *context->add_decisions();
    decision.set_item_id(document.id);
    decision.set_tier(v1::COLD);
    decision.set_tokens(TokensOf(document.text));
    decision.set_position(-1);
    if (decision.tokens() > quota) {
      decision.set_reason(absl::StrCat("out: a document of ", decision.tokens(),
                                       " tokens does not fit into what is left of ", "the cold tier, ",
                                       std::max<int64_t>(0, quota), " tokens"));
      continue;
    }
    decision.set_included(true);
    decision.set_position(place);
    decision.set_reason("in: a document about this kind of card");
    quota -= decision.tokens();
    context->set_used_tokens(context->used_tokens() + decision.tokens());
    v1::ContextBlock& block = *context->add_blocks();
    block.set_name(document.title);
    block.set_tier(v1::COLD);
    block.set_tokens(decision.tokens());
    block.set_item_id(document.id);
    block.set_text(absl::StrCat("Item ", document.id, ", DOCUMENT, trust: document.\n", document.text));
    for (int i = context->blocks_size() - 1; i > place; --i) context->mutable_blocks()->SwapElements(i, i - 1);
    for (v1::ItemDecision& other : *context->mutable_decisions()) {
      if (&other != &decision && other.included() && other.position() >= place)
        other.set_position(other.position() + 1);
    }
    ++place;
  }
}

}  // namespace kernelsmith::server
