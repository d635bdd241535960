// Numbers for strings that repeat often, so that filters compare integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

class StringTable {
 public:
  StringTable() { Intern(""); }

  // The number of `text`, given out in the order of first use. "" is 0.
  uint32_t Intern(absl::string_view text) {
    const auto [entry, added] = numbers_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(entry->first);
    return entry->second;
  }

  // The number of `text` if it was interned.
  std::optional<uint32_t> Find(absl::string_view text) const {
    const auto entry = numbers_.find(std::string(text));
    if (entry == numbers_.end()) return std::nullopt;
    return entry->second;
  }

  // REQUIRES: `number` came from Intern.
  const std::string& Text(uint32_t number) const { return texts_[number]; }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace kernelsmith::memory
