#include "worker/emulator/device/launch_state.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {
namespace {

// Records kept per check and place: enough for every buffer of a double-buffered loop.
constexpr uint32_t kFindingsPerPlace = 8;
constexpr size_t kPlaces = 4096;

}  // namespace

uint32_t LaunchState::cores() const {
  return std::min<uint32_t>(launch_.blocks, static_cast<uint32_t>(std::max(1, soc_.aiv_cores())));
}

uint32_t LaunchState::StaticText(const char* text) {
  if (text == nullptr) return 0;
  const auto [entry, added] = texts_.try_emplace(text, 0);
  if (added) entry->second = trace_.Text(text, std::strlen(text));
  return entry->second;
}

bool LaunchState::AdmitFinding(Check check, const char* file, uint32_t line) {
  if (findings_.size() >= kPlaces) return false;
  return ++findings_[{check, file, line}] <= kFindingsPerPlace;
}

const Allocation* LaunchState::Find(uint64_t address, uint64_t bytes) {
  const std::vector<Allocation>& all = memory_.allocations;
  if (last_allocation_ < all.size()) {
    const Allocation& last = all[last_allocation_];
    if (address >= last.address && address - last.address <= last.bytes &&
        bytes <= last.bytes - (address - last.address))
      return &last;
  }
  auto after = std::upper_bound(all.begin(), all.end(), address, [](uint64_t value, const Allocation& allocation) {
    return value < allocation.address;
  });
  if (after == all.begin()) return nullptr;
  const Allocation& found = *--after;
  if (address - found.address > found.bytes || bytes > found.bytes - (address - found.address)) return nullptr;
  last_allocation_ = static_cast<size_t>(after - all.begin());
  return &found;
}

std::string LaunchState::Describe(uint64_t address) const {
  const std::vector<Allocation>& all = memory_.allocations;
  auto after = std::upper_bound(all.begin(), all.end(), address, [](uint64_t value, const Allocation& allocation) {
    return value < allocation.address;
  });
  if (after != all.begin()) {
    const Allocation& before = *(after - 1);
    const uint64_t offset = address - before.address;
    if (offset < before.bytes) {
      return absl::StrCat("byte ", offset, " of the allocation of ", before.bytes, " bytes at 0x",
                          absl::Hex(before.address));
    }
    return absl::StrCat(offset - before.bytes, " bytes past the end of the allocation of ", before.bytes,
                        " bytes at 0x", absl::Hex(before.address));
  }
  if (after != all.end()) {
    return absl::StrCat("0x", absl::Hex(address), ", ", after->address - address, " bytes before the first allocation");
  }
  return absl::StrCat("0x", absl::Hex(address), ", where nothing is allocated");
}

void LaunchState::End(LaunchEnd end, std::string message) {
  if (end_ != LaunchEnd::kDone) return;
  end_ = end;
  message_ = std::move(message);
}

void LaunchState::Print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(console_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace kernelsmith::emulator
