// Replays the cores of a launch side by side, in the order of simulated time where they meet: at shared memory, at
// SyncAll and at signals. A core runs on alone between those.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/emulator/time/core_clock.h"
#include "worker/emulator/time/time.h"

namespace kernelsmith::emulator {

class Replay {
 public:
  Replay(const TraceReader& trace, const v1::Soc& soc, const TimeOptions& options);

  absl::StatusOr<LaunchTime> Run();

 private:
  struct CoreState {
    CoreTime time;
    size_t next = 0, end = 0;  // of its records in order_
    bool issued = false;       // the record at `next` is issued and waits for its turn
    std::unique_ptr<CoreClock> clock;
  };
  struct Meeting {  // one generation of SyncAll
    uint32_t expected = 0;
    double time = 0;
    std::vector<uint16_t> waiting;
  };
  using Turn = std::pair<double, uint16_t>;

  void Index();
  void StartNext(CoreKind kind, double time);
  // Runs a core until it has to wait for its turn, for others, or is at its end.
  void Advance(uint16_t core);
  // False if the core has to wait for its turn or for others.
  bool Step(uint16_t core, const Entry& entry);
  bool SyncAll(uint16_t core, const Record& record);
  bool SyncWait(uint16_t core, const Record& record);
  void SyncSet(uint16_t core, const Record& record);
  void Finish(uint16_t core);
  // Lets go on who waits for something that a cut-off trace does not show.
  bool ReleaseStuck();

  const TraceReader& trace_;
  const TimeOptions options_;
  const Costs costs_;
  SharedMemory shared_;
  std::array<uint32_t, 2> physical_;  // cores by kind
  std::vector<CoreState> cores_;
  std::vector<uint32_t> order_;                            // records by core
  std::array<std::vector<uint16_t>, 2> waiting_to_start_;  // by kind, in order
  std::array<size_t, 2> started_ = {};
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::map<std::pair<uint32_t, uint32_t>, Meeting> meetings_;  // by scope and generation
  std::map<std::pair<uint32_t, uint32_t>, double> signals_;    // by signal and value
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint16_t>> waiting_for_signal_;
  uint32_t finished_ = 0;
  double end_ = 0;
};

}  // namespace kernelsmith::emulator
