// Flags between the pipes of one core, and which of their numbers are reserved. Stops a core where a card would stop
// for ever: at a wait that nothing satisfies. A wait on a pipe other than the scalar unit stops only that pipe, so its
// flag may be set later. Flags that are set twice, too late or for nobody are found by the analysis of the trace.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "worker/emulator/device/core.h"

namespace kernelsmith::emulator {

class Flags {
 public:
  explicit Flags(Core& core) : core_(core) {}

  // Append the record. A number out of range is a finding and changes nothing.
  void Set(Pipe source, Pipe waiting, int32_t id, const Where& where);
  // May not return.
  void Wait(Pipe source, Pipe waiting, int32_t id, const Where& where);
  // All pipes have to come to rest here: a wait without its flag stops the core. May not return.
  void Settle();

  // Lowest free number; -1 if all are taken.
  int32_t Fetch(Pipe source, Pipe waiting) const;
  int32_t Allocate(Pipe source, Pipe waiting);
  // False if it was not allocated.
  bool Release(Pipe source, Pipe waiting, int32_t id);
  void ReleaseAll();

 private:
  struct State {
    int8_t count = 0;  // 1: set and not awaited, -1: awaited and not set
    bool reserved = false;
    Where where{};  // of the last wait
  };
  static constexpr int kMaxIds = 16;

  State& Find(Pipe source, Pipe waiting, int32_t id) {
    return states_[static_cast<size_t>(source)][static_cast<size_t>(waiting)][static_cast<size_t>(id)];
  }
  const State& Find(Pipe source, Pipe waiting, int32_t id) const {
    return states_[static_cast<size_t>(source)][static_cast<size_t>(waiting)][static_cast<size_t>(id)];
  }
  bool Permitted(Pipe source, Pipe waiting, int32_t id, const Where& where);
  [[noreturn]] void Hang(Pipe source, Pipe waiting, int32_t id, const Where& where);

  Core& core_;
  std::array<std::array<std::array<State, kMaxIds>, kPipes>, kPipes> states_{};
};

// "MTE2_V"
std::string FlagName(Pipe source, Pipe waiting);

}  // namespace kernelsmith::emulator
