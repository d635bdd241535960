#include "tests/client/program_run.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "absl/strings/str_split.h"
#include "client/cli/program.h"
#include "tests/client/example_job.h"

namespace kernelsmith::client {

std::vector<nlohmann::json> Ran::lines() const {
  std::vector<nlohmann::json> parsed;
  for (const absl::string_view line : absl::StrSplit(out, '\n', absl::SkipEmpty())) {
    parsed.push_back(nlohmann::json::parse(line.begin(), line.end(), nullptr, false));
  }
  return parsed;
}

ProgramRun::ProgramRun() {
  for (const char* name : {"KERNELSMITH_SERVER", "KERNELSMITH_MEMORY", "KERNELSMITH_TOKEN", "KERNELSMITH_DATA"}) {
    unsetenv(name);
  }
  server_.coordinator.AddJob(ExampleJob(), ExampleEvents(), ExampleAttempts());
  server_.coordinator.SetSubmitted(ExampleJob());
  server_.coordinator.SetReport(ExampleReport(), {"compiling"});
  task_ = Write("softmax.py", "N = 1\nM = 2\nclass Model: pass\n");
  kernel_ = Write("kernel.cpp", "int x;\n");
}

std::string ProgramRun::Write(const std::string& name, const std::string& content) {
  const std::string path = folder_.path() + "/" + name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  EXPECT_TRUE(common::WriteFileAtomically(path, content).ok());
  return path;
}

Ran ProgramRun::Run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"--server", server_.address(), "--memory", server_.address(), "--patience-s", "5"});
  return RunAlone(std::move(arguments));
}

Ran ProgramRun::RunAlone(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--data", folder_.path()});
  std::ostringstream out;
  std::ostringstream err;
  const int code = RunProgram(std::move(arguments), {.out = &out, .err = &err, .interrupted = stop_.get_token()});
  return {.code = code, .out = out.str(), .err = err.str()};
}

}  // namespace kernelsmith::client
