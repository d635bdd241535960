#include "tests/server/api/api_fixture.h"

#include <stdlib.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/grpc/errors.h"
#include "common/hash.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

std::string MakeFolder() {
  std::string path = testing::TempDir() + "/api-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

std::string TokenLine(const std::string& token, const std::string& team, const std::string& roles) {
  return absl::StrCat(common::Sha256Hex(token), " ", team, " ", roles, "\n");
}

}  // namespace

ApiTest::ApiTest() : folder_(MakeFolder()), memory_metrics_(metrics_) {
  auto experience = memory::Experience::Open(folder_ + "/memory", common::Clock::Real(), memory_metrics_);
  EXPECT_TRUE(experience.ok()) << experience.status();
  experience_ = *std::move(experience);
  memory_service_ = std::make_unique<memory::ExperienceService>(*experience_, memory_metrics_);
  auto server = common::GrpcServer::Start({.listen = {}, .method_roles = memory::MemoryRoles(), .metrics = nullptr},
                                          {memory_service_.get()});
  EXPECT_TRUE(server.ok()) << server.status();
  memory_server_ = *std::move(server);
  const std::string tokens =
      absl::StrCat(TokenLine(kRed, "red", "submit"), TokenLine(kBlue, "blue", "submit"),
                   TokenLine(kReader, "red", "read"), TokenLine(kAdmin, "ops", "admin"),
                   TokenLine(kRedAdmin, "red", "admin"), TokenLine(kWorkerToken, "fleet", "worker"));
  EXPECT_TRUE(common::WriteFileAtomically(folder_ + "/tokens", tokens).ok());
}

ApiTest::~ApiTest() {
  StopCoordinator();
  memory_server_->Shutdown(absl::ZeroDuration());
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void ApiTest::StartCoordinator(std::function<void(config::v1::CoordinatorConfig&)> adjust) {
  StopCoordinator();
  config::v1::CoordinatorConfig config;
  config.set_data_dir(folder_ + "/coordinator");
  config.mutable_listen()->set_address("127.0.0.1:0");
  config.mutable_listen()->set_token_file(folder_ + "/tokens");
  config.mutable_memory()->set_address(memory_server_->address());
  config.set_min_free_disk_bytes(1);
  config.set_heartbeat_s(0.5);
  config.set_lease_s(30);
  config.set_reconnect_grace_s(30);
  if (adjust) adjust(config);
  auto coordinator = Coordinator::Start(config, metrics_);
  ASSERT_TRUE(coordinator.ok()) << coordinator.status();
  coordinator_ = *std::move(coordinator);
  config::v1::Remote remote;
  remote.set_address(coordinator_->address());
  auto connection = common::Connection::Open(remote);
  ASSERT_TRUE(connection.ok()) << connection.status();
  connection_ = std::make_unique<common::Connection>(*std::move(connection));
  stub_ = v1::Coordinator::NewStub(connection_->channel());
  gateway_ = v1::WorkerGateway::NewStub(connection_->channel());
  worker_.TalkTo([this](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
    v1::SynchronizeResponse response;
    const auto context = As(kWorkerToken);
    const absl::Status status = common::FromGrpc(gateway_->Synchronize(context.get(), request, &response));
    if (!status.ok()) return status;
    return response;
  });
}

void ApiTest::StopCoordinator() {
  if (coordinator_) coordinator_->Drain();
  worker_.TalkTo(nullptr);
  stub_.reset();
  gateway_.reset();
  connection_.reset();
  coordinator_.reset();
}

std::unique_ptr<grpc::ClientContext> ApiTest::As(const std::string& token) const {
  auto context = connection_->Context(absl::Seconds(60));
  if (!token.empty()) context->AddMetadata("authorization", "Bearer " + token);
  return context;
}

v1::SubmitJobRequest ApiTest::SubmitRequest(const std::string& request_id, const std::string& kernel) const {
  v1::SubmitJobRequest request;
  request.set_request_id(request_id);
  request.mutable_spec()->mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  request.mutable_spec()->mutable_budget()->set_rounds(1);
  *request.mutable_spec()->mutable_start_from() = CandidateOf(kernel);
  return request;
}

std::string ApiTest::Submit(const std::string& token, const v1::SubmitJobRequest& request) {
  v1::SubmitJobResponse response;
  const grpc::Status status = stub_->SubmitJob(As(token).get(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.job().id();
}

v1::Job ApiTest::GetJob(const std::string& token, const std::string& job_id) {
  v1::GetJobRequest request;
  request.set_job_id(job_id);
  v1::GetJobResponse response;
  const grpc::Status status = stub_->GetJob(As(token).get(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.job();
}

bool ApiTest::Reaches(const std::string& token, const std::string& job_id, v1::JobState state) {
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (absl::Now() < deadline) {
    if (GetJob(token, job_id).state() == state) return true;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return false;
}

}  // namespace kernelsmith::server
