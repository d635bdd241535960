// What two kernels can be compared by, read from their source: calls, loops, buffers, constants, types. A reading of
// tokens, not a compiler: macros are not expanded and templates not instantiated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

enum class KernelLanguage { kAscendC, kCpp };

// A buffer of Ascend C: TQue<TPosition::VECIN, 1> in; pipe.InitBuffer(in, 2, kTile * sizeof(half));
struct KernelBuffer {
  std::string position;          // "VECIN"; empty where the declaration was not found
  std::optional<int64_t> depth;  // of a queue
  std::string count;             // of buffers, as written; empty for a TBuf
  std::string bytes;             // of one buffer, as written
  std::optional<int64_t> count_value;
  std::optional<int64_t> bytes_value;
};

struct KernelStructure {
  KernelLanguage language = KernelLanguage::kAscendC;
  int64_t tokens = 0;
  // Call sites by name. Synchronisation keeps its template argument: "PipeBarrier<PIPE_V>", "SetFlag<HardEvent::V_S>".
  std::map<std::string, int64_t> calls;
  std::map<std::string, int64_t> calls_in_loops;        // of them
  std::map<std::string, int64_t> calls_in_inner_loops;  // of them, in a loop inside a loop
  int64_t loops = 0;
  int64_t loop_depth = 0;                        // of the deepest nest
  std::map<std::string, int64_t> steps;          // loops by a step other than one, as written
  std::map<std::string, std::string> constants;  // constexpr, const and #define with a value, as written
  std::map<std::string, int64_t> values;         // of them, those that are integers
  std::map<std::string, KernelBuffer> buffers;   // by the queue's or buffer's name
  std::map<std::string, int64_t> types;          // element types, occurrences
  std::map<std::string, int64_t> marks;  // "#pragma omp simd", "restrict", "alignas", "std::thread", "blockCount > 1"
  std::vector<std::string> launches;     // blocks of each launch, as the plan has them
  std::vector<std::string> statements;   // normalised, in order
};

// `plan` is the host code of an Ascend C candidate; empty for C++.
KernelStructure ReadStructure(KernelLanguage language, absl::string_view kernel, absl::string_view plan);

// Calls whose name is `name` or begins with `name` and "<".
int64_t CallsOf(const std::map<std::string, int64_t>& calls, absl::string_view name);

}  // namespace kernelsmith::common
