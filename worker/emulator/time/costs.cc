#include "worker/emulator/time/costs.h"

#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {

Costs::Costs(const v1::Soc& soc) {
  cycles_per_us = soc.clock_mhz().value();
  const double cycles_per_s = cycles_per_us * 1e6;
  memory_rate = soc.memory_bytes_per_s().value() / cycles_per_s;
  l2_rate = soc.l2_bytes_per_s().value() / cycles_per_s;
  core_read_rate = soc.core_read_bytes_per_s().value() / cycles_per_s;
  core_write_rate = soc.core_write_bytes_per_s().value() / cycles_per_s;
  read_latency = soc.memory_latency_cycles().value();
  write_latency = soc.write_latency_cycles().value();
  transfer_start = soc.transfer_start_cycles().value();
  burst = soc.burst_cycles().value();
  launch = soc.launch_us().value() * cycles_per_us;
  block_start = soc.block_start_us().value() * cycles_per_us;
  issue = soc.issue_cycles().value();
  step = soc.scalar_cycles_per_step().value();
  scalar_load = soc.scalar_load_cycles().value();
  scalar_global = soc.scalar_global_cycles().value();
  flag = soc.flag_cycles().value();
  barrier = soc.barrier_cycles().value();
  sync_all = soc.sync_all_us().value() * cycles_per_us;
  bank_groups = static_cast<uint32_t>(soc.bank_groups());
  bank_bytes = static_cast<uint64_t>(soc.bank_bytes());
  bank_clash = soc.bank_clash_cycles().value();
  cross_core = soc.cross_core_us().value() * cycles_per_us;
  queue_depth = static_cast<uint32_t>(soc.queue_depth().value());

  // From the general to the special: the default, an operation for any element, an operation for one.
  for (int pass = 0; pass < 3; ++pass) {
    for (const v1::InstructionCost& cost : soc.instruction()) {
      const Cost value{cost.start_cycles(), cost.per_repeat_cycles()};
      const bool any = cost.element().empty();
      const auto compute = ComputeByName(cost.compute());
      if (!compute) {
        if (pass == 0 && any) {
          for (auto& row : table_) row.fill(value);
        }
        continue;
      }
      auto& row = table_[size_t(*compute)];
      if (pass == 1 && any) row.fill(value);
      if (pass == 2 && !any) row[size_t(*ElementByName(cost.element()))] = value;
    }
  }
}

double Costs::LocalMove(const Record& record) const {
  const double bytes = static_cast<double>(record.work);
  switch (record.pipe) {
    case Pipe::kVector: {
      const Cost& cost = table_[size_t(emulator::Compute::kCopy)][size_t(Element::kHalf)];
      return cost.start + bytes / 256 * cost.per_repeat;
    }
    case Pipe::kMte1:  // L1 to L0A; half of it to L0B
      return transfer_start + bytes / 256;
    default:
      return transfer_start + record.a * burst + bytes / 128;
  }
}

}  // namespace kernelsmith::emulator
