// How a jail starts: bubblewrap says which process is the jail's init, the gate inside says that the jail is complete,
// and only when it is told to go on does the program run. So a worker that dies at any moment leaves nothing: before
// the gate opens the gate hears the end of its line and ends; afterwards the init is bound to bubblewrap and bubblewrap
// to the worker.
#pragma once

#include <sys/types.h>

#include "absl/status/status.h"
#include "worker/jail/output_drain.h"

namespace kernelsmith::worker {

// Thread-compatible.
class Handshake {
 public:
  Handshake() : status_(4096) {}
  ~Handshake();
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  absl::Status Open();
  int null_fd() const { return null_; }  // for the program's standard input
  int their_status() const { return status_.write_fd(); }
  int their_gate() const { return theirs_; }
  void CloseTheirEnds();

  // Pid of the jail's init; 0 if bubblewrap died first.
  pid_t AwaitInit();
  // Waits for the gate, then lets the program run. False if the jail died first.
  bool OpenGate(pid_t init);

 private:
  OutputDrain status_;
  int null_ = -1;
  int ours_ = -1;  // of the gate
  int theirs_ = -1;
};

}  // namespace kernelsmith::worker
