// The documented rules of synchronisation inside a core, as one table. docs/emulator.md names the documents.
#pragma once

#include <string_view>

#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// What puts an edge between two dependent instructions of one core without a call in the source.
enum class Guarantee : uint8_t {
  kNone,      // the author must: SetFlag/WaitFlag, PipeBarrier, or a queue
  kHardware,  // always
  kCompiler,  // --cce-auto-sync=on inserts PipeBarrier or SetFlag/WaitFlag where there is a dependence
};

// `earlier` and `later` are pipes of the vector core (architecture 2201).
constexpr Guarantee GuaranteeBetween(Pipe earlier, Pipe later) {
  constexpr Guarantee kNo = Guarantee::kNone, kHw = Guarantee::kHardware, kCc = Guarantee::kCompiler;
  // Rows: earlier. Columns: later, in the order S, V, M, MTE1, MTE2, MTE3, FIX.
  constexpr Guarantee kTable[kPipes][kPipes] = {
      {kHw, kCc, kNo, kNo, kCc, kCc, kNo},  // S
      {kCc, kCc, kNo, kNo, kNo, kNo, kNo},  // V
      {kNo, kNo, kNo, kNo, kNo, kNo, kNo},  // M
      {kNo, kNo, kNo, kNo, kNo, kNo, kNo},  // MTE1
      {kCc, kNo, kNo, kNo, kNo, kNo, kNo},  // MTE2
      {kCc, kNo, kNo, kNo, kNo, kNo, kNo},  // MTE3
      {kNo, kNo, kNo, kNo, kNo, kNo, kNo},  // FIX
  };
  return kTable[size_t(earlier)][size_t(later)];
}

// The compiler sees a scalar access to a tensor only through these calls; a raw pointer it does not follow.
constexpr bool CompilerSeesScalar(std::string_view operation) {
  if (const size_t colon = operation.rfind("::"); colon != std::string_view::npos) operation.remove_prefix(colon + 2);
  return operation == "GetValue" || operation == "SetValue" || operation == "operator()" ||
         operation == "GetReduceRepeatMaxMinSpr" || operation == "GetReduceMaxMinCount" ||
         operation == "GetReduceRepeatSumSpr" || operation == "GetAccVal" || operation == "GetMrgSortResult";
}

}  // namespace kernelsmith::emulator
