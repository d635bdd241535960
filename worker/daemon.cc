#include "worker/daemon.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/grpc/server.h"
#include "common/logging.h"
#include "common/status.h"
#include "common/version.h"
#include "worker/devices/card.h"
#include "worker/gateway/evaluator_executor.h"
#include "worker/gateway/synchronize_loop.h"
#include "worker/jail/jail.h"
#include "worker/locks/card_lock.h"
#include "worker/locks/lock_folder.h"
#include "worker/pipeline/evaluate.h"

namespace kernelsmith::worker {
namespace {

constexpr double kDefaultNoiseLimit = 0.25;
constexpr absl::Duration kCardLockPatience = absl::Seconds(5);
constexpr char kBubblewrap[] = "bwrap";

std::string HostName() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown-host";
  return name;
}

class CardDaemon final : public Daemon {
 public:
  CardDaemon(FileLock card_lock, std::unique_ptr<Evaluator> evaluator, common::Metrics& metrics)
      : card_lock_(std::move(card_lock)),
        evaluator_(std::move(evaluator)),
        executor_(*evaluator_),
        worker_metrics_(metrics) {}

  absl::Status Serve(const config::v1::Listen& listen, common::Metrics& metrics, LoopOptions options,
                     std::unique_ptr<CoordinatorLink> link) {
    common::GrpcServer::Options server_options;
    server_options.listen = listen;
    server_options.metrics = &metrics;
    ASSIGN_OR_RETURN(server_, common::GrpcServer::Start(server_options, {}));
    loop_ = std::make_unique<SynchronizeLoop>(std::move(options), executor_, std::move(link), worker_metrics_);
    loop_->Start();
    return absl::OkStatus();
  }

  absl::Status Drain() override {
    loop_->Drain();
    const absl::Status ended = loop_->Wait();
    loop_.reset();
    server_->Shutdown(absl::ZeroDuration());
    return ended;
  }

 private:
  const FileLock card_lock_;  // as long as the process lives
  const std::unique_ptr<Evaluator> evaluator_;
  EvaluatorExecutor executor_;
  WorkerMetrics worker_metrics_;
  std::unique_ptr<common::GrpcServer> server_;
  std::unique_ptr<SynchronizeLoop> loop_;
};

}  // namespace

absl::Status CheckIsolation(const std::string& required, const std::string& obtained) {
  if (required != kBubblewrap || absl::StartsWith(obtained, kBubblewrap)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "candidates would run with '", obtained, "' only, but required_isolation is '", required,
      "'; install bubblewrap and allow user namespaces, or accept less with required_isolation: \"rlimits\""));
}

absl::StatusOr<config::v1::WorkerConfig> CompleteConfig(config::v1::WorkerConfig config, const std::string& host) {
  if (config.coordinator().address().empty()) {
    return common::InvalidField("coordinator.address", "is empty; give the coordinator's host:port");
  }
  if (config.data_dir().empty()) return common::InvalidField("data_dir", "is empty; give a folder for caches");
  if (config.card_kind().empty()) config.set_card_kind("cpu");
  const std::vector<std::string> kinds = CardKinds();
  if (std::find(kinds.begin(), kinds.end(), config.card_kind()) == kinds.end()) {
    return common::InvalidField(
        "card_kind", absl::StrCat("is '", config.card_kind(), "'; this program drives: ", absl::StrJoin(kinds, ", ")));
  }
  if (config.card_id().empty()) {
    const int number = config.devices().empty() ? 0 : config.devices(0);
    config.set_card_id(absl::StrCat(config.card_kind(), number));
  }
  if (absl::StrContains(config.card_id(), "/")) return common::InvalidField("card_id", "holds a slash");
  if (config.worker_id().empty()) config.set_worker_id(absl::StrCat(host, "-", config.card_id()));
  if (config.lock_dir().empty()) config.set_lock_dir(DefaultLockFolder());
  if (config.required_isolation().empty()) config.set_required_isolation(kBubblewrap);
  if (config.required_isolation() != kBubblewrap && config.required_isolation() != "rlimits") {
    return common::InvalidField("required_isolation",
                                absl::StrCat("is '", config.required_isolation(), "'; give bwrap or rlimits"));
  }
  if (config.noise_limit() <= 0) config.set_noise_limit(kDefaultNoiseLimit);
  if (config.reference_cache_bytes() <= 0) config.set_reference_cache_bytes(int64_t{2} << 30);
  if (config.compile_cache_bytes() <= 0) config.set_compile_cache_bytes(int64_t{1} << 30);
  return config;
}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const config::v1::WorkerConfig& given,
                                                      const config::v1::Listen& listen, common::Metrics& metrics,
                                                      std::function<void()> on_end) {
  const std::string host = HostName();
  ASSIGN_OR_RETURN(const config::v1::WorkerConfig config, CompleteConfig(given, host));
  RETURN_IF_ERROR(common::MakeFolders(config.data_dir()));
  RETURN_IF_ERROR(MakeLockFolder(config.lock_dir()));
  ASSIGN_OR_RETURN(FileLock card_lock, AwaitCard(config.lock_dir(), config.card_id(), absl::Now() + kCardLockPatience));
  RETURN_IF_ERROR(CheckIsolation(config.required_isolation(), ObtainedIsolation()));
  ASSIGN_OR_RETURN(common::Connection connection, common::Connection::Open(config.coordinator()));

  ASSIGN_OR_RETURN(OpenedCard card, OpenCard(config));
  LoopOptions loop;
  loop.worker_id = config.worker_id();
  loop.version = std::string(common::Version());
  loop.card = std::move(card.state);
  loop.card.set_card_id(config.card_id());
  loop.card.set_kind(config.card_kind());
  loop.card.set_isolation(ObtainedIsolation());
  loop.check_card = std::move(card.check);
  loop.card_is_suspect = std::move(card.suspect);
  loop.on_end = std::move(on_end);

  EvaluatorOptions options;
  options.toolchain = std::move(card.toolchain);
  options.runtime = std::move(card.runtime);
  options.target = loop.card.target();
  options.emulated = loop.card.emulated();
  options.cpu_count = card.host_threads;
  options.lock_dir = config.lock_dir();
  options.cache_dir = config.data_dir() + "/variants";
  options.reference_cache_bytes = config.reference_cache_bytes();
  options.worker_id = config.worker_id();
  options.card_id = config.card_id();
  options.host = host;
  options.noise_floor = loop.card.noise_floor();
  auto daemon =
      std::make_unique<CardDaemon>(std::move(card_lock), std::make_unique<Evaluator>(std::move(options)), metrics);
  common::LogInfo("worker.ready", {{"worker", config.worker_id()},
                                   {"card", config.card_id()},
                                   {"soc", loop.card.target().soc()},
                                   {"toolchain", loop.card.target().toolchain()},
                                   {"coordinator", connection.address()},
                                   {"isolation", loop.card.isolation()},
                                   {"noise_floor", absl::StrCat(loop.card.noise_floor())}});
  RETURN_IF_ERROR(
      daemon->Serve(listen, metrics, std::move(loop), std::make_unique<CoordinatorLink>(std::move(connection))));
  return std::unique_ptr<Daemon>(std::move(daemon));
}

}  // namespace kernelsmith::worker
