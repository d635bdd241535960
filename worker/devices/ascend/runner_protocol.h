// Messages between the worker and kernelsmith-ascend-runner: SOCK_SEQPACKET packets of plain structures in the byte
// order of the host. The runner holds no host code of a candidate, so what it says is believed. Shared by both sides.
//
//   Open    device, limits                    -> Opened: text = facts of the card, JSON
//   Load    path of the compiled object       -> Loaded
//   Map     tensors of a case and its plan;   -> Mapped
//           descriptors of inputs and outputs
//   Run     slots                             -> Part*, Done | Failed | Damaged | Mutated
//   Quit                                      the process ends
//
// Failed carries an error code of the runtime; Refused, to any request, a text about the installation.
#pragma once

#include <cstdint>

namespace kernelsmith::worker::ascend_runner {

inline constexpr uint32_t kVersion = 1;
inline constexpr int kSocket = 3;  // descriptor inside the jail
inline constexpr uint32_t kMaxPacket = 128 * 1024;
inline constexpr uint32_t kMaxSlots = 256;       // in one Run
inline constexpr uint32_t kMaxPart = 96 * 1024;  // text of one Part

enum class Request : uint32_t { kOpen = 1, kLoad, kMap, kRun, kQuit };
enum class Reply : uint32_t {
  kOpened = 101,
  kLoaded,
  kMapped,
  kPart,     // a piece of the card's report on the run; more follows
  kDone,     // doubles: a time for each slot, then one for each launch
  kFailed,   // code, text = call, a zero byte, what the runtime said
  kDamaged,  // bytes around a tensor changed; text, slot
  kMutated,  // an input changed; text, slot
  kRefused,  // text
};

struct OpenRequest {
  Request kind = Request::kOpen;
  uint32_t version = kVersion;
  int32_t device = 0;
  uint32_t operation_limit_s = 0;  // of one launch, by the runtime's own clock
};

struct LoadRequest {
  Request kind = Request::kLoad;
  uint32_t path_bytes = 0;  // the path follows
};

struct Buffer {
  int64_t offset = 0;  // within the slot's block, bytes
  int64_t bytes = 0;
  int64_t first = 0;  // of element (0, 0, ...) within the buffer, bytes
};

struct Launch {
  int32_t kernel = 0;
  uint32_t blocks = 0;
  uint32_t n_arguments = 0;
  uint32_t reserved = 0;
};

struct Argument {
  int32_t kind = 0;  // ks_argument_kind
  int32_t reserved = 0;
  int64_t value = 0;
};

// Followed by the Buffers of inputs, then outputs; for each launch a Launch and its Arguments; the tiling bytes. Two
// descriptors come along unless a block has no bytes.
struct MapRequest {
  Request kind = Request::kMap;
  uint32_t slots = 0;
  uint32_t n_inputs = 0;
  uint32_t n_outputs = 0;
  uint32_t n_launches = 0;
  uint32_t tiling_bytes = 0;
  int64_t input_stride = 0;
  int64_t output_stride = 0;
  int64_t workspace_bytes = 0;
  int64_t zeroed_bytes = 0;
};

struct RunRequest {
  Request kind = Request::kRun;
  uint32_t pool = 0;   // in the order of kMap, from 0
  uint32_t count = 0;  // slot numbers follow, uint32_t each
  int32_t limit_ms = 0;
};

// Followed by `doubles` times in microseconds, then `text_bytes` of text.
struct ReplyHeader {
  Reply kind = Reply::kDone;
  int32_t code = 0;
  int32_t slot = -1;
  uint32_t doubles = 0;
  uint32_t text_bytes = 0;
  uint32_t reserved = 0;
  double batch_us = 0;
};

}  // namespace kernelsmith::worker::ascend_runner
