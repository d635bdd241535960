#include "server/gateway/worker_gateway.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/grpc/errors.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

// Reads header and chunks, checks them against the header, stores the content.
absl::StatusOr<v1::ArtifactRef> Receive(grpc::ServerReader<v1::UploadArtifactRequest>& reader,
                                        const common::ContentStore& store) {
  v1::UploadArtifactRequest part;
  if (!reader.Read(&part) || !part.has_header()) {
    return common::InvalidField("part", "the first message of an upload is the header");
  }
  const v1::ArtifactRef header = part.header();
  if (header.size_bytes() < 0 || header.size_bytes() > kMaxArtifactBytes) {
    return common::InvalidField("header.size_bytes",
                                absl::StrCat("is ", header.size_bytes(), "; at most ", kMaxArtifactBytes));
  }
  std::string content;
  while (reader.Read(&part)) {
    if (part.part_case() != v1::UploadArtifactRequest::kChunk || part.chunk().size() > kArtifactChunkBytes) {
      return common::InvalidField(
          "chunk", absl::StrCat("after the header come chunks of at most ", kArtifactChunkBytes, " bytes"));
    }
    content += part.chunk();
    if (static_cast<int64_t>(content.size()) > header.size_bytes()) break;
  }
  const std::string digest = common::DigestOf(content);
  if (static_cast<int64_t>(content.size()) != header.size_bytes() || digest != header.digest()) {
    return absl::DataLossError(absl::StrCat("upload of '", header.name(), "' was damaged: expected ",
                                            header.size_bytes(), " bytes with ", header.digest(), ", got ",
                                            content.size(), " with ", digest, "; send it again"));
  }
  return store.Put(content, header.name(), header.media_type());
}

}  // namespace

common::MethodRoles WorkerGatewayRoles() {
  return {{"/kernelsmith.v1.WorkerGateway/Synchronize", common::Role::kWorker},
          {"/kernelsmith.v1.WorkerGateway/UploadArtifact", common::Role::kWorker},
          {"/kernelsmith.v1.WorkerGateway/DownloadArtifact", common::Role::kWorker}};
}

grpc::Status WorkerGateway::Synchronize(grpc::ServerContext*, const v1::SynchronizeRequest* request,
                                        v1::SynchronizeResponse* response) {
  auto answer = queue_.Synchronize(*request);
  if (!answer.ok()) return common::ToGrpc(answer.status());
  *response = *std::move(answer);
  return grpc::Status::OK;
}

grpc::Status WorkerGateway::UploadArtifact(grpc::ServerContext*, grpc::ServerReader<v1::UploadArtifactRequest>* reader,
                                           v1::UploadArtifactResponse* response) {
  auto stored = Receive(*reader, content_);
  if (!stored.ok()) return common::ToGrpc(stored.status());
  *response->mutable_artifact() = *std::move(stored);
  return grpc::Status::OK;
}

grpc::Status WorkerGateway::DownloadArtifact(grpc::ServerContext*, const v1::DownloadArtifactRequest* request,
                                             grpc::ServerWriter<v1::DownloadArtifactResponse>* writer) {
  const auto content = content_.Get(request->digest());
  if (!content.ok()) return common::ToGrpc(content.status());
  for (size_t at = 0; at < content->size(); at += kArtifactChunkBytes) {
    v1::DownloadArtifactResponse part;
    part.set_chunk(content->substr(at, kArtifactChunkBytes));
    if (!writer->Write(part)) break;  // the caller went away
  }
  return grpc::Status::OK;
}

}  // namespace kernelsmith::server
