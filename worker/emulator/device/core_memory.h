// Local memories of one physical core and the definedness of every byte in them. Blocks use it one after another.
//
// Layout: the arenas back to back, unified buffer first, then one shadow byte per byte. Mapped at a multiple of 4 GiB,
// so that the low half of a pointer into the unified buffer is its offset, which is what kernels take addresses for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "worker/emulator/soc/soc.pb.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

class CoreMemory {
 public:
  // `index` of the physical core chooses the address. Throws std::bad_alloc if memory cannot be mapped.
  CoreMemory(const v1::Soc& soc, uint32_t index);
  ~CoreMemory();
  CoreMemory(const CoreMemory&) = delete;
  CoreMemory& operator=(const CoreMemory&) = delete;

  // Null for kNone and kGlobal.
  std::byte* Arena(Space space) { return arenas_[static_cast<size_t>(space)]; }
  uint64_t ArenaBytes(Space space) const { return arena_bytes_[static_cast<size_t>(space)]; }

  bool Contains(const void* pointer) const {
    return static_cast<const std::byte*>(pointer) >= base_ && static_cast<const std::byte*>(pointer) < base_ + bytes_;
  }
  // Which memory and where in it. REQUIRES: Contains(pointer).
  Space Locate(const void* pointer, uint64_t& offset) const;

  uint8_t* Shadow(const std::byte* local) { return reinterpret_cast<uint8_t*>(base_) + bytes_ + (local - base_); }

  // Everything becomes undefined.
  void Forget();
  // Remembers how far a memory has been written, so that Forget is cheap.
  void Touch(Space space, uint64_t end) {
    uint64_t& touched = touched_[static_cast<size_t>(space)];
    if (end > touched) touched = end;
  }

 private:
  std::byte* base_ = nullptr;
  size_t bytes_ = 0;
  std::array<std::byte*, kSpaces> arenas_{};
  std::array<uint64_t, kSpaces> arena_bytes_{};
  std::array<uint64_t, kSpaces> touched_{};
};

}  // namespace kernelsmith::emulator
