// The forms of the offers of one assembly and their token counts: rendered and counted at most once, and only when
// asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/context/assembly.h"

namespace kernelsmith::memory {

class OfferCounts {
 public:
  // REQUIRES: both outlive this.
  OfferCounts(const std::vector<OfferedItem>& offers, const TokenCounter& counter);

  // From long to short; empty if the item has no text.
  const std::vector<std::string>& Forms(int offer);

  int64_t OfText(const std::string& text);
  int64_t OfRendering(int offer, int rendering);

  // The counter's name, and how often the conservative count stood in if it did.
  std::string Description() const;

 private:
  const std::vector<OfferedItem>& offers_;
  const TokenCounter& counter_;
  std::vector<std::optional<std::vector<std::string>>> rendered_;  // of offers that render
  std::vector<std::vector<std::optional<int64_t>>> counts_;
  int64_t counted_ = 0;
  int64_t stood_in_ = 0;
};

}  // namespace kernelsmith::memory
