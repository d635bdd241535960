// What a core can ask about itself, its caches and workspaces, as kernels call it.

#include <algorithm>
#include <cstring>

#include "worker/emulator/device/core.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/device/scalar_access.h"
#include "worker/emulator/include/ks/sync_abi.h"

namespace kernelsmith::emulator {
namespace {

constexpr uint64_t kCacheLine = 64;

Tensor GlobalBytes(uint64_t address, uint64_t bytes) {
  return Tensor{.address = address,
                .bytes = bytes,
                .elements = bytes,
                .space = KSE_SPACE_GLOBAL,
                .position = 0,
                .element = KSE_UINT8,
                .uncached = 0,
                .buffer = 0,
                .queue = 0};
}

void CleanLine(Core& core, uint64_t address, const Where& where) {
  const Access access{.offset = address / kCacheLine * kCacheLine,
                      .run_bytes = kCacheLine,
                      .runs = 1,
                      .run_stride = 0,
                      .repeats = 1,
                      .repeat_stride = 0,
                      .space = Space::kGlobal,
                      .kind = AccessKind::kRead,
                      .buffer = 0};
  Record record{};
  record.kind = Kind::kCacheClean;
  core.Append(record, &access, 1, where);
}

}  // namespace
}  // namespace kernelsmith::emulator

using kernelsmith::emulator::Core;
using kernelsmith::emulator::Kind;
using kernelsmith::emulator::Record;

void kse_cache_clean(const kse_tensor* tensor, uint32_t everything, const kse_where* where) {
  Core& core = Core::Current();
  if (everything == 0 && tensor->space == KSE_SPACE_GLOBAL) {
    kernelsmith::emulator::CleanLine(core, tensor->address, *where);
    return;
  }
  Record record{};
  record.kind = Kind::kCacheClean;
  core.Append(record, nullptr, 0, *where);
}

uint64_t kse_read_bypass(uint64_t address, uint32_t bytes, const kse_where* where) {
  Core& core = Core::Current();
  kernelsmith::emulator::CleanLine(core, address, *where);
  return kernelsmith::emulator::LoadScalar(core, kernelsmith::emulator::GlobalBytes(address, bytes), 0, bytes, *where);
}

void kse_write_bypass(uint64_t address, uint32_t bytes, uint64_t value, const kse_where* where) {
  Core& core = Core::Current();
  kernelsmith::emulator::StoreScalar(core, kernelsmith::emulator::GlobalBytes(address, bytes), 0, bytes, value, *where);
  kernelsmith::emulator::CleanLine(core, address, *where);
}

uint32_t kse_block_index() { return Core::Current().identity().block; }
uint32_t kse_block_count() { return Core::Current().launch().blocks(); }
uint32_t kse_ub_bytes() {
  const Core& core = Core::Current();
  return static_cast<uint32_t>(core.soc().ub_bytes() - core.soc().ub_reserved_bytes());
}

int64_t kse_system_cycle() {
  const Core& core = Core::Current();
  const double ticks_per_ns = core.soc().device_ticks_per_ms().value() / 1e6;
  return static_cast<int64_t>(static_cast<double>(core.elapsed_ns()) * ticks_per_ns);
}

void kse_reset_state() {
  Core& core = Core::Current();
  core.atomic = Core::Atomic::kNone;
  core.vector().count_mode = false;
  core.vector().mask_low = ~uint64_t{0};
  core.vector().mask_high = ~uint64_t{0};
}

void kse_set_system_workspace(uint64_t address) { Core::Current().launch().system_workspace = address; }
uint64_t kse_system_workspace() { return Core::Current().launch().system_workspace; }

void kse_read_structure(void* to, uint64_t address, uint32_t bytes, const kse_where* where) {
  Core& core = Core::Current();
  kernelsmith::emulator::Instruction i(core, kernelsmith::emulator::Pipe::kScalar, Kind::kScalarLoad, *where);
  const std::byte* from = i.Read(kernelsmith::emulator::GlobalBytes(address, bytes), {.run_bytes = bytes});
  if (from == nullptr) {
    std::memset(to, 0, bytes);
    return;
  }
  std::memcpy(to, from, bytes);
  i.record().work = bytes;
  i.Issue();
}
