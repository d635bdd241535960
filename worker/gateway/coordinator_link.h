// The worker's calls to the coordinator's WorkerGateway.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/grpc/channel.h"
#include "kernelsmith/v1/worker.grpc.pb.h"

namespace kernelsmith::worker {

// Thread-safe.
class CoordinatorLink {
 public:
  explicit CoordinatorLink(common::Connection connection)
      : connection_(std::move(connection)), stub_(v1::WorkerGateway::NewStub(connection_.channel())) {}

  // A Synchronize that can be given up, because there is something newer to say.
  class Call {
   public:
    void Cancel() { context_->TryCancel(); }

   private:
    friend class CoordinatorLink;
    std::unique_ptr<grpc::ClientContext> context_;
    v1::SynchronizeRequest request_;
    v1::SynchronizeResponse response_;
  };
  // `done` is called once, on a gRPC thread, with CANCELLED after Cancel. The call must be kept until then.
  using Done = std::function<void(absl::StatusOr<v1::SynchronizeResponse>)>;
  std::shared_ptr<Call> Synchronize(v1::SynchronizeRequest request, Done done);

  // Stores a file with the coordinator.
  absl::StatusOr<v1::ArtifactRef> Upload(const std::string& name, const std::string& media_type,
                                         const std::string& content);

 private:
  const common::Connection connection_;
  const std::unique_ptr<v1::WorkerGateway::Stub> stub_;
};

}  // namespace kernelsmith::worker
