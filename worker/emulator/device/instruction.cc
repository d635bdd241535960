#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/core.h"
#include "worker/emulator/device/launch_state.h"

namespace kernelsmith::emulator {
namespace {

const char* SpaceName(Space space) {
  static constexpr const char* kNames[] = {"no memory", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FP", "global memory"};
  return kNames[static_cast<size_t>(space)];
}

const char* Verb(AccessKind kind) { return kind == AccessKind::kRead ? "reads" : "writes"; }

}  // namespace

Instruction::Instruction(Core& core, Pipe pipe, Kind kind, const Where& where) : core_(core), where_(where) {
  record_.pipe = pipe;
  record_.kind = kind;
}

void Instruction::Fail(Check check, std::string_view text, bool stops) {
  ok_ = false;
  const Access* last = record_.accesses == 0 ? nullptr : &accesses_[record_.accesses - 1];
  core_.Report(check, where_, text, /*error=*/true, stops, last, record_.pipe);
}

// Bytes `begin` to `end` of UB.
void Instruction::CompareWithWatches(uint64_t begin, uint64_t end, AccessKind kind) {
  const auto block = static_cast<uint64_t>(core_.soc().block_bytes());
  const uint32_t unit = record_.pipe == Pipe::kScalar ? 0 : record_.pipe == Pipe::kVector ? 1 : 2;
  const uint32_t bit = 1U << (2 * unit + (kind == AccessKind::kRead ? 0 : 1));
  for (const Core::Watch& watch : core_.watches) {
    if ((watch.kinds & bit) == 0 || begin / block > watch.end || (end - 1) / block <= watch.begin) continue;
    Fail(
        Check::kAssert,
        absl::StrCat(Verb(kind), " bytes ", begin, " to ", end,
                     " of UB, which CheckLocalMemoryIA watches (blocks after ", watch.begin, " up to ", watch.end, ")"),
        /*stops=*/true);
    return;
  }
}

std::byte* Instruction::Take(const Tensor& tensor, const Span& span, AccessKind kind, uint32_t alignment) {
  const uint64_t end = span.End();
  if (end == 0) return nullptr;
  const Space space = static_cast<Space>(tensor.space);
  const uint64_t begin = tensor.address + span.offset;
  Access access{.offset = begin,
                .run_bytes = span.run_bytes,
                .runs = span.runs,
                .run_stride = span.run_stride,
                .repeats = span.repeats,
                .repeat_stride = span.repeat_stride,
                .space = space,
                .kind = kind,
                .buffer = tensor.buffer};
  if (space == Space::kNone) {
    Fail(Check::kArgument, "a tensor that was never given memory is used; take it from a queue, a TBuf or an allocator",
         /*stops=*/true);
    return nullptr;
  }
  if (record_.accesses < kMaxAccesses) accesses_[record_.accesses++] = access;
  if (space == Space::kGlobal) {
    if (tensor.uncached != 0) record_.hints |= kUncached;
    const uint64_t bytes = end - span.offset;
    if (core_.launch().Find(begin, bytes) == nullptr) {
      const bool starts_inside = core_.launch().Find(begin, 1) != nullptr;
      Fail(Check::kOutOfBounds,
           absl::StrCat(Verb(kind), " ", bytes, " bytes of global memory, of which ",
                        starts_inside ? "the last is " : "the first is ",
                        core_.launch().Describe(starts_inside ? begin + bytes - 1 : begin),
                        "; check offset and length against the size of the tensor"),
           /*stops=*/true);
      return nullptr;
    }
    return reinterpret_cast<std::byte*>(begin);
  }
  const uint64_t arena = core_.ArenaBytes(space);
  if (tensor.address > arena || end > arena - tensor.address) {
    Fail(Check::kOutOfBounds,
         absl::StrCat(Verb(kind), " bytes ", begin, " to ", tensor.address + end, " of ", SpaceName(space),
                      ", which has ", arena, "; check offset, count, repeats and strides"),
         /*stops=*/true);
    return nullptr;
  }
  if (alignment > 1 && begin % alignment != 0) {
    Fail(Check::kMisaligned,
         absl::StrCat("starts at byte ", begin, " of ", SpaceName(space), ", which is no multiple of ", alignment,
                      "; choose offsets so that every operand is aligned"),
         /*stops=*/true);
    return nullptr;
  }
  // A buffer has whole blocks, whatever its tensor needs of the last one.
  const uint64_t block = static_cast<uint64_t>(core_.soc().block_bytes());
  const uint64_t rounded = (tensor.address + tensor.bytes + block - 1) / block * block;
  if (tensor.address + end > rounded && kind != AccessKind::kPaddingRead) {
    core_.Report(Check::kOutOfBounds, where_,
                 absl::StrCat(Verb(kind), " ", end - tensor.bytes, " bytes past the end of a buffer of ", tensor.bytes,
                              " bytes in ", SpaceName(space), "; make the buffer larger or the count smaller"),
                 /*error=*/true, /*stops=*/false, &accesses_[record_.accesses - 1], record_.pipe);
  }
  if (core_.watching && space == Space::kUb && kind != AccessKind::kPaddingRead) {
    CompareWithWatches(begin, tensor.address + end, kind);
  }
  if (kind == AccessKind::kWrite) core_.memory().Touch(space, tensor.address + end);
  return core_.Arena(space) + begin;
}

const std::byte* Instruction::Read(const Tensor& tensor, const Span& span, uint32_t alignment) {
  return Take(tensor, span, AccessKind::kRead, alignment);
}

std::byte* Instruction::Write(const Tensor& tensor, const Span& span, uint32_t alignment) {
  const bool atomic = record_.pipe == Pipe::kMte3 && static_cast<Space>(tensor.space) == Space::kGlobal &&
                      core_.atomic != Core::Atomic::kNone;
  return Take(tensor, span, atomic ? AccessKind::kAtomic : AccessKind::kWrite, alignment);
}

const std::byte* Instruction::ReadPadding(const Tensor& tensor, const Span& span) {
  const Space space = static_cast<Space>(tensor.space);
  if (space == Space::kNone || space == Space::kGlobal || tensor.address > core_.ArenaBytes(space) ||
      span.End() > core_.ArenaBytes(space) - tensor.address) {
    return nullptr;
  }
  return Take(tensor, span, AccessKind::kPaddingRead, 1);
}

void Instruction::RequireDefined(const std::byte* local, size_t bytes, std::string_view what) {
  if (bytes == 0) return;
  const uint8_t* shadow = core_.Shadow(local);
  const auto* undefined = static_cast<const uint8_t*>(std::memchr(shadow, 0, bytes));
  if (undefined == nullptr) return;
  uint64_t offset = 0;
  const Space space = core_.memory().Locate(local + (undefined - shadow), offset);
  const size_t missing = static_cast<size_t>(std::count(undefined, shadow + bytes, 0));
  Access access{.offset = offset,
                .run_bytes = static_cast<uint32_t>(std::min<uint64_t>(missing, UINT32_MAX)),
                .runs = 1,
                .run_stride = 0,
                .repeats = 1,
                .repeat_stride = 0,
                .space = space,
                .kind = AccessKind::kRead,
                .buffer = record_.accesses == 0 ? uint16_t{0} : accesses_[0].buffer};
  core_.Report(Check::kUninitialized, where_,
               absl::StrCat(missing, " undefined bytes, the first at byte ", offset, " of ", SpaceName(space),
                            ", reach ", std::string(what), "; fill or copy in every byte before it is used"),
               /*error=*/true, /*stops=*/false, &access, record_.pipe);
}

void Instruction::Issue(Compute compute, Element element, uint64_t elements, uint32_t repeats, Element source) {
  record_.a = static_cast<uint32_t>(compute);
  record_.b = static_cast<uint32_t>(element);
  record_.c = static_cast<uint32_t>(source == Element::kNone ? element : source);
  record_.work = elements;
  record_.d = repeats;
  Issue();
}

void Instruction::IssueMove(uint64_t bytes, uint32_t bursts, bool pads) {
  record_.work = bytes;
  record_.a = bursts;
  record_.b = pads ? 1 : 0;
  Issue();
}

void Instruction::Issue() { core_.Append(record_, accesses_.data(), record_.accesses, where_); }

}  // namespace kernelsmith::emulator
