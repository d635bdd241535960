// What every subcommand shares: the global options, where output goes, and how servers are found.
//
//   ASSIGN_OR_RETURN(Client client, session.ConnectServer());
#pragma once

#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "google/protobuf/message.h"
#include "kernelsmith/client/client.h"
#include "kernelsmith/client/connection.h"
#include "kernelsmith/client/memory.h"

namespace kernelsmith::client {

// The surroundings of one run, so that tests can bring their own.
struct Surroundings {
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool terminal = false;             // `out` is a terminal: a live line, no line per event
  std::stop_token interrupted;       // Ctrl-C
  Interrupts* interrupts = nullptr;  // the source of `interrupted`; null where nobody sends signals
};

struct Session {
  Surroundings surroundings;
  std::vector<std::string> trailing;  // what follows "--": the command of `up`

  // Global options.
  std::string server;
  std::string memory;
  std::string data_folder;
  std::string token_file;
  std::string tls_ca_file;
  bool json = false;
  double patience_s = 5;

  int exit_code = kExitOk;

  std::ostream& out() const { return *surroundings.out; }
  std::ostream& err() const { return *surroundings.err; }

  // --server, else KERNELSMITH_SERVER, else what `up` wrote. UNAVAILABLE if none of them names one.
  absl::StatusOr<std::string> ServerAddress() const;
  absl::StatusOr<std::string> MemoryAddress() const;
  absl::StatusOr<Client> ConnectServer() const;
  absl::StatusOr<MemoryClient> ConnectMemory() const;
  std::string DataFolder() const;

  // A message as one JSON document, indented; or on one line, for streams.
  void PrintJson(const google::protobuf::Message& message) const;
  void PrintJsonLine(const std::string& name, const google::protobuf::Message& message) const;
  // The error on stderr, as JSON with --json, and its exit code.
  int Fail(const absl::Status& status) const;
  // The caller's token, certificate and patience with this address.
  ConnectOptions Options(std::string address) const;
};

}  // namespace kernelsmith::client
