// Which parts of a card's memory are taken. Pure bookkeeping: no memory is touched.
//
// aclrtMalloc pads what it is asked for to a multiple of 32 bytes plus 32 more, and blocks begin at multiples of 512;
// the first fitting gap is taken. A kernel may touch only the bytes that were asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace kernelsmith::emulator::acl {

class AddressSpace {
 public:
  struct Block {
    uint64_t address;
    uint64_t bytes;   // as asked for
    uint64_t padded;  // as documented
    uint64_t taken;   // as the next block allows
  };

  // REQUIRES: `base` and `bytes` are multiples of 512.
  AddressSpace(uint64_t base, uint64_t bytes) : base_(base), total_(bytes), gaps_({{base, bytes}}) {}

  // Nothing if no gap is large enough. REQUIRES: bytes > 0.
  std::optional<uint64_t> Allocate(uint64_t bytes);
  // The block that began there, now free; nothing if none did.
  std::optional<Block> Free(uint64_t address);

  // The block whose bytes [asked for, padded up] hold the whole range.
  const Block* Holding(uint64_t address, uint64_t bytes) const;
  bool InWindow(uint64_t address) const { return address >= base_ && address - base_ < total_; }

  uint64_t total() const { return total_; }
  uint64_t free() const { return total_ - used_; }

 private:
  uint64_t base_;
  uint64_t total_;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> gaps_;  // address, bytes
  std::map<uint64_t, Block> blocks_;   // by address
};

}  // namespace kernelsmith::emulator::acl
