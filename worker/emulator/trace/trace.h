// What a launch did, instruction by instruction, in the order the scalar unit of each core issued it. Written by the
// executor while a kernel runs; Check and Time are pure functions of it.
//
// A trace is one append-only buffer of 8-byte aligned entries: a Record, directly followed by `accesses` Access
// structures. Records of one core are in issue order; records of different cores interleave in the order in which the
// cores really ran, so every wait comes after what satisfied it. The buffer is written by a process that runs untrusted
// code: readers go through TraceReader, which checks every field before anyone uses it.
//
// Example:
//   absl::StatusOr<TraceReader> trace = TraceReader::Open(block);
//   if (!trace.ok()) ...
//   for (const Entry& entry : *trace) { ... entry.record->kind, entry.accesses ... }
#pragma once

#include <cstdint>

namespace kernelsmith::emulator {

inline constexpr uint32_t kTraceVersion = 1;

// The queues of a core that work side by side. kScalar issues for all others.
enum class Pipe : uint8_t { kScalar = 0, kVector, kCube, kMte1, kMte2, kMte3, kFixpipe, kAll };
inline constexpr int kPipes = 7;  // without kAll

// Memories. Offsets count from the start of the core's own arena; in kGlobal they are device addresses.
enum class Space : uint8_t { kNone = 0, kUb, kL1, kL0A, kL0B, kL0C, kBias, kFixbuf, kGlobal };
inline constexpr int kSpaces = 9;

enum class CoreKind : uint8_t { kAiv = 0, kAic };

enum class AccessKind : uint8_t {
  kRead = 0,
  kWrite,
  kAtomic,       // read-modify-write in global memory (SetAtomicAdd and the like)
  kPaddingRead,  // lanes that the instruction fetches but that no result depends on
};

// Bytes touched: `repeats` groups, `repeat_stride` apart, of `runs` runs, `run_stride` apart, of `run_bytes` each.
// A plain range has runs = repeats = 1.
struct Access {
  uint64_t offset;
  uint32_t run_bytes;
  uint32_t runs;
  uint32_t run_stride;
  uint32_t repeats;
  uint32_t repeat_stride;
  Space space;
  AccessKind kind;
  uint16_t buffer;  // which TPipe buffer (InitBuffer order, from 1) or 0 where unknown; for messages
};
static_assert(sizeof(Access) == 32);

enum class Kind : uint8_t {
  kLaunch = 1,  // first record of a core. a = block, b = sub-block, c = CoreKind
  kEnd,         // last record of a core that finished
  kCompute,     // an instruction of the vector pipe (or a scalar one on kScalar). a = Compute, b = Element type of the
                // arithmetic, c = source element type of a conversion (else as b); work = elements (active lanes);
                // d = repeats (instructions of 256 bytes)
  kMove,        // a transfer. pipe tells the direction: MTE2 global to local, MTE3 local to global, vector local to
          // local. work = bytes moved; a = bursts (blockCount); b = 1 if it pads; for plain writes to global memory
          // c = how many of the first and d = how many of the last bytes global memory already held (c = work when
          // nothing changed): equal values written by two blocks are no conflict
  kScalarLoad,   // scalar unit reads UB or global memory (GetValue, raw pointer). work = bytes; a = later loads by the
                 // same line of the bytes that follow, which TraceBuffer joined to this one
  kScalarStore,  // scalar unit writes. work = bytes; a likewise; c and d as for kMove
  kSetFlag,      // pipe = source pipe; a = waiting Pipe, b = event id
  kWaitFlag,     // pipe = waiting pipe; a = source Pipe, b = event id
  kBarrier,      // pipe, or kAll
  kAllocate,     // AllocTensor. a = queue, b = buffer of the queue
  kFree,         // FreeTensor. likewise
  kEnQue,        // likewise. The flags a queue sets and awaits are records of their own
  kDeQue,        // likewise
  kSyncAll,      // a = 1: every core of the launch, 0: the vector cores; b = generation, from 1
  kSyncSet,      // a core signals others (IBSet, CrossCoreSetFlag, NotifyNextBlock). a = signal, b = value after it.
                 // pipe = the pipe whose earlier work is complete, kAll for all pipes
  kSyncWait,  // a core has waited for that signal (IBWait, CrossCoreWaitFlag, WaitPreBlock). a, b as in the set awaited
  kCacheClean,  // DataCacheCleanAndInvalid. accesses name the lines; none means everything
  kAtomicMode,  // a = 1: following MTE3 writes are atomic; 0: plain
  kFinding,     // the executor itself saw something: a = Check, b = 1 for an error, 0 for a note, c = index of the text
};

// Vector and scalar operations, by what they cost and mean. Names follow the API.
enum class Compute : uint16_t {
  kAdd = 1,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShiftLeft,
  kShiftRight,
  kAbs,
  kNeg,
  kExp,
  kLn,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kRelu,
  kLeakyRelu,
  kAdds,
  kMuls,
  kMaxs,
  kMins,
  kAxpy,
  kFusedMulAdd,
  kMulAddDst,
  kAddRelu,
  kSubRelu,
  kCast,
  kDuplicate,
  kBrcb,
  kBroadcast,
  kArange,
  kReduceSum,
  kReduceMax,
  kReduceMin,
  kWholeReduce,
  kBlockReduce,
  kPairReduce,
  kCompare,
  kSelect,
  kGather,
  kGatherMask,
  kScatter,
  kSort,
  kMergeSort,
  kTranspose,
  kCopy,
  kTanh,
  kErf,
  kPower,
  kTrigonometric,
  kFloor,
  kOther,
};

enum class Element : uint8_t {
  kNone = 0,
  kFloat,
  kHalf,
  kBfloat16,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kInt4,
  kDouble,
};

// What a finding is about. Names as in Finding.check are given by CheckName.
enum class Check : uint8_t {
  kCapacity = 1,  // arena or number of buffers exceeded
  kOutOfBounds,
  kMisaligned,
  kRoundedDown,    // a transfer whose length the hardware cuts to 32 bytes
  kUninitialized,  // undefined local data reaches global memory or a scalar decision
  kRace,
  kPairing,  // Alloc/Free, EnQue/DeQue, SetFlag/WaitFlag unpaired
  kHang,     // a wait that nothing can satisfy
  kSyncAll,  // with more blocks than cores, or not by all
  kCrossCore,
  kConflict,    // blocks write different values to the same global bytes
  kUnordered,   // a block reads what another writes, without a barrier between
  kStaleCache,  // a scalar store that never left the data cache
  kArgument,    // a value the API forbids (mask, repeat, stride, event id)
  kAssert,      // the kernel's own assert failed
  kTimeout,     // step limit
  kRedundant,   // note: equal values written twice, a barrier that orders nothing, a leftover buffer
};

// A transfer that leaves the L2 cache alone.
inline constexpr uint32_t kUncached = 1;

struct Record {
  Kind kind;
  Pipe pipe;
  uint16_t core;          // index of the core within the launch
  uint16_t accesses;      // Access structures that follow
  uint16_t file;          // index of the file name, 0 unknown: the text of index 0 is empty
  uint32_t line;          // from 1, 0 unknown
  uint32_t operation;     // index of the API's name
  uint64_t work;          // see Kind
  uint32_t scalar_steps;  // basic blocks the scalar unit ran since the core's previous record
  uint32_t a;
  uint32_t b;
  uint32_t c;
  uint32_t d;
  uint32_t hints;  // kUncached
};
static_assert(sizeof(Record) == 48);

}  // namespace kernelsmith::emulator
