// The allowed items of one piece, in the form that suits their number: all, none, a list, or a question for each.
#pragma once

#include <cstdint>
#include <roaring/roaring.hh>
#include <vector>

namespace kernelsmith::memory {

class AllowedItems {
 public:
  enum class Form { kAll, kNone, kListed, kAsked };

  // The items [first, last) of `allowed`, which must outlive the object; null allows all.
  AllowedItems(const Roaring* allowed, uint32_t first, uint32_t last);

  Form form() const { return form_; }

  // REQUIRES: kListed. Within the piece, rising.
  const std::vector<uint32_t>& listed() const { return listed_; }

  // REQUIRES: kAsked. `item` within the piece.
  bool Contains(uint32_t item) const { return allowed_->contains(first_ + item); }

  // True if most items pass, so that other tests should go first. REQUIRES: kAsked.
  bool passes_most() const { return passes_most_; }

 private:
  const Roaring* allowed_;
  uint32_t first_;
  Form form_ = Form::kAll;
  bool passes_most_ = false;
  std::vector<uint32_t> listed_;
};

}  // namespace kernelsmith::memory
