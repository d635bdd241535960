#include "worker/devices/cpu_runtime.h"

#include <utility>

namespace kernelsmith::worker {
namespace {

class CpuRuntime final : public DeviceRuntime {
 public:
  CpuRuntime(int cpu_count, std::string runner_path) : cpu_count_(cpu_count), runner_path_(std::move(runner_path)) {}

  int cores() const override { return cpu_count_; }
  const TimingPolicy& timing() const override { return timing_; }

  absl::StatusOr<std::unique_ptr<CandidateProcess>> Start(const RunSpec& run, ExitReport* exit) override {
    CandidateSpec spec;
    spec.object_path = run.object.object_path;
    spec.cpu_count = cpu_count_;
    spec.limits = run.limits;
    spec.pool_bytes = run.pool_bytes;
    spec.runner_path = runner_path_;
    return CandidateProcess::Create(spec, exit);
  }

  absl::StatusOr<std::unique_ptr<CandidateProcess>> StartEmpty(int64_t pool_bytes) override {
    return Start({.object = {}, .limits = {}, .pool_bytes = pool_bytes}, nullptr);
  }

 private:
  const int cpu_count_;
  const std::string runner_path_;
  const TimingPolicy timing_;
};

}  // namespace

std::unique_ptr<DeviceRuntime> MakeCpuRuntime(int cpu_count, std::string runner_path) {
  return std::make_unique<CpuRuntime>(cpu_count, std::move(runner_path));
}

}  // namespace kernelsmith::worker
