#include <iterator>

#include "worker/emulator/check/check.h"

namespace kernelsmith::emulator {
namespace {

// In the order of Check, from 1.
constexpr const char* kNames[] = {
    "",          "capacity",    "out_of_bounds", "misaligned", "rounded_down", "uninitialized",
    "race",      "pairing",     "hang",          "sync_all",   "cross_core",   "conflict",
    "unordered", "stale_cache", "argument",      "assert",     "timeout",      "redundant"};
static_assert(std::size(kNames) == size_t(Check::kRedundant) + 1);

}  // namespace

const char* CheckName(Check check) { return size_t(check) < std::size(kNames) ? kNames[size_t(check)] : ""; }

}  // namespace kernelsmith::emulator
