#include "worker/emulator/runtime/client/address_space.h"

#include <iterator>

namespace kernelsmith::emulator::acl {
namespace {

constexpr uint64_t kPadding = 32;
constexpr uint64_t kAlignment = 512;

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<uint64_t> AddressSpace::Allocate(uint64_t bytes) {
  if (bytes > total_) return std::nullopt;
  const uint64_t padded = RoundUp(bytes, kPadding) + kPadding;
  const uint64_t taken = RoundUp(padded, kAlignment);
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->second < taken) continue;
    const uint64_t address = gap->first;
    const uint64_t left = gap->second - taken;
    gaps_.erase(gap);
    if (left > 0) gaps_.emplace(address + taken, left);
    blocks_.emplace(address, Block{address, bytes, padded, taken});
    used_ += taken;
    return address;
  }
  return std::nullopt;
}

std::optional<AddressSpace::Block> AddressSpace::Free(uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return std::nullopt;
  const Block block = found->second;
  blocks_.erase(found);
  used_ -= block.taken;
  auto gap = gaps_.emplace(address, block.taken).first;
  if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap != gaps_.begin()) {
    if (const auto before = std::prev(gap); before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps_.erase(gap);
    }
  }
  return block;
}

const AddressSpace::Block* AddressSpace::Holding(uint64_t address, uint64_t bytes) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = std::prev(after)->second;
  const uint64_t offset = address - block.address;
  return offset <= block.padded && bytes <= block.padded - offset ? &block : nullptr;
}

}  // namespace kernelsmith::emulator::acl
