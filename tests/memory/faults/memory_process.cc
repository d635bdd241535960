#include "tests/memory/faults/memory_process.h"

#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"

extern char** environ;

namespace kernelsmith::memory::testing {

absl::Status MemoryProcess::Launch() {
  address_.clear();
  unlink(Beside("port").c_str());
  std::vector<std::string> arguments = {options_.program, "--data-dir",          options_.data,    "--port-file",
                                        Beside("port"),   "--metrics-port-file", Beside("metrics")};
  if (!options_.config.empty()) {
    RETURN_IF_ERROR(common::WriteFileAtomically(Beside("config"), options_.config));
    arguments.insert(arguments.end(), {"--config", Beside("config")});
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, Beside("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int error = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return absl::OkStatus();
  pid_ = -1;
  return absl::InternalError(absl::StrCat("cannot start ", options_.program, ": error ", error));
}

absl::Status MemoryProcess::WaitUntilReady() {
  const absl::Time deadline = absl::Now() + options_.patience;
  while (absl::Now() < deadline && waitpid(pid_, nullptr, WNOHANG) == 0) {
    const auto written = common::ReadFile(Beside("port"));
    if (written.ok() && !written->empty()) {
      address_ = *written;
      return absl::OkStatus();
    }
    absl::SleepFor(absl::Milliseconds(2));
  }
  const std::string log = common::ReadFile(Beside("log")).value_or("");
  return absl::DeadlineExceededError(
      absl::StrCat("the server did not start: ", log.substr(log.size() < 2000 ? 0 : log.size() - 2000)));
}

absl::Status MemoryProcess::Start() {
  RETURN_IF_ERROR(Launch());
  return WaitUntilReady();
}

void MemoryProcess::Kill(int signal) {
  if (pid_ <= 0) return;
  kill(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

absl::StatusOr<common::Connection> MemoryProcess::Open(const std::string& token_file) const {
  config::v1::Remote remote;
  remote.set_address(address_);
  remote.set_token_file(token_file);
  return common::Connection::Open(remote);
}

std::unique_ptr<v1::ExperienceMemory::Stub> MemoryProcess::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::ExperienceMemory::NewStub(
      grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments));
}

absl::StatusOr<TwoTeams> TwoTeams::Make(const std::string& data) {
  TwoTeams teams;
  std::string table;
  for (const char* team : {"red", "blue", "admin"}) {
    const std::string token = absl::StrCat("token-of-", team);
    const std::string path = absl::StrCat(data, ".token-", team);
    RETURN_IF_ERROR(common::WriteFileAtomically(path, token));
    absl::StrAppend(&table, common::Sha256Hex(token), " ", team, " ", team == std::string("admin") ? "admin" : "submit",
                    "\n");
  }
  for (const int i : {0, 1}) teams.token_file[i] = absl::StrCat(data, i == 0 ? ".token-red" : ".token-blue");
  teams.admin_token_file = absl::StrCat(data, ".token-admin");
  const std::string path = absl::StrCat(data, ".tokens");
  RETURN_IF_ERROR(common::WriteFileAtomically(path, table));
  teams.config = absl::StrCat("listen { token_file: '", path, "' }\n");
  return teams;
}

}  // namespace kernelsmith::memory::testing
