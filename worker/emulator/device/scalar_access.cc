#include "worker/emulator/device/scalar_access.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/include/ks/tensor_abi.h"

namespace kernelsmith::emulator {
namespace {

// The compiler does not tell which line an access through a pointer is on, so it goes by the call before it.
Where RawWhere(const Core& core) {
  const Where& last = core.last_call();
  return last.line == 0 ? Where{"raw pointer", nullptr, 0} : Where{"raw pointer after this line", last.file, last.line};
}

}  // namespace

void NoteUnchanged(Record& record, const std::byte* before, const std::byte* after, size_t bytes) {
  if (std::memcmp(before, after, bytes) == 0) {
    record.c = static_cast<uint32_t>(bytes);
    record.d = record.c;
    return;
  }
  record.c = static_cast<uint32_t>(std::mismatch(before, before + bytes, after).first - before);
  size_t tail = 0;
  while (before[bytes - 1 - tail] == after[bytes - 1 - tail]) ++tail;
  record.d = static_cast<uint32_t>(tail);
}

uint64_t LoadScalar(Core& core, const Tensor& tensor, uint64_t byte_offset, uint32_t bytes, const Where& where) {
  Instruction i(core, Pipe::kScalar, Kind::kScalarLoad, where);
  const std::byte* from = i.Read(tensor, {.offset = byte_offset, .run_bytes = bytes}, 1);
  if (from == nullptr) return 0;
  if (tensor.space != KSE_SPACE_GLOBAL) i.RequireDefined(from, bytes, "a scalar");
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  i.record().work = bytes;
  i.Issue();
  return value;
}

void StoreScalar(Core& core, const Tensor& tensor, uint64_t byte_offset, uint32_t bytes, uint64_t value,
                 const Where& where) {
  Instruction i(core, Pipe::kScalar, Kind::kScalarStore, where);
  std::byte* to = i.Write(tensor, {.offset = byte_offset, .run_bytes = bytes}, 1);
  if (to == nullptr) return;
  if (tensor.space == KSE_SPACE_GLOBAL) {
    NoteUnchanged(i.record(), to, reinterpret_cast<const std::byte*>(&value), bytes);
  } else {
    core.SetDefined(to, bytes);
  }
  std::memcpy(to, &value, bytes);
  i.record().work = bytes;
  i.Issue();
}

void CheckRawAccess(uintptr_t address, size_t bytes, bool store) {
  Core* core = Core::CurrentOrNull();
  if (core == nullptr || bytes == 0) return;
  LaunchState& launch = core->launch();
  if (launch.scheduler().OnStack(address, bytes)) return;
  const auto* pointer = reinterpret_cast<const std::byte*>(address);
  const Where where = RawWhere(*core);
  Instruction i(*core, Pipe::kScalar, store ? Kind::kScalarStore : Kind::kScalarLoad, where);
  i.record().work = bytes;
  const uint32_t run = static_cast<uint32_t>(bytes);
  uint64_t offset = 0;
  const bool local = core->memory().Contains(pointer);
  const Space space = local ? core->memory().Locate(pointer, offset) : Space::kNone;
  // Of the local memories only UB has addresses for the scalar unit.
  if (space == Space::kUb) {
    const Tensor tensor{.address = offset,
                        .bytes = core->ArenaBytes(space) - offset,
                        .elements = bytes,
                        .space = static_cast<uint8_t>(space),
                        .position = 0,
                        .element = KSE_UINT8,
                        .uncached = 0,
                        .buffer = 0,
                        .queue = 0};
    if (store) {
      std::byte* to = i.Write(tensor, {.run_bytes = run}, 1);
      if (to != nullptr) core->SetDefined(to, bytes);
    } else {
      const std::byte* from = i.Read(tensor, {.run_bytes = run}, 1);
      if (from != nullptr) i.RequireDefined(from, bytes, "a scalar");
    }
    if (i.ok()) return i.Issue();
    launch.scheduler().Leave();
  }
  if (launch.Find(address, bytes) != nullptr) {
    const Tensor tensor{.address = address,
                        .bytes = bytes,
                        .elements = bytes,
                        .space = KSE_SPACE_GLOBAL,
                        .position = 0,
                        .element = KSE_UINT8,
                        .uncached = 0,
                        .buffer = 0,
                        .queue = 0};
    if (store) {
      i.Write(tensor, {.run_bytes = run}, 1);
    } else {
      i.Read(tensor, {.run_bytes = run}, 1);
    }
    return i.Issue();
  }
  if (!store && launch.image().Readable(address, bytes)) return;
  core->Report(Check::kOutOfBounds, where,
               absl::StrCat(store ? "writes " : "reads ", bytes, " bytes through a pointer to ",
                            launch.Describe(address), "; check the index against the size of the tensor"),
               /*error=*/true, /*stops=*/true);
  launch.scheduler().Leave();
}

}  // namespace kernelsmith::emulator

using kernelsmith::emulator::Core;

uint64_t kse_get_value(const kse_tensor* tensor, uint64_t byte_offset, uint32_t bytes, const kse_where* where) {
  return kernelsmith::emulator::LoadScalar(Core::Current(), *tensor, byte_offset, bytes, *where);
}

void kse_set_value(const kse_tensor* tensor, uint64_t byte_offset, uint32_t bytes, uint64_t value,
                   const kse_where* where) {
  kernelsmith::emulator::StoreScalar(Core::Current(), *tensor, byte_offset, bytes, value, *where);
}

void* kse_local_pointer(const kse_tensor* tensor, uint64_t byte_offset) {
  const auto space = static_cast<kernelsmith::emulator::Space>(tensor->space);
  auto base = reinterpret_cast<uintptr_t>(Core::Current().Arena(space));
  return reinterpret_cast<void*>(base + tensor->address + byte_offset);
}

void kse_watch(uint32_t index, uint32_t begin, uint32_t end, uint32_t kinds, const kse_where* where) {
  using kernelsmith::emulator::Space;
  Core& core = Core::Current();
  if (index >= core.watches.size()) {
    core.Report(kernelsmith::emulator::Check::kArgument, *where,
                "CheckLocalMemoryIA has registers 0 to 3; choose enableBit among them");
    return;
  }
  const auto block = static_cast<uint64_t>(core.soc().block_bytes());
  const auto blocks = static_cast<uint32_t>(core.ArenaBytes(Space::kUb) / block);
  // Addresses as GetPhyAddr gives them are the host's, cut to 32 bits when counted in blocks.
  const auto base = static_cast<uint32_t>(reinterpret_cast<uint64_t>(core.Arena(Space::kUb)) / block);
  const auto local = [&](uint32_t address) { return address <= blocks ? address : address - base; };
  core.watches[index] = {local(begin), local(end), kinds};
  core.watching = false;
  for (const Core::Watch& watch : core.watches) core.watching = core.watching || watch.kinds != 0;
}

void kse_locate_pointer(const void* pointer, kse_tensor* tensor) {
  using kernelsmith::emulator::Space;
  Core& core = Core::Current();
  tensor->space = KSE_SPACE_GLOBAL;
  tensor->address = reinterpret_cast<uint64_t>(pointer);
  for (const Space space : {Space::kUb, Space::kL1, Space::kL0A, Space::kL0B, Space::kL0C}) {
    const auto begin = reinterpret_cast<uint64_t>(core.Arena(space));
    if (tensor->address < begin || tensor->address - begin >= core.ArenaBytes(space)) continue;
    tensor->address -= begin;
    tensor->space = static_cast<uint8_t>(space);
    return;
  }
}
