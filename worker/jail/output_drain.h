// Reads what a jailed program prints until it ends, keeps the beginning, and says when it printed too much. Output is
// bytes, not text.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace kernelsmith::worker {

// One end of a pipe and what came through it. Thread-compatible.
class OutputDrain {
 public:
  explicit OutputDrain(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~OutputDrain();
  OutputDrain(const OutputDrain&) = delete;
  OutputDrain& operator=(const OutputDrain&) = delete;

  // Makes the pipe. The caller hands write_fd() to the child and then calls CloseWriteEnd.
  absl::Status Open();
  int read_fd() const { return read_fd_; }
  int write_fd() const { return write_fd_; }
  void CloseWriteEnd();

  // Takes what is there without waiting.
  void Read();
  bool overflowed() const { return overflowed_; }
  bool ended() const { return ended_; }
  std::string Take() { return std::move(bytes_); }

 private:
  const int64_t limit_bytes_;
  int read_fd_ = -1;
  int write_fd_ = -1;
  std::string bytes_;
  bool overflowed_ = false;
  bool ended_ = false;
};

}  // namespace kernelsmith::worker
