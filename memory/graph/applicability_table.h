// Where items hold, as numbers: many items share one range of targets.
//
//   const uint32_t number = table.Intern(request.applicability());   // 0 if nothing limits it
//   table.Holds(number, target);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// False if `target` lies outside of what `applicability` names. An empty field of either does not limit: what is not
// known of a target excludes nothing. Versions compare by CompareVersions, both ends included; they are those of the
// named toolchains, or of any if none is named. dtypes and applies_when say nothing about a target.
bool HoldsFor(const v1::Applicability& applicability, const v1::Target& target);

class ApplicabilityTable {
 public:
  ApplicabilityTable() { Intern({}); }

  // The number of what `applicability` says about targets; equal limits have equal numbers. 0 limits nothing.
  uint32_t Intern(const v1::Applicability& applicability);
  std::optional<uint32_t> Find(const v1::Applicability& applicability) const;

  bool Holds(uint32_t number, const v1::Target& target) const {
    return number == 0 || HoldsFor(entries_[number], target);
  }

  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  std::vector<v1::Applicability> entries_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;  // by the limits' serialised form
};

}  // namespace kernelsmith::memory
