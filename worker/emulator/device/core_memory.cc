#include "worker/emulator/device/core_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace kernelsmith::emulator {
namespace {

constexpr uintptr_t kFirstAddress = 0x200000000000;
constexpr uintptr_t kAddressStep = uintptr_t{1} << 32;
constexpr uint64_t kArenaAlignment = 512;

}  // namespace

CoreMemory::CoreMemory(const v1::Soc& soc, uint32_t index) {
  const std::array<std::pair<Space, int64_t>, 7> sizes = {{{Space::kUb, soc.ub_bytes()},
                                                           {Space::kL1, soc.l1_bytes()},
                                                           {Space::kL0A, soc.l0a_bytes()},
                                                           {Space::kL0B, soc.l0b_bytes()},
                                                           {Space::kL0C, soc.l0c_bytes()},
                                                           {Space::kBias, soc.bias_bytes()},
                                                           {Space::kFixbuf, soc.fixbuf_bytes()}}};
  std::array<uint64_t, 7> starts{};
  for (size_t i = 0; i < sizes.size(); ++i) {
    starts[i] = bytes_;
    bytes_ += (static_cast<uint64_t>(sizes[i].second) + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  }
  void* wanted = reinterpret_cast<void*>(kFirstAddress + index * kAddressStep);
  void* memory = mmap(wanted, 2 * bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) {
    memory = mmap(nullptr, 2 * bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(memory);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t space = static_cast<size_t>(sizes[i].first);
    arenas_[space] = base_ + starts[i];
    arena_bytes_[space] = static_cast<uint64_t>(sizes[i].second);
  }
}

CoreMemory::~CoreMemory() { munmap(base_, 2 * bytes_); }

Space CoreMemory::Locate(const void* pointer, uint64_t& offset) const {
  const auto* byte = static_cast<const std::byte*>(pointer);
  for (size_t space = 0; space < arenas_.size(); ++space) {
    if (arenas_[space] != nullptr && byte >= arenas_[space] && byte < arenas_[space] + arena_bytes_[space]) {
      offset = static_cast<uint64_t>(byte - arenas_[space]);
      return static_cast<Space>(space);
    }
  }
  offset = 0;
  return Space::kNone;
}

void CoreMemory::Forget() {
  for (size_t space = 0; space < arenas_.size(); ++space) {
    if (touched_[space] != 0) std::memset(Shadow(arenas_[space]), 0, touched_[space]);
    touched_[space] = 0;
  }
}

}  // namespace kernelsmith::emulator
