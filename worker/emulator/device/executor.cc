#include "worker/emulator/device/executor.h"

#include <memory>
#include <new>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/call_kernel.h"
#include "worker/emulator/device/core.h"
#include "worker/emulator/device/core_memory.h"
#include "worker/emulator/device/fault_handler.h"
#include "worker/emulator/device/image.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/device/pipe_state.h"
#include "worker/emulator/device/scheduler.h"

namespace kernelsmith::emulator {
namespace {

constexpr uint32_t kMostBlocks = 65535;
constexpr Where kKernelWhere{"kernel", nullptr, 0};

void RunBlock(LaunchState& launch, uint32_t block, CoreMemory& memory) {
  auto core = std::make_unique<Core>(
      launch,
      Core::Identity{.index = static_cast<uint16_t>(block), .block = block, .sub_block = 0, .kind = CoreKind::kAiv},
      memory);
  Core::SetCurrent(core.get());
  Record record{};
  record.kind = Kind::kLaunch;
  record.a = block;
  record.c = static_cast<uint32_t>(CoreKind::kAiv);
  core->Append(record, nullptr, 0, kKernelWhere);
  CallKernel(launch.image().entry(), launch.launch().arguments);
  core->pipes().Finish();
  record = Record{};
  record.kind = Kind::kEnd;
  core->Append(record, nullptr, 0, kKernelWhere);
  Core::SetCurrent(nullptr);
}

void ReportHang(LaunchState& launch, const Scheduler& scheduler) {
  // Cores that wait for one that faulted or was stopped are no news.
  if (launch.end() != LaunchEnd::kDone) return;
  for (const Scheduler::Waiting& waiting : scheduler.waiting()) {
    const std::string text = absl::StrCat("core ", waiting.core->identity().index, " waits for ", waiting.what);
    waiting.core->Report(Check::kHang, kKernelWhere, text);
    launch.End(LaunchEnd::kHang, text);
  }
}

}  // namespace

LaunchEnd ExecuteLaunch(const Launch& launch, const v1::Soc& soc, const GlobalMemory& memory, int console,
                        TraceBuffer& trace, std::string& message) {
  if (launch.blocks == 0 || launch.blocks > kMostBlocks) {
    message = absl::StrCat("a launch of ", launch.blocks, " blocks; a card takes 1 to ", kMostBlocks);
    return LaunchEnd::kFault;
  }
  absl::StatusOr<Image> image = Image::Open(launch.image_path, launch.kernel);
  if (!image.ok()) {
    message = std::string(image.status().message());
    return LaunchEnd::kUnknownKernel;
  }
  trace.SetCores(launch.blocks);
  LaunchState state(launch, soc, memory, *image, console, trace);
  std::vector<std::unique_ptr<CoreMemory>> memories;
  for (uint32_t i = 0; i < state.cores(); ++i) memories.push_back(std::make_unique<CoreMemory>(soc, i));
  // Blocks are dealt to cores in turn; a core runs its blocks one after another.
  Scheduler scheduler(state.cores(), [&](uint32_t core) {
    for (uint32_t block = core; block < launch.blocks && !state.stopped(); block += state.cores()) {
      RunBlock(state, block, *memories[core]);
    }
  });
  state.set_scheduler(&scheduler);
  {
    FaultHandler handler(state);
    scheduler.Run();
  }
  ReportHang(state, scheduler);
  message = state.message();
  return state.end();
}

}  // namespace kernelsmith::emulator
