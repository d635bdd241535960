#include "memory/context/admission.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "memory/values/packing.h"

namespace kernelsmith::memory {
namespace {

using P = v1::Policy;

std::pair<std::string, std::string> AttemptOf(const v1::Item& item) { return {item.producer(), item.attempt_id()}; }

std::string PackingName(const PolicyRules& rules) {
  return absl::StrCat("the packing ", P::Packing_Name(rules.packing));
}

// Why the packing has no place for a role; empty if it has.
std::string RefusedBecause(OfferRole role, const PolicyRules& rules) {
  if (rules.packing == P::REQUIRED_ONLY) return PackingName(rules) + " takes nothing of the memory";
  const bool asks = rules.packing == P::PROPOSER_ASKS;
  switch (role) {
    case OfferRole::kResident:
      return "";
    case OfferRole::kStartChild:
      return asks ? PackingName(rules) + " leaves it to the proposer to ask" : "";
    case OfferRole::kApi:
      if (rules.packing == P::FLAT_AND_APIS || rules.packing == P::TIERS) return "";
      return PackingName(rules) + " takes no API templates beside the ranked items";
    case OfferRole::kRanked:
      return asks ? PackingName(rules) + " leaves it to the proposer to ask" : "";
  }
  return "";
}

class Admitter {
 public:
  Admitter(const std::vector<OfferedItem>& offers, const PolicyRules& rules) : offers_(offers), rules_(rules) {
    result_.left_out.resize(offers.size());
    result_.repeated.resize(offers.size(), false);
  }

  Admission Run() && {
    MarkRepeats();
    std::vector<int> pool_warm;
    std::vector<int> pool_cold;
    const std::set<std::pair<std::string, std::string>> cases = AttemptsShownAsCases();
    for (int i = 0; i < static_cast<int>(offers_.size()); ++i) {
      if (result_.repeated[i]) continue;
      const OfferedItem& offer = offers_[i];
      result_.left_out[i] = RefusedBecause(offer.role, rules_);
      if (!result_.left_out[i].empty()) continue;
      const v1::Item& item = offer.ranked.item();
      switch (offer.role) {
        case OfferRole::kResident:
          result_.residents.push_back(i);
          break;
        case OfferRole::kStartChild:
          AddChild(i);
          break;
        case OfferRole::kApi:
          result_.apis.push_back(i);
          break;
        case OfferRole::kRanked:
          if (item.kind() == v1::JOURNAL && cases.contains(AttemptOf(item))) {
            result_.left_out[i] = "the case of the same attempt stands for it";
          } else {
            (TierOf(offer, rules_) == v1::COLD ? pool_cold : pool_warm).push_back(i);
          }
          break;
      }
    }
    result_.warm = BestOf(pool_warm, /*keep_failures=*/rules_.tiers);
    result_.cold = BestOf(pool_cold, /*keep_failures=*/false);
    return std::move(result_);
  }

 private:
  // Of several offers of one item the one with the strongest role counts, and of equal roles the first.
  void MarkRepeats() {
    std::map<std::string, int> counts;
    for (int i = 0; i < static_cast<int>(offers_.size()); ++i) {
      const auto [entry, added] = counts.try_emplace(offers_[i].ranked.item().id(), i);
      if (added) continue;
      if (offers_[i].role < offers_[entry->second].role) {
        result_.repeated[entry->second] = true;
        entry->second = i;
      } else {
        result_.repeated[i] = true;
      }
    }
  }

  // A journal gets no place beside the case of its attempt: the two are one evidence.
  std::set<std::pair<std::string, std::string>> AttemptsShownAsCases() const {
    std::set<std::pair<std::string, std::string>> cases;
    for (const OfferedItem& offer : offers_) {
      const bool shown = offer.role == OfferRole::kRanked || offer.role == OfferRole::kStartChild;
      if (shown && offer.ranked.item().kind() == v1::CASE) cases.insert(AttemptOf(offer.ranked.item()));
    }
    return cases;
  }

  void AddChild(int offer) {
    if (static_cast<int>(result_.children.size()) < rules_.top_k) {
      result_.children.push_back(offer);
    } else {
      result_.left_out[offer] =
          absl::StrCat("beyond the ", rules_.top_k, " children of the start point that are shown");
    }
  }

  std::vector<int> BestOf(const std::vector<int>& pool, bool keep_failures) {
    std::vector<bool> failure;
    for (const int offer : pool) failure.push_back(keep_failures && offers_[offer].failure);
    std::vector<int> selected;
    for (const int place : SelectWithFailures(failure, rules_.top_k)) selected.push_back(pool[place]);
    size_t next = 0;
    for (size_t place = 0; place < pool.size(); ++place) {
      if (next < selected.size() && selected[next] == pool[place]) {
        ++next;
      } else {
        result_.left_out[pool[place]] =
            absl::StrCat("rank ", place + 1, " is beyond the ", rules_.top_k, " items of the policy");
      }
    }
    return selected;
  }

  const std::vector<OfferedItem>& offers_;
  const PolicyRules& rules_;
  Admission result_;
};

}  // namespace

v1::Tier TierOf(const OfferedItem& offer, const PolicyRules& rules) {
  if (offer.role == OfferRole::kApi) return v1::COLD;
  if (offer.role != OfferRole::kRanked || !rules.tiers) return v1::WARM;
  const v1::ItemKind kind = offer.ranked.item().kind();
  const bool cold_kind = kind == v1::DOCUMENT || kind == v1::API_TEMPLATE || kind == v1::TRACE;
  return offer.cold || cold_kind ? v1::COLD : v1::WARM;
}

Admission Admit(const std::vector<OfferedItem>& offers, const PolicyRules& rules) {
  return Admitter(offers, rules).Run();
}

}  // namespace kernelsmith::memory
