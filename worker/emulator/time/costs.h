// What one instruction costs, from the SoC's table and figures, in cycles.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "worker/emulator/soc/soc.pb.h"
#include "worker/emulator/time/banks.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

class Costs {
 public:
  explicit Costs(const v1::Soc& soc);

  // start + repeats * per repeat; a record without repeats counts its elements as full repeats of 2 bytes each.
  double Compute(const Record& record, const BankCycles& banks = {}) const {
    const Cost& cost = table_[record.a][record.b];
    const double repeats = record.d != 0 ? record.d : static_cast<double>((record.work + 127) / 128);
    // Memory that cannot deliver a repeat as fast as the unit computes it sets the pace.
    return cost.start + repeats * (std::max(cost.per_repeat, banks.access) + banks.clashes * bank_clash);
  }
  // A transfer inside the core: bytes per cycle of its pipe.
  double LocalMove(const Record& record) const;

  double cycles_per_us;
  double memory_rate, l2_rate;  // bytes per cycle, all cores
  double core_read_rate, core_write_rate;
  double read_latency, write_latency;
  double transfer_start, burst;
  double launch, block_start;
  double issue, step, scalar_load, scalar_global;
  double flag, barrier, sync_all, cross_core;
  double bank_clash;
  uint32_t queue_depth;
  uint32_t bank_groups;
  uint64_t bank_bytes;

 private:
  struct Cost {
    double start = 0, per_repeat = 0;
  };
  static constexpr size_t kComputes = size_t(Compute::kOther) + 1;
  static constexpr size_t kElements = size_t(Element::kDouble) + 1;

  std::array<std::array<Cost, kElements>, kComputes> table_;
};

}  // namespace kernelsmith::emulator
