// Collects what is found, folded: one finding for each check and pair of places, with the bytes of its first
// occurrence.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "worker/emulator/check/check.h"

namespace kernelsmith::emulator {

// Untrusted text as one line of printable ASCII, at most 200 characters.
std::string Printable(std::string_view text);

// "Add (k.asc:12, vector pipe)".
std::string PlaceText(const Place& place);

class Findings {
 public:
  static constexpr uint32_t kNoRecord = ~uint32_t{0};

  // What one occurrence is; `other` is kNoRecord where there is only one place.
  struct Occurrence {
    Check check = Check::kRace;
    bool error = true;
    uint32_t record = kNoRecord;
    uint32_t other = kNoRecord;
    Space space = Space::kNone;
    uint16_t buffer = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    const char* hazard = "";
  };

  Findings(const TraceReader& trace, size_t max) : trace_(trace), max_(max) {}

  // `text` is asked for once per finding, with both places filled in.
  void Add(const Occurrence& occurrence, const std::function<std::string(const Finding&)>& text);

  // Errors before notes, otherwise in the order found.
  std::vector<Finding> Take();

 private:
  using Key = std::tuple<uint32_t, uint64_t, uint64_t, const char*>;

  Place PlaceOf(uint32_t record) const;
  uint64_t PlaceKey(uint32_t record) const;

  const TraceReader& trace_;
  size_t max_;
  std::vector<Finding> findings_;
  absl::flat_hash_map<Key, size_t> index_;
};

}  // namespace kernelsmith::emulator
