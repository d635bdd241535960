#include "server/knowledge/cold_documents.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/coldstart/documents.h"

namespace kernelsmith::server {
namespace {

constexpr int64_t kMostTokens = 30'000;

// At least as many tokens as the text has: one for each three bytes.
int64_t TokensOf(const std::string& text) { return static_cast<int64_t>(text.size() + 2) / 3; }

bool Has(const v1::AssembleContextResponse& context, const std::string& id) {
  return std::any_of(context.decisions().begin(), context.decisions().end(),
                     [&](const v1::ItemDecision& decision) { return decision.item_id() == id; });
}

class ColdTier {
 public:
  explicit ColdTier(v1::AssembleContextResponse* context) : context_(*context) {
    const int64_t free = std::max<int64_t>(0, context_.budget_tokens() - context_.required_tokens());
    quota_ = std::min({free / 4, kMostTokens, context_.budget_tokens() - context_.used_tokens()});
    // Behind the specification, the first of the stable blocks.
    place_ = context_.blocks_size() > 0 && context_.blocks(0).tier() == v1::REQUIRED ? 1 : 0;
  }

  bool Fits(const std::string& text) const { return TokensOf(text) <= quota_; }

  void Add(const std::string& id, const std::string& title, const std::string& text, absl::string_view what) {
    v1::ItemDecision& decision = Decide(id, text);
    decision.set_included(true);
    decision.set_position(place_);
    decision.set_reason(absl::StrCat("in: ", what));
    quota_ -= decision.tokens();
    context_.set_used_tokens(context_.used_tokens() + decision.tokens());
    v1::ContextBlock& block = *context_.add_blocks();
    block.set_name(title);
    block.set_tier(v1::COLD);
    block.set_tokens(decision.tokens());
    block.set_item_id(id);
    block.set_text(absl::StrCat("Item ", id, ", DOCUMENT, trust: document.\n", text));
    for (int i = context_.blocks_size() - 1; i > place_; --i) context_.mutable_blocks()->SwapElements(i, i - 1);
    for (v1::ItemDecision& other : *context_.mutable_decisions()) {
      if (&other != &decision && other.included() && other.position() >= place_)
        other.set_position(other.position() + 1);
    }
    ++place_;
  }

  void LeaveOut(const std::string& id, const std::string& text, absl::string_view what) {
    v1::ItemDecision& decision = Decide(id, text);
    decision.set_position(-1);
    decision.set_reason(absl::StrCat("out: ", what, " of ", decision.tokens(),
                                     " tokens does not fit into what is left of the cold tier, ",
                                     std::max<int64_t>(0, quota_), " tokens"));
  }

 private:
  v1::ItemDecision& Decide(const std::string& id, const std::string& text) {
    v1::ItemDecision& decision = *context_.add_decisions();
    decision.set_item_id(id);
    decision.set_tier(v1::COLD);
    decision.set_tokens(TokensOf(text));
    return decision;
  }

  v1::AssembleContextResponse& context_;
  int64_t quota_ = 0;
  int place_ = 0;
};

// The sections that fit, in their order; those that do not are passed over.
void AddSections(const Document& document, ColdTier& tier) {
  const auto sections = common::SplitDocument(document.title, document.text, {});
  if (!sections.ok() || sections->size() < 2) return;
  for (size_t i = 0; i < sections->size(); ++i) {
    const v1::ItemContent& section = (*sections)[i];
    const std::string id = absl::StrCat(document.id, "-", i + 1);
    if (tier.Fits(section.text())) {
      tier.Add(id, section.title(), section.text(), "a section of a document about this kind of card");
    } else {
      tier.LeaveOut(id, section.text(), "a section");
    }
  }
}

}  // namespace

void AddColdDocuments(const std::vector<Document>& documents, v1::AssembleContextResponse* context) {
  ColdTier tier(context);
  for (const Document& document : documents) {
    if (Has(*context, document.id)) continue;
    if (tier.Fits(document.text)) {
      tier.Add(document.id, document.title, document.text, "a document about this kind of card");
    } else {
      tier.LeaveOut(document.id, document.text, "a document");
      AddSections(document, tier);
    }
  }
}

}  // namespace kernelsmith::server
