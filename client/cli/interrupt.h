// Ctrl-C and SIGTERM as a stop token: the first asks the command to leave, a second ends the process at once with 130.
//
//   Interrupts interrupts;            // first thing in main, before threads start
//   client.WatchJob(id, {}, on_event, interrupts.token());
//   if (interrupts.token().stop_requested()) ...
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace kernelsmith::client {

class Interrupts {
 public:
  // Blocks the signals in this thread and all that it starts, and waits for them in a thread of its own.
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  // The signal that came last; 0 if none.
  int signal() const { return signal_.load(); }
  // How many came so far.
  int count() const { return count_.load(); }
  // From now on further signals are counted, but do not end the process: for a command that must tidy up.
  void SetPatient() { patient_ = true; }

 private:
  std::stop_source source_;
  std::atomic<int> signal_{0};
  std::atomic<int> count_{0};
  std::atomic<bool> patient_{false};
  std::jthread waiter_;
};

}  // namespace kernelsmith::client
