// One pass over a trace: feeds every record to the clocks, the shadows and the pairing, and turns what they say into
// findings.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "worker/emulator/check/cache_lines.h"
#include "worker/emulator/check/check.h"
#include "worker/emulator/check/findings.h"
#include "worker/emulator/check/order.h"
#include "worker/emulator/check/pairing.h"
#include "worker/emulator/check/shadow.h"

namespace kernelsmith::emulator {

class Analysis {
 public:
  Analysis(const TraceReader& trace, const v1::Soc& soc, const CheckOptions& options, Findings& findings);

  void Run();

 private:
  struct Memories {
    std::array<std::unique_ptr<Page>, kSpaces> local;
  };

  void Step(const Entry& entry);
  void Instruction(const Entry& entry);
  void Touch(const Record& record, const Access& access, bool write);
  void Cache(const Record& record, const Access& access, bool write);
  // An earlier touch that conflicts with `record`, on bytes [begin, end).
  void Conflict(const Record& record, const Access& access, const Stamp& now, Hazard hazard, const Stamp& earlier,
                uint64_t begin, uint64_t end);
  // True if the hardware or the compiler orders the two; the edge it puts in is then known to the clocks.
  bool Guaranteed(const Record& record, const Stamp& earlier);
  bool Spend(const Access& access);

  const TraceReader& trace_;
  const bool auto_sync_;
  Findings& findings_;
  Order order_;
  Pairing pairing_;
  History history_;
  GlobalShadow global_;
  CacheLines lines_;
  std::vector<Memories> cores_;
  std::vector<CoreKind> kinds_;
  std::vector<uint8_t> seen_scalar_;  // by operation: 1 the compiler follows it, 2 it does not
  uint64_t runs_left_;
  bool incomplete_ = false;
};

}  // namespace kernelsmith::emulator
