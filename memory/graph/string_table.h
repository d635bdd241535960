// Numbers for strings that repeat often, so that filters compare integers.
//
//   StringTable strings;
//   strings.Intern("softmax");   // 1, again and again
//   strings.Text(1);             // "softmax"
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

class StringTable {
 public:
  StringTable() { Intern(""); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  // The number of `text`, given out in the order of first use. "" is 0.
  uint32_t Intern(absl::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(text), number);
    return number;
  }

  // The number of `text` if it was interned.
  std::optional<uint32_t> Find(absl::string_view text) const {
    const auto entry = numbers_.find(text);
    if (entry == numbers_.end()) return std::nullopt;
    return entry->second;
  }

  // REQUIRES: `number` came from Intern.
  const std::string& Text(uint32_t number) const { return texts_[number]; }

  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a text once added stays where it is
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;
};

}  // namespace kernelsmith::memory
