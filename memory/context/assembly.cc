#include "memory/context/assembly.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/context/admission.h"
#include "memory/context/offer_counts.h"
#include "memory/context/rendering.h"
#include "memory/values/budget.h"
#include "memory/values/packing.h"

namespace kernelsmith::memory {
namespace {

using Decision = v1::ItemDecision;

// What became of one offered item.
struct Placement {
  int rendering = kLeftOut;
  int64_t tokens = 0;
  int position = -1;
};

Decision::Selection SelectionOf(OfferRole role) {
  switch (role) {
    case OfferRole::kResident:
      return Decision::RESIDENT;
    case OfferRole::kStartChild:
      return Decision::START_CHILD;
    case OfferRole::kApi:
      return Decision::API_TEMPLATE_WANTED;
    case OfferRole::kRanked:
      return Decision::RANKED;
  }
  return Decision::SELECTION_UNSPECIFIED;
}

absl::string_view RoleNote(OfferRole role) {
  switch (role) {
    case OfferRole::kResident:
      return "resident; ";
    case OfferRole::kStartChild:
      return "an attempt from the same start point; ";
    case OfferRole::kApi:
      return "API template; ";
    case OfferRole::kRanked:
      return "";
  }
  return "";
}

class Assembler {
 public:
  Assembler(const v1::AssembleContextRequest& request, const PolicyRules& rules, const std::vector<OfferedItem>& offers,
            const TokenCounter& counter)
      : request_(request),
        rules_(rules),
        offers_(offers),
        counts_(offers, counter),
        admission_(Admit(offers, rules)),
        placements_(offers.size()) {}

  absl::StatusOr<v1::AssembleContextResponse> Run() && {
    RETURN_IF_ERROR(CountRequired());
    Pack();
    AddRequired(/*stable=*/true);
    AddInOrder(admission_.residents);
    AddInOrder(admission_.apis);
    AddByStrength(admission_.cold);
    std::vector<int> warm = admission_.children;
    warm.insert(warm.end(), admission_.warm.begin(), admission_.warm.end());
    AddByStrength(warm);
    AddRequired(/*stable=*/false);
    Explain();
    response_.set_token_counter(counts_.Description());
    return std::move(response_);
  }

 private:
  absl::Status CountRequired() {
    const v1::TokenBudget& budget = request_.budget();
    response_.set_budget_tokens(
        ContextBudget({budget.window(), budget.system(), budget.generation(), budget.recency()}));
    int64_t required = 0;
    for (const v1::RequiredBlock& block : request_.required()) {
      required_counts_.push_back(counts_.OfText(block.text()));
      required += required_counts_.back();
    }
    response_.set_required_tokens(required);
    response_.set_used_tokens(required);
    if (required <= response_.budget_tokens()) return absl::OkStatus();
    return common::BadState(
        "TOKEN_BUDGET", "the required tier",
        absl::StrCat("has ", required, " tokens, ", required - response_.budget_tokens(), " more than the budget of ",
                     response_.budget_tokens(), "; shorten the required blocks or take a larger window"));
  }

  // Residents first, then the children into at most half of what is left, then the pool.
  void Pack() {
    const TierQuotas quotas = QuotasFor(response_.budget_tokens(), response_.required_tokens());
    int64_t warm = quotas.warm;
    warm -= PackGroup(admission_.residents, warm, 0);
    warm -= PackGroup(admission_.children, warm / 2, 0);
    PackGroup(admission_.warm, warm, rules_.tiers ? quotas.warm_failures : 0);
    int64_t cold = quotas.cold;
    cold -= PackGroup(admission_.apis, cold, 0);
    PackGroup(admission_.cold, cold, 0);
  }

  // Returns the tokens that the group takes.
  int64_t PackGroup(const std::vector<int>& group, int64_t quota, int64_t kept_for_failures) {
    std::vector<PackCandidate> candidates;
    for (const int offer : group) {
      candidates.push_back({.renderings = static_cast<int>(counts_.Forms(offer).size()),
                            .tokens = [this, offer](int rendering) { return counts_.OfRendering(offer, rendering); },
                            .failure = kept_for_failures > 0 && offers_[offer].failure});
    }
    const std::vector<int> choice = PackTier(candidates, quota, kept_for_failures);
    int64_t used = 0;
    for (size_t i = 0; i < group.size(); ++i) {
      Placement& placement = placements_[group[i]];
      placement.rendering = choice[i];
      if (choice[i] != kLeftOut) {
        placement.tokens = candidates[i].tokens(choice[i]);
        used += placement.tokens;
      } else if (candidates[i].renderings == 0) {
        admission_.left_out[group[i]] = "it has no text";
      } else {
        placement.tokens = candidates[i].tokens(candidates[i].renderings - 1);
        admission_.left_out[group[i]] = absl::StrCat(
            "its shortest form of ", placement.tokens, " tokens does not fit into what is left of the ", quota,
            " tokens of the ", TierOf(offers_[group[i]], rules_) == v1::WARM ? "warm" : "cold", " tier");
      }
    }
    return used;
  }

  void AddRequired(bool stable) {
    for (int i = 0; i < request_.required_size(); ++i) {
      const v1::RequiredBlock& required = request_.required(i);
      if (required.stable() != stable) continue;
      v1::ContextBlock& block = *response_.add_blocks();
      block.set_name(required.name());
      block.set_tier(v1::REQUIRED);
      block.set_text(required.text());
      block.set_tokens(required_counts_[i]);
    }
  }

  void AddInOrder(const std::vector<int>& group) {
    for (const int offer : group) {
      if (placements_[offer].rendering != kLeftOut) AddItem(offer);
    }
  }

  void AddByStrength(std::vector<int> group) {
    std::erase_if(group, [this](int offer) { return placements_[offer].rendering == kLeftOut; });
    for (const int place : EdgeOrder(static_cast<int>(group.size()))) AddItem(group[place]);
  }

  void AddItem(int offer) {
    Placement& placement = placements_[offer];
    placement.position = response_.blocks_size();
    v1::ContextBlock& block = *response_.add_blocks();
    block.set_name(OneLine(offers_[offer].ranked.item().title()));
    block.set_tier(TierOf(offers_[offer], rules_));
    block.set_text(counts_.Forms(offer)[placement.rendering]);
    block.set_tokens(placement.tokens);
    block.set_item_id(offers_[offer].ranked.item().id());
    response_.set_used_tokens(response_.used_tokens() + placement.tokens);
  }

  void Explain() {
    for (size_t i = 0; i < offers_.size(); ++i) {
      if (admission_.repeated[i]) continue;
      const Placement& placement = placements_[i];
      const v1::RankedItem& ranked = offers_[i].ranked;
      const bool included = placement.rendering != kLeftOut;
      Decision& decision = *response_.add_decisions();
      decision.set_item_id(ranked.item().id());
      decision.set_included(included);
      decision.set_tier(TierOf(offers_[i], rules_));
      decision.set_tokens(placement.tokens);
      decision.set_relevance(ranked.relevance());
      decision.set_score(ranked.score());
      decision.set_position(placement.position);
      decision.set_selection(SelectionOf(offers_[i].role));
      const std::string why = absl::StrCat(RoleNote(offers_[i].role), ranked.reason());
      decision.set_reason(included ? absl::StrCat("in: ", why, "; form ", placement.rendering + 1, " of ",
                                                  counts_.Forms(static_cast<int>(i)).size())
                                   : absl::StrCat("out: ", admission_.left_out[i], "; ", why));
      if (included) *response_.add_items() = ranked;
    }
  }

  const v1::AssembleContextRequest& request_;
  const PolicyRules& rules_;
  const std::vector<OfferedItem>& offers_;
  OfferCounts counts_;
  Admission admission_;
  std::vector<Placement> placements_;
  std::vector<int64_t> required_counts_;
  v1::AssembleContextResponse response_;
};

}  // namespace

absl::StatusOr<v1::AssembleContextResponse> AssembleBlocks(const v1::AssembleContextRequest& request,
                                                           const PolicyRules& rules,
                                                           const std::vector<OfferedItem>& offers,
                                                           const TokenCounter& counter) {
  return Assembler(request, rules, offers, counter).Run();
}

}  // namespace kernelsmith::memory
