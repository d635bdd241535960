// Where a sanitizer around the program hears of launches while they happen: the named pipe that the environment
// variable KERNELSMITH_EMULATED_FINDINGS names. Without it nothing is written.
//
// One line of JSON each:
//   {"device": 0, "launch": {...}}                    the launch as in kse.h
//   {"device": 0, "leaks": [{"address": .., "bytes": ..}]}   when the card is given back, if memory was not
#pragma once

#include <string>
#include <vector>

#include "worker/emulator/device/executor.h"

namespace kernelsmith::emulator {

class FindingsOutput {
 public:
  explicit FindingsOutput(int device);
  ~FindingsOutput();
  FindingsOutput(const FindingsOutput&) = delete;
  FindingsOutput& operator=(const FindingsOutput&) = delete;

  void Launch(const std::string& report);
  void Leaks(const std::vector<Allocation>& allocations);

 private:
  void Write(const std::string& line);

  const int device_;
  int fd_ = -1;
};

}  // namespace kernelsmith::emulator
