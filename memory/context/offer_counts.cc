#include "memory/context/offer_counts.h"

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

OfferCounts::OfferCounts(const std::vector<OfferedItem>& offers, const TokenCounter& counter)
    : offers_(offers), counter_(counter) {
  counts_.reserve(offers.size());
  for (const OfferedItem& offer : offers) counts_.emplace_back(offer.renderings.size());
}

int64_t OfferCounts::OfText(const std::string& text) {
  const TokenCount count = counter_.Measure(text);
  ++counted_;
  if (count.stood_in) ++stood_in_;
  return count.tokens;
}

int64_t OfferCounts::OfRendering(int offer, int rendering) {
  std::optional<int64_t>& count = counts_[offer][rendering];
  if (!count.has_value()) count = OfText(offers_[offer].renderings[rendering]);
  return *count;
}

std::string OfferCounts::Description() const {
  if (stood_in_ == 0) return counter_.name();
  return absl::StrCat(counter_.name(), "; the conservative count stood in for ", stood_in_, " of ", counted_, " texts");
}

}  // namespace kernelsmith::memory
