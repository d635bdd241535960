#include "tests/worker/emulator/runtime/acl.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace kernelsmith::emulator {
namespace {

// State and parent of a process, from /proc/<pid>/stat.
bool ProcessStat(int pid, char* state, int* parent, std::string* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return false;
  *name = text.substr(open + 1, close - open - 1);
  return std::sscanf(text.c_str() + close + 1, " %c %d", state, parent) == 2;
}

}  // namespace

std::string Acl::Message() const {
  const char* message = aclGetRecentErrMsg();
  return message == nullptr ? "" : message;
}

std::string Acl::Report(int device) const {
  std::string report(kseReport(device, nullptr, 0), '\0');
  report.resize(std::min(report.size(), kseReport(device, report.data(), report.size())));
  return report;
}

std::string AclLibrary() { return std::string(KERNELSMITH_CANN_ROOT) + "/lib64/libascendcl.so"; }

Acl LoadAcl() {
  Acl acl{};
  void* const library = ::dlopen(AclLibrary().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::abort();
  }
#define X(name, result, parameters)                                         \
  acl.name = reinterpret_cast<decltype(acl.name)>(::dlsym(library, #name)); \
  if (acl.name == nullptr) {                                                \
    std::fprintf(stderr, "no %s\n", #name);                                 \
    std::abort();                                                           \
  }
  KERNELSMITH_ACL_FUNCTIONS(X)
#undef X
  return acl;
}

bool InProcess(const Environment& environment, const std::function<void(const Acl&)>& body) {
  std::string output;
  return InProcess(environment, body, &output);
}

bool InProcess(const Environment& environment, const std::function<void(const Acl&)>& body, std::string* output) {
  int line[2];
  if (::pipe(line) != 0) return false;
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(line[1], STDOUT_FILENO);
    ::close(line[0]);
    ::close(line[1]);
    for (const char* name : {"KERNELSMITH_EMULATED_SOC", "KERNELSMITH_EMULATED_DEVICES", "ASCEND_RT_VISIBLE_DEVICES",
                             "KERNELSMITH_EMULATED_WALL_LIMIT_MS"}) {
      ::unsetenv(name);
    }
    ::setenv("KERNELSMITH_EMULATED_MEMORY", "268435456", 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    body(LoadAcl());
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  ::close(line[1]);
  char part[4096];
  for (ssize_t got; (got = ::read(line[0], part, sizeof(part))) > 0;) output->append(part, static_cast<size_t>(got));
  ::close(line[0]);
  int status = -1;
  ::waitpid(pid, &status, 0);
  if (status != 0) std::fprintf(stderr, "process ended with status %d\n%s", status, output->c_str());
  return status == 0;
}

std::vector<int> DeviceProcesses(int parent) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    char state = ' ';
    int its_parent = 0;
    std::string name;
    if (pid > 0 && ProcessStat(pid, &state, &its_parent, &name) && its_parent == parent && state != 'Z' &&
        name.compare(0, 11, "ks-emulated") == 0) {
      found.push_back(pid);
    }
  }
  return found;
}

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

bool Lives(int pid) {
  char state = ' ';
  int parent = 0;
  std::string name;
  return ProcessStat(pid, &state, &parent, &name) && state != 'Z' && state != 'X';
}

}  // namespace kernelsmith::emulator
