// scripted-model-server --script FILE --port-file FILE [--request-log FILE]: the scripted model server as a program,
// for tests that kill what talks to it. Runs until SIGTERM.
#include <CLI/CLI.hpp>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/shutdown.h"
#include "tests/server/model/scripted_model_server.h"

int main(int argc, char** argv) {
  namespace ks = kernelsmith;
  ks::common::BlockShutdownSignals();
  CLI::App app("A model server that says what its script says");
  std::string script_file;
  std::string port_file;
  std::string request_log;
  app.add_option("--script", script_file, "JSON; see scripted_model_server.h")->required();
  app.add_option("--port-file", port_file, "host:port is written here")->required();
  app.add_option("--request-log", request_log, "a JSON line is appended for every request");
  CLI11_PARSE(app, argc, argv);

  const auto text = ks::common::ReadFile(script_file);
  const auto script = text.ok() ? ks::server::ModelScriptFromJson(*text) : text.status();
  if (!script.ok()) {
    std::cerr << script.status().message() << "\n";
    return 2;
  }
  const ks::server::ScriptedModelServer server(*script, request_log);
  const auto written = ks::common::WriteFileAtomically(port_file, absl::StrCat("127.0.0.1:", server.port()));
  if (!written.ok()) {
    std::cerr << written.message() << "\n";
    return 1;
  }
  ks::common::WaitForShutdownSignal();
  return 0;
}
