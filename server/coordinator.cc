#include "server/coordinator.h"

#include <utility>

#include "common/grpc/server.h"
#include "common/logging.h"
#include "common/status.h"
#include "server/api/coordinator_service.h"
#include "server/api/dead_letter_calls.h"
#include "server/api/intake.h"
#include "server/api/job_calls.h"
#include "server/api/roles.h"
#include "server/configured_proposers.h"
#include "server/coordinator_config.h"
#include "server/data_folder.h"
#include "server/gateway/worker_gateway.h"
#include "server/housekeeping/housekeeping.h"
#include "server/jobs/job_store.h"
#include "server/scheduling/evaluation_queue.h"
#include "server/synthesis/job_runner.h"
#include "server/synthesis/memory_client.h"
#include "server/synthesis/stored_model_call_log.h"

namespace kernelsmith::server {
namespace {

constexpr absl::Duration kStreamGrace = absl::Seconds(2);

common::MethodRoles AllRoles() {
  common::MethodRoles roles = CoordinatorRoles();
  roles.merge(WorkerGatewayRoles());
  return roles;
}

}  // namespace

// In the order of their construction; each uses only what stands above it.
struct Coordinator::Parts {
  Parts(const config::v1::CoordinatorConfig& with, common::Metrics& published, const common::Clock& time)
      : config(with), metrics(published), clock(time), interrupts(time), synthesis_metrics(published) {}

  absl::Status Open();
  absl::Status Serve();

  const config::v1::CoordinatorConfig config;
  common::Metrics& metrics;
  const common::Clock& clock;
  JobInterrupts interrupts;
  SynthesisMetrics synthesis_metrics;
  DataFolder folder;
  std::unique_ptr<JobStore> store;
  std::unique_ptr<EvaluationQueue> queue;
  std::unique_ptr<MemoryClient> memory;
  std::unique_ptr<StoredModelCallLog> model_calls;
  std::unique_ptr<ConfiguredProposers> proposers;
  std::unique_ptr<SynthesisContext> synthesis;
  std::unique_ptr<JobRunner> runner;
  std::unique_ptr<Intake> intake;
  std::unique_ptr<JobCalls> job_calls;
  std::unique_ptr<DeadLetterCalls> dead_letter_calls;
  std::unique_ptr<CoordinatorService> service;
  std::unique_ptr<WorkerGateway> gateway;
  std::unique_ptr<Housekeeping> housekeeping;
  std::unique_ptr<common::GrpcServer> server;
};

absl::Status Coordinator::Parts::Open() {
  ASSIGN_OR_RETURN(folder, DataFolder::Open(config.data_dir()));
  ASSIGN_OR_RETURN(store, JobStore::Open(config.data_dir(), clock));
  ASSIGN_OR_RETURN(queue, EvaluationQueue::Open(config.data_dir(), config, clock, metrics));
  ASSIGN_OR_RETURN(memory, MemoryClient::Open(config));
  model_calls = std::make_unique<StoredModelCallLog>(*store, interrupts, synthesis_metrics);
  ASSIGN_OR_RETURN(proposers, ConfiguredProposers::Create(config, *model_calls, metrics));
  synthesis = std::make_unique<SynthesisContext>(SynthesisContext{.store = *store,
                                                                  .queue = *queue,
                                                                  .memory = *memory,
                                                                  .proposers = *proposers,
                                                                  .interrupts = interrupts,
                                                                  .metrics = synthesis_metrics,
                                                                  .clock = clock,
                                                                  .producer = folder.producer,
                                                                  .input_secret = folder.input_secret,
                                                                  .limits = config.limits()});
  return absl::OkStatus();
}

absl::Status Coordinator::Parts::Serve() {
  runner = std::make_unique<JobRunner>(*synthesis, config, metrics);
  intake = std::make_unique<Intake>(*store, config);
  job_calls = std::make_unique<JobCalls>(*store, *runner, *intake, synthesis_metrics, config);
  dead_letter_calls = std::make_unique<DeadLetterCalls>(*store, *queue, *runner, *intake);
  service = std::make_unique<CoordinatorService>(CoordinatorService::Dependencies{.store = *store,
                                                                                  .queue = *queue,
                                                                                  .jobs = *job_calls,
                                                                                  .dead_letters = *dead_letter_calls,
                                                                                  .clock = clock,
                                                                                  .input_secret = folder.input_secret,
                                                                                  .limits = config.limits()});
  gateway = std::make_unique<WorkerGateway>(*queue, store->content());
  housekeeping = std::make_unique<Housekeeping>(*store, *runner, *intake, config, clock, metrics);
  housekeeping->PublishGauges();
  ASSIGN_OR_RETURN(
      server, common::GrpcServer::Start({.listen = config.listen(), .method_roles = AllRoles(), .metrics = &metrics},
                                        {service.get(), gateway.get()}));
  runner->Start();
  housekeeping->Start();
  return absl::OkStatus();
}

Coordinator::Coordinator(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Coordinator::~Coordinator() { Drain(); }

absl::StatusOr<std::unique_ptr<Coordinator>> Coordinator::Start(const config::v1::CoordinatorConfig& config,
                                                                common::Metrics& metrics, const common::Clock& clock) {
  RETURN_IF_ERROR(CheckCoordinatorConfig(config));
  auto coordinator = std::unique_ptr<Coordinator>(new Coordinator(std::make_unique<Parts>(config, metrics, clock)));
  RETURN_IF_ERROR(coordinator->parts_->Open());
  RETURN_IF_ERROR(coordinator->parts_->Serve());
  common::LogInfo("coordinator.ready", {{"address", coordinator->address()}, {"data_dir", config.data_dir()}});
  return coordinator;
}

const std::string& Coordinator::address() const { return parts_->server->address(); }

void Coordinator::Drain() {
  if (!parts_) return;
  Parts& parts = *parts_;
  parts.interrupts.StopAll();
  if (parts.service) parts.service->StopStreams();
  if (parts.store) parts.store->StopWaiting();
  if (parts.queue) parts.queue->Stop();
  if (parts.server) parts.server->Shutdown(kStreamGrace);
  if (parts.runner) parts.runner->Stop();
  if (parts.housekeeping) parts.housekeeping->Stop();
  parts_.reset();
}

}  // namespace kernelsmith::server
