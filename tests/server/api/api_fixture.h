// A whole coordinator on loopback with an experience memory beside it and a scripted worker that dials in; clients of
// several teams call it through gRPC.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/grpc/channel.h"
#include "common/grpc/server.h"
#include "common/metrics.h"
#include "kernelsmith/v1/coordinator.grpc.pb.h"
#include "kernelsmith/v1/worker.grpc.pb.h"
#include "memory/service/experience_service.h"
#include "server/coordinator.h"
#include "tests/server/synthesis/scripted_worker.h"

namespace kernelsmith::server {

// Tokens of the test's token file.
inline constexpr char kRed[] = "red-token";             // team red, submit
inline constexpr char kBlue[] = "blue-token";           // team blue, submit
inline constexpr char kReader[] = "reader-token";       // team red, read
inline constexpr char kAdmin[] = "admin-token";         // team ops, admin
inline constexpr char kRedAdmin[] = "red-admin-token";  // team red, admin
inline constexpr char kWorkerToken[] = "worker-token";  // team fleet, worker
inline constexpr char kNobody[] = "";                   // no token

class ApiTest : public testing::Test {
 protected:
  ApiTest();
  ~ApiTest() override;

  // `adjust` may change the configuration.
  void StartCoordinator(std::function<void(config::v1::CoordinatorConfig&)> adjust = nullptr);
  void StopCoordinator();

  v1::Coordinator::Stub& stub() { return *stub_; }
  std::unique_ptr<grpc::ClientContext> As(const std::string& token) const;

  // A job that the catalog cannot do anything with after its given kernel: it ends after one round.
  v1::SubmitJobRequest SubmitRequest(const std::string& request_id, const std::string& kernel = "100") const;
  std::string Submit(const std::string& token, const v1::SubmitJobRequest& request);
  v1::Job GetJob(const std::string& token, const std::string& job_id);
  // Polls until the job is in the state.
  bool Reaches(const std::string& token, const std::string& job_id, v1::JobState state);

  const std::string folder_;
  common::Metrics metrics_;
  memory::MemoryMetrics memory_metrics_;
  std::unique_ptr<memory::Experience> experience_;
  std::unique_ptr<memory::ExperienceService> memory_service_;
  std::unique_ptr<common::GrpcServer> memory_server_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<common::Connection> connection_;
  std::unique_ptr<v1::Coordinator::Stub> stub_;
  std::unique_ptr<v1::WorkerGateway::Stub> gateway_;
  ScriptedWorker worker_;
};

}  // namespace kernelsmith::server
