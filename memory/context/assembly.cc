#include "memory/context/assembly.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/values/budget.h"
#include "memory/values/packing.h"

namespace kernelsmith::memory {
namespace {

// What became of one offered item.
struct Placement {
  v1::Tier tier = v1::WARM;
  int rendering = kLeftOut;
  int64_t tokens = 0;
  std::string left_out_because;
  int position = -1;
};

class Assembler {
 public:
  Assembler(const v1::AssembleContextRequest& request, const PolicyRules& rules, const std::vector<OfferedItem>& offers,
            const TokenCounter& counter)
      : request_(request), rules_(rules), offers_(offers), counter_(counter), placements_(offers.size()) {}

  absl::StatusOr<v1::AssembleContextResponse> Run() {
    RETURN_IF_ERROR(CountRequired());
    const TierQuotas quotas = QuotasFor(response_.budget_tokens(), response_.required_tokens());
    const std::vector<int> selected = Select();
    PackOneTier(selected, v1::COLD, quotas.cold, 0);
    PackOneTier(selected, v1::WARM, quotas.warm, rules_.tiers ? quotas.warm_failures : 0);
    AddRequired(/*stable=*/true);
    AddTier(selected, v1::COLD);
    AddTier(selected, v1::WARM);
    AddRequired(/*stable=*/false);
    Explain();
    return response_;
  }

 private:
  absl::Status CountRequired() {
    const v1::TokenBudget& budget = request_.budget();
    response_.set_budget_tokens(
        ContextBudget({budget.window(), budget.system(), budget.generation(), budget.recency()}));
    int64_t required = 0;
    for (const v1::RequiredBlock& block : request_.required()) required += counter_.Count(block.text());
    response_.set_required_tokens(required);
    response_.set_used_tokens(required);
    if (required <= response_.budget_tokens()) return absl::OkStatus();
    return common::BadState(
        "TOKEN_BUDGET", "the required tier",
        absl::StrCat("has ", required, " tokens, ", required - response_.budget_tokens(), " more than the budget of ",
                     response_.budget_tokens(), "; shorten the required blocks or take a larger window"));
  }

  // The items that get a place, in rank order. A journal whose case is offered too gets none: the two are one evidence.
  std::vector<int> Select() {
    std::set<std::pair<std::string, std::string>> cases;
    for (const OfferedItem& offer : offers_) {
      const v1::Item& item = offer.ranked.item();
      if (item.kind() == v1::CASE) cases.emplace(item.producer(), item.attempt_id());
    }
    std::vector<int> eligible;
    std::vector<bool> failure;
    for (size_t i = 0; i < offers_.size(); ++i) {
      const v1::Item& item = offers_[i].ranked.item();
      placements_[i].tier = rules_.tiers && offers_[i].cold ? v1::COLD : v1::WARM;
      if (item.kind() == v1::JOURNAL && cases.contains({item.producer(), item.attempt_id()})) {
        placements_[i].left_out_because = "the case of the same attempt stands for it";
        continue;
      }
      eligible.push_back(static_cast<int>(i));
      failure.push_back(rules_.tiers && offers_[i].failure);
      placements_[i].left_out_because =
          absl::StrCat("rank ", i + 1, " is beyond the ", rules_.top_k, " items of the policy");
    }
    std::vector<int> selected = SelectWithFailures(failure, rules_.top_k);
    for (int& place : selected) place = eligible[place];
    return selected;
  }

  void PackOneTier(const std::vector<int>& selected, v1::Tier tier, int64_t quota, int64_t kept_for_failures) {
    std::vector<int> members;
    std::vector<PackCandidate> candidates;
    for (const int offer : selected) {
      if (placements_[offer].tier != tier) continue;
      members.push_back(offer);
      PackCandidate& candidate = candidates.emplace_back();
      candidate.failure = rules_.tiers && offers_[offer].failure;
      for (const std::string& text : offers_[offer].renderings) candidate.renderings.push_back(counter_.Count(text));
    }
    const std::vector<int> choice = PackTier(candidates, quota, kept_for_failures);
    for (size_t i = 0; i < members.size(); ++i) {
      Placement& placement = placements_[members[i]];
      placement.rendering = choice[i];
      if (choice[i] != kLeftOut) {
        placement.tokens = candidates[i].renderings[choice[i]];
      } else {
        placement.tokens = candidates[i].renderings.back();
        placement.left_out_because =
            absl::StrCat("its shortest form of ", placement.tokens, " tokens does not fit into what is left of the ",
                         quota, " tokens of the ", tier == v1::WARM ? "warm" : "cold", " tier");
      }
    }
  }

  void AddRequired(bool stable) {
    for (const v1::RequiredBlock& required : request_.required()) {
      if (required.stable() != stable) continue;
      v1::ContextBlock& block = *response_.add_blocks();
      block.set_name(required.name());
      block.set_tier(v1::REQUIRED);
      block.set_text(required.text());
      block.set_tokens(counter_.Count(required.text()));
    }
  }

  void AddTier(const std::vector<int>& selected, v1::Tier tier) {
    std::vector<int> included;
    for (const int offer : selected) {
      if (placements_[offer].tier == tier && placements_[offer].rendering != kLeftOut) included.push_back(offer);
    }
    for (const int place : EdgeOrder(static_cast<int>(included.size()))) {
      const int offer = included[place];
      Placement& placement = placements_[offer];
      placement.position = response_.blocks_size();
      v1::ContextBlock& block = *response_.add_blocks();
      block.set_name(offers_[offer].ranked.item().title());
      block.set_tier(tier);
      block.set_text(offers_[offer].renderings[placement.rendering]);
      block.set_tokens(placement.tokens);
      block.set_item_id(offers_[offer].ranked.item().id());
      response_.set_used_tokens(response_.used_tokens() + placement.tokens);
    }
  }

  void Explain() {
    for (size_t i = 0; i < offers_.size(); ++i) {
      const Placement& placement = placements_[i];
      const v1::RankedItem& ranked = offers_[i].ranked;
      const bool included = placement.rendering != kLeftOut;
      v1::ItemDecision& decision = *response_.add_decisions();
      decision.set_item_id(ranked.item().id());
      decision.set_included(included);
      decision.set_tier(placement.tier);
      decision.set_tokens(placement.tokens);
      decision.set_relevance(ranked.relevance());
      decision.set_score(ranked.score());
      decision.set_position(placement.position);
      decision.set_reason(included ? absl::StrCat("in: ", ranked.reason(), "; form ", placement.rendering + 1, " of ",
                                                  offers_[i].renderings.size())
                                   : absl::StrCat("out: ", placement.left_out_because, "; ", ranked.reason()));
      if (included) *response_.add_items() = ranked;
    }
  }

  const v1::AssembleContextRequest& request_;
  const PolicyRules& rules_;
  const std::vector<OfferedItem>& offers_;
  const TokenCounter& counter_;
  std::vector<Placement> placements_;
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
