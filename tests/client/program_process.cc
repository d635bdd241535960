#include "tests/client/program_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "client/cli/process/child.h"
#include "common/file_io.h"

namespace kernelsmith::client {

ProgramProcess::ProgramProcess(std::vector<std::string> arguments, std::string output_file,
                               const std::map<std::string, std::string>& environment)
    : output_file_(std::move(output_file)) {
  arguments.insert(arguments.begin(), KERNELSMITH_BIN_DIR "/kernelsmith");
  const auto pid = SpawnChild({.arguments = arguments, .environment = environment, .output_file = output_file_});
  EXPECT_TRUE(pid.ok()) << pid.status();
  if (pid.ok()) pid_ = *pid;
}

ProgramProcess::~ProgramProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ProgramProcess::Signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

int ProgramProcess::Wait(double limit_s) {
  int wait_status = 0;
  if (pid_ <= 0) return -1;
  if (!Eventually([&] { return waitpid(pid_, &wait_status, WNOHANG) == pid_; }, limit_s)) return -1;
  pid_ = 0;
  return ExitCodeOfWait(wait_status);
}

std::string ProgramProcess::Output() const {
  const auto text = common::ReadFile(output_file_);
  return text.ok() ? *text : "";
}

std::vector<pid_t> ProcessesWith(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid) || pid == getpid()) continue;
    const auto line = common::ReadFile(entry.path().string() + "/cmdline");
    if (line.ok() && absl::StrContains(*line, text)) found.push_back(pid);
  }
  return found;
}

}  // namespace kernelsmith::client
