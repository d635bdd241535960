// One card in use: device, stream, the compiled object, and runs of planned launches with their event times. For
// kernelsmith-ascend-runner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/devices/ascend/acl_library.h"
#include "worker/devices/ascend/card_memory.h"
#include "worker/devices/ascend/runner_protocol.h"

namespace kernelsmith::worker::acl {

// A case on the card, and the plan for it.
struct CasePool {
  explicit CasePool(const AclLibrary& acl) : memory(acl) {}

  struct PlannedLaunch {
    ascend_runner::Launch launch;
    std::vector<ascend_runner::Argument> arguments;
  };
  struct Slot {
    std::vector<CardMemory::Region> inputs;
    std::vector<CardMemory::Region> outputs;
  };

  ascend_runner::MapRequest header;
  std::vector<ascend_runner::Buffer> inputs;
  std::vector<ascend_runner::Buffer> outputs;
  std::vector<PlannedLaunch> launches;
  std::string tiling;
  const std::byte* host_inputs = nullptr;  // blocks that the worker shares
  std::byte* host_outputs = nullptr;
  CardMemory memory;
  std::vector<Slot> slots;
  CardMemory::Region workspace;
  CardMemory::Region tiling_region;
};

struct RunResult {
  Failure failure;
  ascend_runner::Reply end = ascend_runner::Reply::kDone;  // or kDamaged, kMutated
  int slot = -1;
  std::string text;
  std::vector<double> times_us;  // of the slots, then of the launches
  double batch_us = 0;
};

class CardSession {
 public:
  explicit CardSession(const AclLibrary& acl) : acl_(acl) {}

  Failure Open(int32_t device, uint32_t operation_limit_s);
  // Facts of the card: {"soc", "devices", "aic_cores", "aiv_cores", "l2_bytes", "memory_bytes", "driver", "label"}.
  std::string Describe() const;
  // Empty, or why not. The runtime registers kernels when their object is loaded, so a device must be open.
  std::string Load(const std::string& path);
  // Allocates and fills what lasts: everything but inputs and outputs.
  Failure Prepare(CasePool& pool);
  // Copies inputs and poison in, launches slot by slot, waits, copies outputs out, looks for damage.
  RunResult Run(CasePool& pool, const std::vector<uint32_t>& slots, int32_t limit_ms);
  // What the card saw since the last call; empty on a card that does not tell.
  std::string Report() const;
  std::string Message() const;  // of the last error, if the runtime has one

 private:
  using Launcher = int (*)(int, uint32_t, void*, void**);

  Failure CopyIn(CasePool& pool, const std::vector<uint32_t>& slots);
  Failure Enqueue(CasePool& pool, const std::vector<uint32_t>& slots);
  Failure LaunchAll(CasePool& pool, const CasePool::Slot& slot, size_t* event);
  Failure ReadTimes(const CasePool& pool, size_t slots, RunResult& result) const;
  Failure CopyOut(CasePool& pool, const std::vector<uint32_t>& slots, RunResult& result);
  Failure Record(size_t event);
  void* AddressOf(const CasePool& pool, const CasePool::Slot& slot, const ascend_runner::Argument& argument) const;

  const AclLibrary& acl_;
  int32_t device_ = 0;
  Handle stream_ = nullptr;
  Launcher launch_ = nullptr;
  std::vector<Handle> events_;
};

}  // namespace kernelsmith::worker::acl
