#include "worker/devices/ascend/ascend_runtime.h"

#include <string>
#include <utility>

#include "worker/timing/simulated.h"

namespace kernelsmith::worker {
namespace {

constexpr int kRotatingSlots = 64;  // fresh addresses for the calls of a batch

class AscendRuntime final : public DeviceRuntime {
 public:
  AscendRuntime(AscendCardOptions options, TimingPolicy timing)
      : options_(std::move(options)), timing_(std::move(timing)) {}

  int cores() const override { return options_.cores; }
  const TimingPolicy& timing() const override { return timing_; }
  absl::Status CanSanitize() const override { return FindSanitizer(options_.root).status(); }
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

TimingPolicy AscendTimingPolicy(bool emulated, const absl::StatusOr<BaselineCard>& baseline) {
  TimingPolicy policy;
  policy.clock = emulated ? v1::SIMULATED : v1::DEVICE_EVENT;
  policy.exclusive_host = false;  // what the host does meanwhile is not on the device's clock
  policy.baseline = baseline.ok();
  if (baseline.ok()) policy.baseline_card = *baseline;
  policy.no_baseline = std::string(baseline.status().message());
  policy.pool.slots = emulated ? kSimulatedSlots : kRotatingSlots;
  policy.pool.min_slots = emulated ? kSimulatedSlots : policy.pool.min_slots;
  return policy;
}

std::unique_ptr<DeviceRuntime> MakeAscendRuntime(AscendCardOptions options, bool emulated,
                                                 const absl::StatusOr<BaselineCard>& baseline) {
  return std::make_unique<AscendRuntime>(std::move(options), AscendTimingPolicy(emulated, baseline));
}

}  // namespace kernelsmith::worker
