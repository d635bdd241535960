// Calls that come in pairs, and barriers that had nothing to wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "worker/emulator/check/findings.h"
#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator {

class Pairing {
 public:
  Pairing(const TraceReader& trace, Findings& findings) : trace_(trace), findings_(findings), cores_(trace.cores()) {}

  // AllocTensor, EnQue, DeQue and FreeTensor, by the buffer they concern.
  void Queue(const Record& record);
  // `ordered`: false if everything it waits for was known to be complete.
  void Barrier(const Record& record, bool ordered);

  void SetTwice(const Record& record);
  void WaitWithoutSet(const Record& record);

  // What a core that ended left behind. `left_flags`: records of the sets that nobody waited for.
  void End(uint16_t core, const std::vector<uint32_t>& left_flags);
  // Notes about barriers that never ordered anything, once the whole trace was seen.
  void Finish();

 private:
  struct Buffer {
    uint32_t queue = 0;
    uint32_t buffer = 0;
    uint32_t allocated = Findings::kNoRecord;
    uint32_t enqueued = Findings::kNoRecord;
  };
  struct Uses {
    uint32_t first = 0;
    uint32_t all = 0;
    uint32_t idle = 0;
  };

  const TraceReader& trace_;
  Findings& findings_;
  std::vector<std::vector<Buffer>> cores_;
  absl::flat_hash_map<uint64_t, Uses> barriers_;  // by place
  std::vector<uint64_t> order_;                   // of places, as first seen
};

}  // namespace kernelsmith::emulator
