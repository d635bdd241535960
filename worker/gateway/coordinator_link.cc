#include "worker/gateway/coordinator_link.h"

#include <utility>

#include "common/content_store.h"
#include "common/grpc/errors.h"

namespace kernelsmith::worker {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
constexpr absl::Duration kUploadLimit = absl::Seconds(60);
constexpr absl::Duration kAnswerLimit = absl::Seconds(10);  // beyond the time that the coordinator may hold it back

}  // namespace

std::shared_ptr<CoordinatorLink::Call> CoordinatorLink::Synchronize(v1::SynchronizeRequest request, Done done) {
  auto call = std::make_shared<Call>();
  call->context_ = connection_.Context(absl::Milliseconds(request.max_wait_ms()) + kAnswerLimit);
  call->request_ = std::move(request);
  stub_->async()->Synchronize(call->context_.get(), &call->request_, &call->response_,
                              [call, done = std::move(done)](grpc::Status status) {
                                if (status.ok()) {
                                  done(std::move(call->response_));
                                } else {
                                  done(common::FromGrpc(status));
                                }
                              });
  return call;
}

absl::StatusOr<v1::ArtifactRef> CoordinatorLink::Upload(const std::string& name, const std::string& media_type,
                                                        const std::string& content) {
  const auto context = connection_.Context(kUploadLimit);
  v1::UploadArtifactResponse response;
  const auto writer = stub_->UploadArtifact(context.get(), &response);
  v1::UploadArtifactRequest part;
  part.mutable_header()->set_digest(common::DigestOf(content));
  part.mutable_header()->set_size_bytes(static_cast<int64_t>(content.size()));
  part.mutable_header()->set_name(name);
  part.mutable_header()->set_media_type(media_type);
  bool open = writer->Write(part);
  for (size_t at = 0; open && at < content.size(); at += kChunkBytes) {
    part.set_chunk(content.substr(at, kChunkBytes));
    open = writer->Write(part);
  }
  writer->WritesDone();
  const absl::Status status = common::FromGrpc(writer->Finish());
  if (!status.ok()) return status;
  return response.artifact();
}

}  // namespace kernelsmith::worker
