#include "memory/context/offer_counts.h"

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

OfferCounts::OfferCounts(const std::vector<OfferedItem>& offers, const TokenCounter& counter)
    : offers_(offers), counter_(counter), rendered_(offers.size()), counts_(offers.size()) {}

const std::vector<std::string>& OfferCounts::Forms(int offer) {
  if (!offers_[offer].renderings.empty() || !offers_[offer].render) return offers_[offer].renderings;
  std::optional<std::vector<std::string>>& forms = rendered_[offer];
  if (!forms.has_value()) forms = offers_[offer].render();
  return *forms;
}

int64_t OfferCounts::OfText(const std::string& text) {
  const TokenCount count = counter_.Measure(text);
  ++counted_;
  if (count.stood_in) ++stood_in_;
  return count.tokens;
}

int64_t OfferCounts::OfRendering(int offer, int rendering) {
  counts_[offer].resize(Forms(offer).size());
  std::optional<int64_t>& count = counts_[offer][rendering];
  if (!count.has_value()) count = OfText(Forms(offer)[rendering]);
  return *count;
}

std::string OfferCounts::Description() const {
  if (stood_in_ == 0) return counter_.name();
  return absl::StrCat(counter_.name(), "; the conservative count stood in for ", stood_in_, " of ", counted_, " texts");
}

}  // namespace kernelsmith::memory
