// kernelsmith-memory as a child process on a folder of its own, killed when the object goes.
//
//   MemoryProcess server({.program = ..., .data = folder});
//   RETURN_IF_ERROR(server.Start());
//   server.Kill();                       // SIGKILL; Start again continues on the same data
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/grpc/channel.h"
#include "kernelsmith/v1/memory.grpc.pb.h"

namespace kernelsmith::memory::testing {

class MemoryProcess {
 public:
  struct Options {
    std::string program;  // path of kernelsmith-memory
    std::string data;     // its --data-dir; log and port file lie beside it
    std::string config;   // text format of MemoryConfig, may be empty
    absl::Duration patience = absl::Seconds(120);
  };

  explicit MemoryProcess(Options options) : options_(std::move(options)) {}
  ~MemoryProcess() { Kill(); }
  MemoryProcess(const MemoryProcess&) = delete;
  MemoryProcess& operator=(const MemoryProcess&) = delete;

  // Starts the program and does not wait.
  absl::Status Launch();
  // DEADLINE_EXCEEDED with the end of its log if it does not serve in time.
  absl::Status WaitUntilReady();
  // Both.
  absl::Status Start();
  // SIGKILL, or another signal, and waits for the end.
  void Kill(int signal = SIGKILL);

  const std::string& address() const { return address_; }
  // With the token of the file, or without one.
  absl::StatusOr<common::Connection> Open(const std::string& token_file = "") const;
  // A stub over a connection of its own, without a token.
  std::unique_ptr<v1::ExperienceMemory::Stub> Connect() const;

 private:
  std::string Beside(const char* name) const { return options_.data + "." + name; }

  const Options options_;
  pid_t pid_ = -1;
  std::string address_;
};

// Tokens of two teams that may submit, "red" and "blue", and of an administrator, in files beside a store.
struct TwoTeams {
  std::string config;         // for MemoryProcess::Options
  std::string token_file[2];  // red, blue
  std::string admin_token_file;

  static absl::StatusOr<TwoTeams> Make(const std::string& data);
};

}  // namespace kernelsmith::memory::testing
