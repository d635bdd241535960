// The built program `kernelsmith` as a child process.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace kernelsmith::client {

class ProgramProcess {
 public:
  // Starts it with its output in `output_file`.
  ProgramProcess(std::vector<std::string> arguments, std::string output_file,
                 const std::map<std::string, std::string>& environment = {});
  // Kills it if it still runs.
  ~ProgramProcess();
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int number) const;
  // Its exit code once it has ended, -1 if it has not within the limit.
  int Wait(double limit_s = 60);
  std::string Output() const;

 private:
  pid_t pid_ = 0;
  std::string output_file_;
};

// Processes with `text` on their command line, this one excluded.
std::vector<pid_t> ProcessesWith(const std::string& text);

// Polls until it holds; false after the limit.
template <typename Condition>
bool Eventually(const Condition& condition, double limit_s = 60) {
  const absl::Time deadline = absl::Now() + absl::Seconds(limit_s);
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return true;
}

}  // namespace kernelsmith::client
