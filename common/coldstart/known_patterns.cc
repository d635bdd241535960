#include "common/coldstart/known_patterns.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace kernelsmith::common {
namespace {

using K = const KernelStructure&;

int64_t SumOf(const std::map<std::string, int64_t>& calls, std::initializer_list<absl::string_view> names) {
  int64_t sum = 0;
  for (const absl::string_view name : names) sum += CallsOf(calls, name);
  return sum;
}

int64_t MarksOf(K kernel, absl::string_view part) {
  int64_t sum = 0;
  for (const auto& [mark, count] : kernel.marks) sum += absl::StrContains(mark, part) ? count : 0;
  return sum;
}

int64_t ScalarAccesses(K kernel) { return SumOf(kernel.calls_in_loops, {"GetValue", "SetValue"}); }

int64_t VectorCalls(K kernel) {
  return SumOf(kernel.calls, {"Add",        "Sub",       "Mul",
                              "Div",        "Max",       "Min",
                              "Adds",       "Muls",      "Maxs",
                              "Mins",       "Exp",       "Ln",
                              "Abs",        "Sqrt",      "Rsqrt",
                              "Relu",       "ReduceSum", "ReduceMax",
                              "ReduceMin",  "Cast",      "Compare",
                              "Select",     "Gather",    "Axpy",
                              "Duplicate",  "Brcb",      "WholeReduceSum",
                              "Reciprocal", "LeakyRelu", "WholeReduceMax"});
}

int64_t Copies(K kernel) { return SumOf(kernel.calls, {"DataCopy", "DataCopyPad"}); }

// Queues with two buffers or more.
int64_t DoubleBuffers(K kernel) {
  return std::count_if(kernel.buffers.begin(), kernel.buffers.end(),
                       [](const auto& entry) { return entry.second.count_value && *entry.second.count_value >= 2; });
}

int64_t LargestBuffer(K kernel) {
  int64_t largest = 0;
  for (const auto& [name, buffer] : kernel.buffers) {
    if (absl::StartsWith(buffer.position, "VECIN") || absl::StartsWith(buffer.position, "VECOUT")) {
      largest = std::max(largest, buffer.bytes_value.value_or(0));
    }
  }
  return largest;
}

bool AllCores(K kernel) {
  return std::any_of(kernel.launches.begin(), kernel.launches.end(),
                     [](const std::string& blocks) { return absl::StrContains(blocks, "cpu_count"); });
}

int64_t VectorIntrinsics(K kernel) {
  int64_t sum = MarksOf(kernel, "vector extension") + MarksOf(kernel, "omp simd");
  for (const auto& [name, count] : kernel.calls) {
    if (absl::StartsWith(name, "_mm") || absl::StartsWith(name, "__builtin_ia32") || absl::StartsWith(name, "vld1") ||
        absl::StartsWith(name, "vst1") || absl::StartsWith(name, "svld1")) {
      sum += count;
    }
  }
  return sum;
}

int64_t Threads(K kernel) {
  return MarksOf(kernel, "std::thread") + MarksOf(kernel, "std::jthread") + MarksOf(kernel, "std::async") +
         MarksOf(kernel, "omp parallel");
}

int64_t LibraryMath(K kernel) {
  return SumOf(kernel.calls_in_loops, {"exp", "expf", "tanh", "tanhf", "erf", "erff", "log", "logf", "pow", "powf"});
}

// Loops whose step is a name or at least 8: over blocks, not over elements.
int64_t BlockedLoops(K kernel) {
  int64_t sum = 0;
  for (const auto& [step, count] : kernel.steps) {
    const bool number = !step.empty() && step[0] >= '0' && step[0] <= '9';
    if (!number || step.size() > 1 || step[0] >= '8') sum += count;
  }
  return sum;
}

constexpr KernelLanguage kAscend = KernelLanguage::kAscendC;
constexpr KernelLanguage kCpp = KernelLanguage::kCpp;

}  // namespace

const std::vector<KnownPattern>& KnownPatterns() {
  static const auto* const patterns = new std::vector<KnownPattern>{
      {"vector-instead-of-scalar", "Vector instructions instead of element-by-element access", kAscend, v1::INSTRUCTION,
       "compute-bound",
       [](K a, K b) { return ScalarAccesses(a) > ScalarAccesses(b) && VectorCalls(b) > VectorCalls(a); },
       "The scalar unit handles one element at a time, tens of cycles each with its waits; a vector instruction "
       "handles "
       "256 bytes a cycle.",
       "Do with vector instructions on whole tiles what the loop does with GetValue and SetValue.",
       "the same operation applies to neighbouring elements; single numbers such as a row's sum may stay scalar"},
      {"all-cores", "Work split over all cores", kAscend, v1::CORE_PARTITION, "compute-bound",
       [](K a, K b) { return !a.launches.empty() && !AllCores(a) && AllCores(b); },
       "Each block runs on one core; cores without a block are idle.",
       "Launch as many blocks as there are cores (cpu_count), at most as many as there are items, and split evenly.",
       "there are at least as many independent rows or tiles as cores"},
      {"double-buffering", "Two buffers a queue", kAscend, v1::PIPELINE, "memory-bound",
       [](K a, K b) { return DoubleBuffers(b) > DoubleBuffers(a); },
       "Copies and vector instructions run on different pipes; with one buffer a copy has to wait until the buffer was "
       "used, with two the next tile is copied while this one is computed.",
       "Give queues between copy and computation two buffers (InitBuffer with 2).",
       "a core handles several tiles, and two buffers of every queue fit into UB (192 KiB)"},
      {"larger-transfers", "Larger tiles", kAscend, v1::TILING, "memory-bound",
       [](K a, K b) {
         return LargestBuffer(a) > 0 && LargestBuffer(a) < 16 * 1024 && LargestBuffer(b) > LargestBuffer(a);
       },
       "Every copy has a fixed latency; transfers of less than 16 KiB do not reach the bandwidth of global memory.",
       "Make tiles as large as UB allows, at least 16 KiB a transfer.",
       "the tensors are larger than a tile on every core, and all buffers together fit into UB"},
      {"copies-of-several-pieces", "Several rows in one copy", kAscend, v1::TILING, "latency-bound",
       [](K a, K b) { return MarksOf(b, "copies of several pieces") > MarksOf(a, "copies of several pieces"); },
       "Every copy has a fixed latency and start cost, whatever its length.",
       "Copy several short rows by one DataCopyPad with blockCount and strides.",
       "rows are short (well under 16 KiB) and lie at a fixed distance"},
      {"fewer-passes", "Fewer copies from and to global memory", kAscend, v1::TILING, "memory-bound",
       [](K a, K b) {
         return Copies(a) > Copies(b) && SumOf(a.calls_in_loops, {"DataCopy", "DataCopyPad"}) >
                                             SumOf(b.calls_in_loops, {"DataCopy", "DataCopyPad"});
       },
       "Global memory is the slowest part; what stays in UB between steps is not read again.",
       "Keep a tile or row in UB from the first to the last step, and store only the result.",
       "what a step needs of the one before fits into UB"},
      {"no-full-barriers", "Single flags instead of barriers for all pipes", kAscend, v1::SYNCHRONISATION,
       "latency-bound",
       [](K a, K b) {
         return CallsOf(a.calls_in_loops, "PipeBarrier<PIPE_ALL>") > CallsOf(b.calls_in_loops, "PipeBarrier<PIPE_ALL>");
       },
       "PipeBarrier<PIPE_ALL> makes every pipe wait for every other, so that nothing overlaps.",
       "Order only the two pipes that share a buffer: queues, or SetFlag and WaitFlag of the pair.",
       "the buffers that each pipe reads and writes are known"},
      {"fewer-scalar-waits", "Fewer waits of the scalar unit", kAscend, v1::SYNCHRONISATION, "latency-bound",
       [](K a, K b) {
         const std::initializer_list<absl::string_view> waits = {"WaitFlag<HardEvent::V_S>",
                                                                 "WaitFlag<HardEvent::S_V>"};
         return SumOf(a.calls_in_loops, waits) > SumOf(b.calls_in_loops, waits);
       },
       "While the scalar unit waits for a vector result it issues nothing to any pipe.",
       "Read the results of several rows after one wait, or keep them in UB and spread them with Brcb.",
       "a kernel reads back sums or maxima in its loop"},
      {"fused-instructions", "One instruction for two", kAscend, v1::INSTRUCTION, "compute-bound",
       [](K a, K b) {
         const std::initializer_list<absl::string_view> fused = {
             "Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu", "AddRelu", "SubRelu"};
         return SumOf(b.calls, fused) > SumOf(a.calls, fused);
       },
       "A fused instruction passes over its operands once, where two instructions pass twice and wait in between.",
       "Use Axpy, MulAddDst or AddRelu where a product is added or a sum is clipped.",
       "both steps have the same length and type"},
      {"l2-bypass", "Data that is used once kept out of L2", kAscend, v1::TILING, "memory-bound",
       [](K a, K b) { return CallsOf(b.calls, "SetL2CacheHint") > CallsOf(a.calls, "SetL2CacheHint"); },
       "What is read once displaces in L2 what is read again.",
       "SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE) on tensors that are streamed once.",
       "the streamed tensors are large against L2 and something else is read again"},
      {"fp32-accumulation", "Sums in fp32", kAscend, v1::INSTRUCTION, "",
       [](K a, K b) {
         return b.types.count("float") > a.types.count("float") && CallsOf(b.calls, "Cast") > CallsOf(a.calls, "Cast");
       },
       "fp16 has 11 bits: sums of many terms lose digits, and overflow beyond 65504.",
       "Cast to fp32 before anything that adds or exponentiates, and back at the end.",
       "inputs are fp16 or bf16 and the kernel reduces or evaluates exp"},

      {"threads", "Work split over threads", kCpp, v1::CORE_PARTITION, "compute-bound",
       [](K a, K b) { return Threads(a) == 0 && Threads(b) > 0; },
       "One thread uses one core; memory bandwidth of one core is a fraction of the processor's.",
       "Split rows evenly over cpu_count threads and join them before returning.",
       "a call takes well over the cost of starting threads (tens of microseconds)"},
      {"simd", "Vector instructions", kCpp, v1::INSTRUCTION, "compute-bound",
       [](K a, K b) { return VectorIntrinsics(a) == 0 && VectorIntrinsics(b) > 0; },
       "A vector register holds 4 to 16 fp32 numbers, handled by one instruction.",
       "Use vector types or intrinsics in the innermost loop, over contiguous elements.",
       "the innermost loop runs over contiguous memory and its iterations are independent or a reduction"},
      {"cache-blocking", "Loops over blocks that fit the cache", kCpp, v1::TILING, "memory-bound",
       [](K a, K b) { return b.loop_depth > a.loop_depth && BlockedLoops(b) > BlockedLoops(a); },
       "What is used again while it is in the cache is not read from memory again.",
       "Split the loops into blocks whose operands fit into L1 or L2.",
       "operands are used more than once and are larger than the cache, as in a matrix product"},
      {"no-library-math", "Polynomials instead of library functions", kCpp, v1::INSTRUCTION, "compute-bound",
       [](K a, K b) { return LibraryMath(a) > 0 && LibraryMath(b) == 0; },
       "A call of the mathematical library handles one number and stops vectorisation of its loop.",
       "Evaluate exp, tanh and the like by a polynomial after range reduction, on vectors.",
       "the tolerance of the task allows a few units in the last place"},
      {"no-alias", "Pointers that do not alias", kCpp, v1::INSTRUCTION, "compute-bound",
       [](K a, K b) { return MarksOf(b, "restrict") > MarksOf(a, "restrict"); },
       "Without the promise that stores do not change inputs, a compiler reloads or does not vectorise.",
       "Mark pointers __restrict.", "inputs and outputs are different buffers, as they are for every candidate"},
      {"streaming-stores", "Stores past the cache", kCpp, v1::INSTRUCTION, "memory-bound",
       [](K a, K b) {
         const auto streams = [](K kernel) {
           int64_t sum = 0;
           for (const auto& [name, count] : kernel.calls) sum += absl::StrContains(name, "_stream_") ? count : 0;
           return sum;
         };
         return streams(b) > streams(a);
       },
       "An ordinary store first reads the line it writes to.",
       "Store results that are not read again with non-temporal instructions.",
       "the output is larger than the last-level cache"},
      {"prefetch", "Data requested ahead", kCpp, v1::INSTRUCTION, "latency-bound",
       [](K a, K b) {
         const std::initializer_list<absl::string_view> prefetches = {"__builtin_prefetch", "_mm_prefetch"};
         return SumOf(b.calls, prefetches) > SumOf(a.calls, prefetches);
       },
       "Access that the hardware does not foresee waits for memory each time.",
       "Prefetch the rows that come next, a few iterations ahead.",
       "the access pattern is irregular or strided over pages"},
  };
  return *patterns;
}

std::vector<const KnownPattern*> MatchPatterns(const KernelStructure& generated, const KernelStructure& expert) {
  std::vector<const KnownPattern*> matched;
  for (const KnownPattern& pattern : KnownPatterns()) {
    if (pattern.language == expert.language && pattern.shows(generated, expert)) matched.push_back(&pattern);
  }
  return matched;
}

}  // namespace kernelsmith::common
