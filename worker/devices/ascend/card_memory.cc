#include "worker/devices/ascend/card_memory.h"

#include <algorithm>
#include <cstring>

namespace kernelsmith::worker::acl {
namespace {

constexpr int kGuardByte = 0xa5;
constexpr int64_t kUnit = 32;  // accesses of a core are made of blocks of 32 bytes
constexpr int64_t kPiece = int64_t{4} << 20;

int64_t RoundUp(int64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

}  // namespace

CardMemory::~CardMemory() {
  for (void* allocation : allocations_) acl_.aclrtFree(allocation);
}

Failure CardMemory::Allocate(int64_t bytes, Region* region) {
  void* allocation = nullptr;
  const int64_t size = acl_.emulated() ? std::max<int64_t>(bytes, 1) : RoundUp(bytes) + 2 * guard_bytes();
  const Error error = acl_.aclrtMalloc(&allocation, static_cast<size_t>(size), kHugePagesFirst);
  if (error != kSuccess) return {error, "aclrtMalloc"};
  allocations_.push_back(allocation);
  region->data = static_cast<std::byte*>(allocation) + guard_bytes();
  region->bytes = bytes;
  return Guard(*region);
}

Failure CardMemory::Guard(const Region& region) const {
  if (guard_bytes() == 0) return {};
  std::byte* const behind = region.data + region.bytes;
  const int64_t after = RoundUp(region.bytes) - region.bytes + guard_bytes();
  Error error = acl_.aclrtMemset(region.data - guard_bytes(), static_cast<size_t>(guard_bytes()), kGuardByte,
                                 static_cast<size_t>(guard_bytes()));
  if (error == kSuccess) {
    error = acl_.aclrtMemset(behind, static_cast<size_t>(after), kGuardByte, static_cast<size_t>(after));
  }
  return {error, "aclrtMemset"};
}

Failure CardMemory::CheckGuards(const Region& region, bool* intact) {
  *intact = true;
  if (guard_bytes() == 0) return {};
  const int64_t after = RoundUp(region.bytes) - region.bytes + guard_bytes();
  const std::pair<const std::byte*, int64_t> zones[] = {{region.data - guard_bytes(), guard_bytes()},
                                                        {region.data + region.bytes, after}};
  for (const auto& [zone, bytes] : zones) {
    scratch_.resize(static_cast<size_t>(bytes));
    const Error error = acl_.aclrtMemcpy(scratch_.data(), scratch_.size(), zone, scratch_.size(), kDeviceToHost);
    if (error != kSuccess) return {error, "aclrtMemcpy"};
    *intact = *intact && std::all_of(scratch_.begin(), scratch_.end(),
                                     [](std::byte b) { return b == static_cast<std::byte>(kGuardByte); });
  }
  return {};
}

Failure CardMemory::CopyIn(const Region& region, const std::byte* host, int64_t bytes) const {
  if (bytes == 0) return {};
  const auto size = static_cast<size_t>(bytes);
  return {acl_.aclrtMemcpy(region.data, size, host, size, kHostToDevice), "aclrtMemcpy"};
}

Failure CardMemory::CopyOut(std::byte* host, const Region& region, int64_t bytes) const {
  if (bytes == 0) return {};
  const auto size = static_cast<size_t>(bytes);
  return {acl_.aclrtMemcpy(host, size, region.data, size, kDeviceToHost), "aclrtMemcpy"};
}

Failure CardMemory::Compare(const Region& region, const std::byte* host, bool* same) {
  *same = true;
  for (int64_t at = 0; at < region.bytes && *same; at += kPiece) {
    const int64_t bytes = std::min(kPiece, region.bytes - at);
    scratch_.resize(static_cast<size_t>(bytes));
    const Failure failure = CopyOut(scratch_.data(), {region.data + at, bytes}, bytes);
    if (!failure.ok()) return failure;
    *same = std::memcmp(scratch_.data(), host + at, static_cast<size_t>(bytes)) == 0;
  }
  return {};
}

}  // namespace kernelsmith::worker::acl
