// The service that worker daemons call: what each card should do, and files in both directions.
//
//   WorkerGateway gateway(queue, jobs.content());
//   GrpcServer::Start({.listen = ..., .method_roles = WorkerGatewayRoles()}, {&gateway});
#pragma once

#include "common/content_store.h"
#include "common/grpc/identity.h"
#include "kernelsmith/v1/worker.grpc.pb.h"
#include "server/scheduling/evaluation_queue.h"

namespace kernelsmith::server {

constexpr size_t kArtifactChunkBytes = 1 << 20;
constexpr int64_t kMaxArtifactBytes = 256 << 20;

// Every call needs the role worker.
common::MethodRoles WorkerGatewayRoles();

// Thread-safe. `queue` and `content` must outlive it.
class WorkerGateway final : public v1::WorkerGateway::Service {
 public:
  WorkerGateway(EvaluationQueue& queue, const common::ContentStore& content) : queue_(queue), content_(content) {}

  grpc::Status Synchronize(grpc::ServerContext* context, const v1::SynchronizeRequest* request,
                           v1::SynchronizeResponse* response) override;
  grpc::Status UploadArtifact(grpc::ServerContext* context, grpc::ServerReader<v1::UploadArtifactRequest>* reader,
                              v1::UploadArtifactResponse* response) override;
  grpc::Status DownloadArtifact(grpc::ServerContext* context, const v1::DownloadArtifactRequest* request,
                                grpc::ServerWriter<v1::DownloadArtifactResponse>* writer) override;

 private:
  EvaluationQueue& queue_;
  const common::ContentStore& content_;
};

}  // namespace kernelsmith::server
