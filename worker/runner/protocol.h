// Messages between the worker and kernelsmith-runner: one SOCK_SEQPACKET packet each, plain structures in the byte
// order of the host. README.md describes the exchange. Shared by both sides; no other project header is included here,
// so that the runner stays small.
#pragma once

#include <cstdint>

namespace kernelsmith::worker::runner {

inline constexpr uint32_t kProtocolVersion = 1;
inline constexpr int kSocket = 3;  // descriptor of the socket inside the jail
inline constexpr uint32_t kMaxMessageBytes = 160 * 1024;
inline constexpr uint32_t kMaxCalls = 32768;  // slots in one Call
inline constexpr uint32_t kMaxRank = 8;
inline constexpr uint32_t kTextBytes = 480;

enum class Request : uint32_t { kLoad = 1, kMap = 2, kCall = 3, kQuit = 4 };

enum class Reply : uint32_t {
  kLoaded = 101,
  kMapped = 102,
  kDone = 103,       // every call returned 0
  kFailed = 104,     // a call returned `code`
  kException = 105,  // a call threw; text
  kNoMemory = 106,   // a call threw std::bad_alloc
  kFault = 107,      // about to die of signal `code`; hint, text
  kRefused = 108,    // kLoad or kMap did not work; text
};

enum class Hint : uint32_t { kNone = 0, kInputWrite = 1, kOutOfMemory = 2, kForbiddenCall = 3 };

struct LoadRequest {
  Request kind = Request::kLoad;
  uint32_t version = kProtocolVersion;
  uint32_t cpu_count = 1;
  uint32_t path_bytes = 0;  // the path of the object follows; 0: the built-in empty kernel
};

struct TensorPlace {
  int32_t dtype;
  uint32_t rank;
  int64_t elements;
  int64_t offset;  // of element (0, 0, ...) within the slot, bytes
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];
};

// Two descriptors come along unless a block has no bytes: inputs, then outputs. Followed by n_inputs + n_outputs
// TensorPlace and n_attributes pairs of strings, each ended by a zero byte.
struct MapRequest {
  Request kind = Request::kMap;
  uint32_t n_inputs = 0;
  uint32_t n_outputs = 0;
  uint32_t n_attributes = 0;
  uint32_t slots = 0;
  uint32_t attribute_bytes = 0;
  int64_t input_stride = 0;  // bytes from slot to slot
  int64_t output_stride = 0;
};

struct CallRequest {
  Request kind = Request::kCall;
  uint32_t sequence = 0;
  uint32_t pool = 0;   // in the order of kMap, from 0
  uint32_t count = 0;  // slot numbers follow, uint32_t each
};

struct ReplyMessage {
  Reply kind = Reply::kDone;
  uint32_t sequence = 0;  // of the Call
  int32_t code = 0;
  int32_t slot = -1;  // the slot being called
  Hint hint = Hint::kNone;
  char text[kTextBytes] = {};
};

}  // namespace kernelsmith::worker::runner
