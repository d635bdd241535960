// Synchronisation between cores as kernels call it.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/core.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/device/pipe_state.h"
#include "worker/emulator/include/ks/sync_abi.h"

namespace kernelsmith::emulator {
namespace {

using Family = Signals::Family;

constexpr uint32_t kBytesPerCore = 32;  // of a workspace
constexpr uint32_t kFlags = 16;
constexpr uint32_t kMostPending = 15;

void AppendSignal(Core& core, Kind kind, Pipe pipe, uint32_t signal, uint32_t value, const Where& where) {
  Record record{};
  record.kind = kind;
  record.pipe = pipe;
  record.a = signal;
  record.b = value;
  core.Append(record, nullptr, 0, where);
}

[[noreturn]] void Hang(Core& core, Check check, const Where& where, const std::string& text) {
  core.Report(check, where, text);
  core.launch().End(LaunchEnd::kHang, absl::StrCat("core ", core.identity().index, ", line ", where.line, ": ", text));
  core.launch().scheduler().Leave();
}

// Cores that wait for each other all have to run at the same time.
void RequireOneWave(Core& core, Check check, const Where& where) {
  LaunchState& launch = core.launch();
  if (launch.blocks() <= launch.cores()) return;
  Hang(core, check, where,
       absl::StrCat(launch.blocks(), " blocks on ", launch.cores(),
                    " cores: blocks of the second round start only after blocks of the first have ended, so this wait "
                    "never ends; launch at most ",
                    launch.cores(), " blocks"));
}

// Hardware synchronisation is off for kernels that are declared to need vector cores alone.
void RequireMix(Core& core, Check check, const Where& where) {
  if (core.launch().image().type() != KernelType::kVector) return;
  core.Report(check, where,
              "the kernel is declared __vector__, which leaves synchronisation between cores off; declare it "
              "__mix__(0, 1)");
}

void RequireWorkspaces(Core& core, const Tensor& global, uint64_t global_bytes, const Tensor& local,
                       uint64_t local_bytes, const Where& where) {
  Instruction i(core, Pipe::kScalar, Kind::kScalarLoad, where);
  i.Read(global, {.run_bytes = static_cast<uint32_t>(global_bytes)}, 1);
  if (local_bytes != 0) i.Read(local, {.run_bytes = static_cast<uint32_t>(local_bytes)});
}

void SyncAll(Core& core, bool vector_only, const Where& where) {
  LaunchState& launch = core.launch();
  core.pipes().flags().Settle();
  RequireOneWave(core, Check::kSyncAll, where);
  Signals::Signal& signal = launch.signals().Get(Family::kAll, 0, 0);
  const uint32_t blocks = launch.blocks();
  const uint32_t generation = signal.set / blocks + 1;
  Record record{};
  record.kind = Kind::kSyncAll;
  record.pipe = Pipe::kAll;
  record.a = vector_only ? 0 : 1;
  record.b = generation;
  core.Append(record, nullptr, 0, where);
  ++signal.set;
  launch.scheduler().Wait([&signal, generation, blocks] { return signal.set >= generation * blocks; },
                          absl::StrCat("SyncAll number ", generation, " at line ", where.line,
                                       ", which not all cores reach; call it on every core, outside of branches"));
}

void SyncSome(Core& core, const Tensor& global, const Tensor& local, uint32_t cores, const Where& where) {
  LaunchState& launch = core.launch();
  core.pipes().flags().Settle();
  RequireOneWave(core, Check::kSyncAll, where);
  const uint64_t bytes = uint64_t{launch.blocks()} * kBytesPerCore;
  RequireWorkspaces(core, global, bytes, local, bytes, where);
  Signals::Signal& signal = launch.signals().Get(Family::kSoft, cores, 0);
  const uint32_t generation = signal.set / cores + 1;
  ++signal.set;
  AppendSignal(core, Kind::kSyncSet, Pipe::kAll, signal.number, signal.set, where);
  launch.scheduler().Wait([&signal, generation, cores] { return signal.set >= generation * cores; },
                          absl::StrCat("SyncAll of ", cores, " cores at line ", where.line, ", which not all reach"));
  for (uint32_t value = (generation - 1) * cores + 1; value <= generation * cores; ++value) {
    AppendSignal(core, Kind::kSyncWait, Pipe::kAll, signal.number, value, where);
  }
}

// Arguments of a GroupBarrier.
void RequireGroup(Core& core, uint64_t workspace, uint32_t size, uint32_t index, const Where& where) {
  constexpr uint64_t kAlignment = 512;
  if (index >= size) {
    core.Report(Check::kArgument, where,
                absl::StrCat("core number ", index, " of a group of ", size, "; numbers are 0 to ", size, " - 1"));
  }
  if (workspace % kAlignment != 0) {
    core.Report(Check::kMisaligned, where, "the workspace of a GroupBarrier starts at a multiple of 512 bytes");
  }
}

uint64_t PairId(int32_t block, int32_t event) {
  return uint64_t{static_cast<uint32_t>(block)} << 32 | static_cast<uint32_t>(event);
}

}  // namespace
}  // namespace kernelsmith::emulator

using kernelsmith::emulator::Check;
using kernelsmith::emulator::Core;
using kernelsmith::emulator::Family;
using kernelsmith::emulator::Kind;
using kernelsmith::emulator::LaunchState;
using kernelsmith::emulator::Pipe;
using kernelsmith::emulator::Signals;

void kse_sync_all(uint32_t vector_only, const kse_where* where) {
  Core& core = Core::Current();
  if (vector_only == 0) {
    kernelsmith::emulator::Hang(
        core, Check::kSyncAll, *where,
        "SyncAll<false> waits for cube cores, and this kernel has vector cores alone; use SyncAll()");
  }
  kernelsmith::emulator::RequireMix(core, Check::kSyncAll, *where);
  kernelsmith::emulator::SyncAll(core, true, *where);
}

void kse_sync_all_soft(const kse_tensor* global, const kse_tensor* local, int32_t used, const kse_where* where) {
  Core& core = Core::Current();
  const uint32_t blocks = core.launch().blocks();
  if (used < 0 || static_cast<uint32_t>(used) > blocks) {
    core.Report(Check::kArgument, *where, absl::StrCat("SyncAll of ", used, " cores: the launch has ", blocks));
    return;
  }
  if (used != 0 && static_cast<uint32_t>(used) < blocks) {
    kernelsmith::emulator::SyncSome(core, *global, *local, static_cast<uint32_t>(used), *where);
    return;
  }
  const uint64_t bytes = uint64_t{blocks} * kernelsmith::emulator::kBytesPerCore;
  kernelsmith::emulator::RequireWorkspaces(core, *global, bytes, *local, bytes, *where);
  kernelsmith::emulator::SyncAll(core, true, *where);
}

void kse_pair_set(const kse_tensor* global, const kse_tensor* local, int32_t block, int32_t event,
                  const kse_where* where) {
  Core& core = Core::Current();
  core.pipes().flags().Settle();
  const uint64_t bytes = kernelsmith::emulator::kBytesPerCore;
  kernelsmith::emulator::RequireWorkspaces(core, *global, bytes, *local, bytes, *where);
  Signals::Signal& signal =
      core.launch().signals().Get(Family::kPair, global->address, kernelsmith::emulator::PairId(block, event));
  ++signal.set;
  kernelsmith::emulator::AppendSignal(core, Kind::kSyncSet, Pipe::kAll, signal.number, signal.set, *where);
}

void kse_pair_wait(const kse_tensor* global, const kse_tensor* local, int32_t block, int32_t event,
                   const kse_where* where) {
  Core& core = Core::Current();
  core.pipes().flags().Settle();
  kernelsmith::emulator::RequireOneWave(core, Check::kCrossCore, *where);
  const uint64_t bytes = kernelsmith::emulator::kBytesPerCore;
  kernelsmith::emulator::RequireWorkspaces(core, *global, bytes, *local, bytes, *where);
  Signals::Signal& signal =
      core.launch().signals().Get(Family::kPair, global->address, kernelsmith::emulator::PairId(block, event));
  const uint32_t value = ++signal.awaited;
  core.launch().scheduler().Wait(
      [&signal, value] { return signal.set >= value; },
      absl::StrCat("IBSet of block ", block, " and event ", event, ", for which IBWait at line ", where->line,
                   " waits; call IBSet with the same numbers"));
  kernelsmith::emulator::AppendSignal(core, Kind::kSyncWait, Pipe::kAll, signal.number, value, *where);
}

void kse_order_init(const kse_tensor* global, const kse_tensor* local, const kse_where* where) {
  Core& core = Core::Current();
  const uint64_t bytes = uint64_t{core.launch().blocks()} * kernelsmith::emulator::kBytesPerCore;
  kernelsmith::emulator::RequireWorkspaces(core, *global, bytes, *local, bytes + kernelsmith::emulator::kBytesPerCore,
                                           *where);
  core.order_initialised = true;
}

void kse_order_wait(const kse_tensor*, const kse_tensor*, const kse_where* where) {
  Core& core = Core::Current();
  LaunchState& launch = core.launch();
  core.pipes().flags().Settle();
  kernelsmith::emulator::RequireOneWave(core, Check::kCrossCore, *where);
  if (!core.order_initialised) {
    core.Report(Check::kCrossCore, *where, "call InitDetermineComputeWorkspace before WaitPreBlock");
  }
  const uint32_t block = core.identity().block;
  const uint32_t turn = ++launch.signals().Waits(Family::kOrder, block, 0);
  const uint32_t before = block == 0 ? launch.blocks() - 1 : block - 1;
  const uint32_t value = block == 0 ? turn - 1 : turn;
  if (value == 0) return;
  Signals::Signal& signal = launch.signals().Get(Family::kOrder, before, 0);
  launch.scheduler().Wait([&signal, value] { return signal.set >= value; },
                          absl::StrCat("NotifyNextBlock of block ", before, ", for which WaitPreBlock at line ",
                                       where->line, " waits; call both as often on every block"));
  kernelsmith::emulator::AppendSignal(core, Kind::kSyncWait, Pipe::kAll, signal.number, value, *where);
}

void kse_order_notify(const kse_tensor*, const kse_tensor*, const kse_where* where) {
  Core& core = Core::Current();
  core.pipes().flags().Settle();
  Signals::Signal& signal = core.launch().signals().Get(Family::kOrder, core.identity().block, 0);
  ++signal.set;
  kernelsmith::emulator::AppendSignal(core, Kind::kSyncSet, Pipe::kAll, signal.number, signal.set, *where);
}

void kse_group_arrive(uint64_t workspace, uint64_t workspace_bytes, uint32_t arrivers, uint32_t index,
                      const kse_where* where) {
  Core& core = Core::Current();
  core.pipes().flags().Settle();
  kernelsmith::emulator::RequireGroup(core, workspace, arrivers, index, *where);
  if (core.launch().Find(workspace, workspace_bytes) == nullptr) {
    core.Report(Check::kOutOfBounds, *where,
                absl::StrCat("the workspace of a GroupBarrier is ", workspace_bytes,
                             " bytes here, which are not all inside one allocation; make it larger"));
  }
  Signals::Signal& signal = core.launch().signals().Get(Family::kGroup, workspace, index);
  ++signal.set;
  kernelsmith::emulator::AppendSignal(core, Kind::kSyncSet, Pipe::kAll, signal.number, signal.set, *where);
}

void kse_group_wait(uint64_t workspace, uint32_t arrivers, uint32_t waiters, uint32_t index, const kse_where* where) {
  Core& core = Core::Current();
  LaunchState& launch = core.launch();
  core.pipes().flags().Settle();
  kernelsmith::emulator::RequireOneWave(core, Check::kCrossCore, *where);
  kernelsmith::emulator::RequireGroup(core, workspace, waiters, index, *where);
  Signals& signals = launch.signals();
  const uint32_t value = ++signals.Waits(Family::kGroup, core.identity().block, workspace);
  launch.scheduler().Wait(
      [&signals, workspace, arrivers, value] {
        for (uint32_t other = 0; other < arrivers; ++other) {
          if (signals.Get(Family::kGroup, workspace, other).set < value) return false;
        }
        return true;
      },
      absl::StrCat("Arrive of ", arrivers, " cores, for which Wait of a GroupBarrier at line ", where->line,
                   " waits; each of them has to call it with its own number"));
  for (uint32_t other = 0; other < arrivers; ++other) {
    kernelsmith::emulator::AppendSignal(core, Kind::kSyncWait, Pipe::kAll,
                                        signals.Get(Family::kGroup, workspace, other).number, value, *where);
  }
}

void kse_cross_set(uint32_t mode, uint8_t pipe, uint32_t flag, const kse_where* where) {
  Core& core = Core::Current();
  LaunchState& launch = core.launch();
  kernelsmith::emulator::RequireMix(core, Check::kCrossCore, *where);
  if (mode > 1 || flag >= kernelsmith::emulator::kFlags) {
    core.Report(Check::kCrossCore, *where,
                mode > 1 ? "this mode signals cube cores, and the kernel has vector cores alone; use mode 0"
                         : "flag ids are 0 to 15");
    return;
  }
  const uint64_t id = uint64_t{mode} << 32 | flag;
  const uint32_t block = core.identity().block;
  Signals::Signal& signal = launch.signals().Get(Family::kCross, block, id);
  ++signal.set;
  const uint32_t awaited = launch.signals().Waits(Family::kCross, block, id);
  if (signal.set - std::min(signal.set, awaited) > kernelsmith::emulator::kMostPending) {
    core.Report(Check::kCrossCore, *where,
                absl::StrCat("flag ", flag, " was set ", signal.set - awaited,
                             " times more than it was awaited; its counter ends at 15: await it"));
  }
  const auto of = static_cast<Pipe>(std::min<uint8_t>(pipe, KSE_PIPE_ALL));
  kernelsmith::emulator::AppendSignal(core, Kind::kSyncSet, of, signal.number, signal.set, *where);
}

void kse_cross_wait(uint32_t mode, uint32_t flag, const kse_where* where) {
  Core& core = Core::Current();
  LaunchState& launch = core.launch();
  kernelsmith::emulator::RequireMix(core, Check::kCrossCore, *where);
  if (flag >= kernelsmith::emulator::kFlags) {
    core.Report(Check::kCrossCore, *where, "flag ids are 0 to 15");
    return;
  }
  if (mode > 1) {
    kernelsmith::emulator::Hang(core, Check::kCrossCore, *where,
                                "this mode waits for cube cores, and the kernel has vector cores alone; use mode 0");
  }
  kernelsmith::emulator::RequireOneWave(core, Check::kCrossCore, *where);
  // The number the flag carries in the kernel says nothing about the mode it was set with: the card counts per flag.
  const uint32_t block = core.identity().block;
  Signals& signals = launch.signals();
  for (uint32_t used = 0; used < 2; ++used) {
    const uint64_t id = uint64_t{used} << 32 | flag;
    if (signals.Get(Family::kCross, block, id).set > signals.Waits(Family::kCross, block, id)) mode = used;
  }
  const uint64_t id = uint64_t{mode} << 32 | flag;
  const uint32_t value = ++signals.Waits(Family::kCross, block, id);
  const uint32_t first = mode == 1 ? block : 0;
  const uint32_t last = mode == 1 ? block + 1 : launch.blocks();
  launch.scheduler().Wait(
      [&signals, first, last, id, value] {
        for (uint32_t other = first; other < last; ++other) {
          if (signals.Get(Family::kCross, other, id).set < value) return false;
        }
        return true;
      },
      absl::StrCat("CrossCoreSetFlag of flag ", flag, " by every vector core, for which CrossCoreWaitFlag at line ",
                   where->line, " waits"));
  for (uint32_t other = first; other < last; ++other) {
    kernelsmith::emulator::AppendSignal(core, Kind::kSyncWait, Pipe::kAll,
                                        signals.Get(Family::kCross, other, id).number, value, *where);
  }
}
