#include "worker/devices/ascend/ascend_runtime.h"

#include <utility>

#include "worker/timing/simulated.h"

namespace kernelsmith::worker {
namespace {

constexpr int kRotatingSlots = 64;  // fresh addresses for the calls of a batch

class AscendRuntime final : public DeviceRuntime {
 public:
  AscendRuntime(AscendCardOptions options, bool emulated)
      : options_(std::move(options)), timing_(AscendTimingPolicy(emulated)) {}

  int cores() const override { return options_.cores; }
  const TimingPolicy& timing() const override { return timing_; }
  absl::StatusOr<std::unique_ptr<CandidateProcess>> Start(const RunSpec& spec, ExitReport* exit) override {
    return StartAscendProcess(options_, spec, exit);
  }
  // Events lie right before and after the launches: there is no cost of a call between them.
  absl::StatusOr<std::unique_ptr<CandidateProcess>> StartEmpty(int64_t) override { return nullptr; }

 private:
  const AscendCardOptions options_;
  const TimingPolicy timing_;
};

}  // namespace

TimingPolicy AscendTimingPolicy(bool emulated) {
  TimingPolicy policy;
  policy.clock = emulated ? v1::SIMULATED : v1::DEVICE_EVENT;
  policy.exclusive_host = false;  // what the host does meanwhile is not on the device's clock
  policy.baseline = false;        // PyTorch runs on the host
  policy.pool.slots = emulated ? kSimulatedSlots : kRotatingSlots;
  policy.pool.min_slots = emulated ? kSimulatedSlots : policy.pool.min_slots;
  return policy;
}

std::unique_ptr<DeviceRuntime> MakeAscendRuntime(AscendCardOptions options, bool emulated) {
  return std::make_unique<AscendRuntime>(std::move(options), emulated);
}

}  // namespace kernelsmith::worker
