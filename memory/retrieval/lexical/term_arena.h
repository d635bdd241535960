// Strings that live as long as the arena, packed into large blocks.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

class TermArena {
 public:
  // REQUIRES: at most 64 KiB.
  absl::string_view Keep(absl::string_view text) {
    if (used_ + text.size() > kBlockBytes || blocks_.empty()) {
      blocks_.push_back(std::make_unique<char[]>(kBlockBytes));
      used_ = 0;
    }
    char* const place = blocks_.back().get() + used_;
    std::memcpy(place, text.data(), text.size());
    used_ += text.size();
    return {place, text.size()};
  }

  int64_t bytes() const { return static_cast<int64_t>(blocks_.size() * kBlockBytes); }

 private:
  static constexpr size_t kBlockBytes = 64 << 10;

  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t used_ = 0;
};

}  // namespace kernelsmith::memory
