// What libascendcl.so and the emulated device process say to each other, and the memory they share. Both are built from
// one tree and installed together, so there is one version; the structures are plain and in host byte order.
//
// One SOCK_SEQPACKET socket per card in use, a Message and its payload per packet, at most one descriptor with it.
// Tasks carry a sequence number, from 1, and are executed in that order whatever stream they are on. Control::completed
// says how far that has come, so nobody asks; questions (kCollect, kReport) have exactly one answer each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kernelsmith::emulator {

// Where device memory lies in every process of a card: the window of card n begins at base + n * window.
inline constexpr uint64_t kDeviceMemoryBase = 0x12c000000000;
inline constexpr uint64_t kDeviceMemoryWindow = uint64_t{64} << 30;

// Descriptors of the device process when it starts.
inline constexpr int kSocketDescriptor = 3;
inline constexpr int kMemoryDescriptor = 4;
inline constexpr int kControlDescriptor = 5;

inline constexpr uint32_t kMaxEvents = 65536;
inline constexpr size_t kMaxPayload = 96 * 1024;  // of one packet

enum class MessageKind : uint32_t {
  kReady = 1,  // device to client, once: a = ticks per millisecond of event stamps. Or, if the process cannot work:
               // a = 0, payload = why
  // Facts, effective at once.
  kImage,       // a = image; descriptor: the ELF file
  kAllocate,    // a = address, b = bytes as asked for
  kFree,        // a = address
  kStreamMode,  // stream; a = 1: nothing on the stream runs after a failure
  kDropStream,  // stream: its tasks that have not begun will not
  kTimeOut,     // a = microseconds a kernel may take
  kAbort,       // ends the running kernel and drops every task
  // Tasks.
  kLaunch,      // a = image, b = blocks, c = address of the arguments in device memory (else 0), d = their bytes;
                // payload: name, then per argument uint32_t size, then the values one after the other
  kCopyIn,      // a = destination, b = bytes; descriptor: the bytes
  kCopyOut,     // a = source, b = bytes; descriptor: where they go
  kCopyWithin,  // a = destination, b = bytes, c = source
  kFill,        // a = destination, b = bytes, c = value
  kRecord,      // a = index into Control::stamps
  // Questions and their answers.
  kCollect,   // the next notice
  kReport,    // a = 1: forget launches up to number b; a = 0: payload of the answer begins at byte b of the report
  kNotice,    // a = notices left after this one, b = NoticeKind, c = sequence, d = code; stream; payload = text
  kReported,  // a = bytes of the whole report, b = number of its last launch; payload = a piece
};

enum class NoticeKind : uint64_t {
  kNone = 0,  // there was none
  kConsole,   // payload: what a kernel printed
  kFailure,   // a task failed: code, text
};

struct Message {
  MessageKind kind;
  uint32_t stream = 0;
  uint64_t sequence = 0;
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  uint64_t d = 0;
  uint32_t name_bytes = 0;  // kLaunch
  uint32_t arguments = 0;   // kLaunch
};
static_assert(sizeof(Message) == 56);

// An event as last recorded. A stamp counts for a record if its sequence is at least the record's.
struct EventStamp {
  std::atomic<uint64_t> sequence;
  std::atomic<uint64_t> ticks;
};

// Shared memory; zero at first. Only the device process writes it.
struct Control {
  std::atomic<uint64_t> completed;  // every task up to this sequence number is over
  std::atomic<uint64_t> notices;    // how many were ever posted
  std::atomic<uint32_t> turn;       // futex: changes whenever `completed` does
  EventStamp stamps[kMaxEvents];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

}  // namespace kernelsmith::emulator
