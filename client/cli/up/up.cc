#include "client/cli/up/up.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/health.h"
#include "client/cli/process/child.h"
#include "client/cli/up/cann.h"
#include "client/cli/up/configs.h"
#include "client/cli/up/instance_lock.h"
#include "client/cli/up/status_files.h"
#include "client/cli/up/supervisor.h"
#include "common/config.h"
#include "common/file_io.h"
#include "common/status.h"
#include "google/protobuf/text_format.h"

namespace kernelsmith::client {
namespace {

namespace fs = std::filesystem;

std::string Text(const google::protobuf::Message& config) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(config, &text);
  return text;
}

struct BaseConfigs {
  config::v1::MemoryConfig memory;
  config::v1::CoordinatorConfig coordinator;
  config::v1::WorkerConfig worker;
};

absl::StatusOr<BaseConfigs> LoadBaseConfigs(const UpOptions& options, const std::string& programs) {
  BaseConfigs base;
  if (!options.memory_config.empty()) RETURN_IF_ERROR(common::LoadConfig(options.memory_config, base.memory));
  if (!options.coordinator_config.empty()) {
    RETURN_IF_ERROR(common::LoadConfig(options.coordinator_config, base.coordinator));
  }
  if (!options.worker_config.empty()) RETURN_IF_ERROR(common::LoadConfig(options.worker_config, base.worker));
  if (!options.lock_dir.empty()) base.worker.set_lock_dir(fs::absolute(options.lock_dir).string());
  if (!options.isolation.empty()) base.worker.set_required_isolation(options.isolation);
  if (!options.card_kind.empty()) base.worker.set_card_kind(options.card_kind);
  if (base.worker.card_kind() == "ascend") RETURN_IF_ERROR(ChooseCann(programs, base.worker));
  return base;
}

// Everything that one run of `up` holds, in the order in which it must go.
class UpRun {
 public:
  UpRun(const UpOptions& options, const Session& session)
      : options_(options), session_(session), supervisor_([this](const std::string& line) { Say(line); }) {}

  absl::StatusOr<int> Run() {
    RETURN_IF_ERROR(PrepareFolders());
    ASSIGN_OR_RETURN(const InstanceLock lock, InstanceLock::Take(folders_.Lock()));
    if (session_.surroundings.interrupts != nullptr) session_.surroundings.interrupts->SetPatient();
    absl::StatusOr<int> code = StartAndWait();
    unlink(EndpointsPath(folders_.data).c_str());
    const int seen = Interrupted();
    supervisor_.StopAll(absl::Seconds(options_.stop_grace_s), [&] { return Interrupted() > seen; });
    return code;
  }

 private:
  int Interrupted() const {
    return session_.surroundings.interrupts != nullptr ? session_.surroundings.interrupts->count() : 0;
  }
  bool Stopped() const { return session_.surroundings.interrupted.stop_requested(); }
  void Say(const std::string& line) const { session_.err() << "kernelsmith up: " << line << std::endl; }

  absl::Status PrepareFolders() {
    folders_.data = fs::absolute(session_.DataFolder()).lexically_normal().string();
    for (const char* sub : {"", "/config", "/run", "/log"}) {
      const absl::Status made = common::MakeFolders(folders_.data + sub);
      if (absl::IsNotFound(made) || absl::IsFailedPrecondition(made)) {
        return absl::InvalidArgumentError(absl::StrCat("no data folder can be there: ", made.message()));
      }
      RETURN_IF_ERROR(made);
    }
    std::error_code error;
    programs_ = options_.programs.empty() ? fs::read_symlink("/proc/self/exe", error).parent_path().string()
                                          : fs::absolute(options_.programs).string();
    for (const char* name : {"kernelsmith-memory", "kernelsmith-coordinator", "kernelsmith-worker"}) {
      if (access(Program(name).c_str(), X_OK) == 0) continue;
      return absl::FailedPreconditionError(absl::StrCat("there is no program ", Program(name),
                                                        "; build or install all of Kernelsmith, or name the folder "
                                                        "with --programs"));
    }
    return absl::OkStatus();
  }
  std::string Program(const std::string& name) const { return programs_ + "/" + name; }

  absl::Status Serving(const Daemon& daemon) const {
    return CheckHealth(session_.Options(daemon.addresses().grpc), absl::Seconds(2));
  }

  absl::Status StartDaemon(DaemonSpec spec, const std::function<absl::Status(const Daemon&)>& ready) {
    return supervisor_.StartDaemon(std::move(spec), folders_, absl::Seconds(options_.start_timeout_s), ready,
                                   [this] { return Stopped(); });
  }

  absl::Status StartServers(const BaseConfigs& base) {
    const auto serving = [this](const Daemon& daemon) { return Serving(daemon); };
    RETURN_IF_ERROR(StartDaemon(
        {.name = "memory",
         .program = Program("kernelsmith-memory"),
         .serves_grpc = true,
         .config = [this, base](
                       const Addresses& addresses) { return Text(MemoryConfigFor(base.memory, folders_, addresses)); }},
        serving));
    const std::string memory = supervisor_.daemons().back()->addresses().grpc;
    return StartDaemon({.name = "coordinator",
                        .program = Program("kernelsmith-coordinator"),
                        .serves_grpc = true,
                        .config =
                            [this, base, memory](const Addresses& addresses) {
                              return Text(CoordinatorConfigFor(base.coordinator, folders_, addresses, memory));
                            }},
                       serving);
  }

  absl::Status StartWorkers(const BaseConfigs& base) {
    const std::string coordinator = supervisor_.daemons().back()->addresses().grpc;
    for (int index = 0; index < options_.workers; ++index) {
      RETURN_IF_ERROR(StartDaemon({.name = WorkerName(index),
                                   .program = Program("kernelsmith-worker"),
                                   .serves_grpc = false,
                                   .config =
                                       [this, base, coordinator, index](const Addresses& addresses) {
                                         return Text(
                                             WorkerConfigFor(base.worker, folders_, addresses, coordinator, index));
                                       }},
                                  [](const Daemon&) { return absl::OkStatus(); }));
    }
    return AwaitCards(coordinator);
  }

  // Ready means that the coordinator sees every card.
  absl::Status AwaitCards(const std::string& coordinator) {
    ASSIGN_OR_RETURN(const Client client, Client::Connect(session_.Options(coordinator)));
    const absl::Time deadline = absl::Now() + absl::Seconds(options_.start_timeout_s);
    int64_t connected = 0;
    while (absl::Now() < deadline) {
      const absl::StatusOr<std::vector<v1::Card>> cards = client.ListCards();
      if (!cards.ok() && !common::IsRetryable(cards.status())) return cards.status();
      if (cards.ok()) {
        connected = std::count_if(cards->begin(), cards->end(), [](const v1::Card& card) { return card.connected(); });
      }
      if (connected >= options_.workers) return absl::OkStatus();
      if (Stopped()) return absl::CancelledError("stopped while starting");
      supervisor_.Tick();
    }
    return absl::DeadlineExceededError(absl::StrCat("only ", connected, " of ", options_.workers,
                                                    " workers have connected; see ", folders_.data, "/log"));
  }

  absl::Status Publish(const Endpoints& endpoints) {
    RETURN_IF_ERROR(common::WriteFileAtomically(folders_.PrometheusTargets(), PrometheusTargets(endpoints)));
    RETURN_IF_ERROR(common::WriteFileAtomically(EndpointsPath(folders_.data), FormatEndpoints(endpoints)));
    // With a command, stdout is the command's.
    std::ostream& out = options_.command.empty() ? session_.out() : session_.err();
    if (session_.json) {
      out << FormatEndpoints(endpoints) << std::flush;
    } else {
      out << DaemonTable(endpoints) << "data in " << folders_.data << ", Prometheus targets in "
          << folders_.PrometheusTargets() << "\n"
          << (options_.command.empty() ? "ready; Ctrl-C stops everything\n" : "") << std::flush;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int> StartAndWait() {
    ASSIGN_OR_RETURN(const BaseConfigs base, LoadBaseConfigs(options_, programs_));
    RETURN_IF_ERROR(StartServers(base));
    RETURN_IF_ERROR(StartWorkers(base));
    const Endpoints endpoints = EndpointsOf(supervisor_.daemons(), getpid());
    RETURN_IF_ERROR(Publish(endpoints));
    if (options_.command.empty()) {
      while (!Stopped()) supervisor_.Tick();
      return kExitOk;
    }
    return RunCommandUnderUs(endpoints);
  }

  absl::StatusOr<int> RunCommandUnderUs(const Endpoints& endpoints) {
    RETURN_IF_ERROR(supervisor_.StartCommand(options_.command, {{"KERNELSMITH_SERVER", endpoints.server},
                                                                {"KERNELSMITH_MEMORY", endpoints.memory},
                                                                {"KERNELSMITH_DATA", folders_.data}}));
    int forwarded = 0;
    while (!supervisor_.command_status().has_value()) {
      if (const int count = Interrupted(); count > forwarded) {
        forwarded = count;
        supervisor_.SignalCommand(count > 2 ? SIGKILL : session_.surroundings.interrupts->signal());
      }
      supervisor_.Tick();
    }
    return ExitCodeOfWait(*supervisor_.command_status());
  }

  const UpOptions& options_;
  const Session& session_;
  UpFolders folders_;
  std::string programs_;
  Supervisor supervisor_;
};

}  // namespace

int Up(const UpOptions& options, const Session& session) {
  const absl::StatusOr<int> code = UpRun(options, session).Run();
  if (code.ok()) return *code;
  return absl::IsCancelled(code.status()) ? static_cast<int>(kExitDetached) : session.Fail(code.status());
}

}  // namespace kernelsmith::client
