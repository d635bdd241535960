#include "server/gateway/worker_gateway.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "common/grpc/server.h"
#include "common/hash.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

class WorkerGatewayTest : public ::testing::Test {
 protected:
  WorkerGatewayTest()
      : folder_(*common::TemporaryFolder::Make("gateway")),
        content_(*common::ContentStore::Open(folder_.path() + "/content")),
        queue_(*EvaluationQueue::Open(folder_.path(), {}, clock_, metrics_)),
        gateway_(*queue_, content_) {
    const std::string tokens = absl::StrCat(common::Sha256Hex("worker-token"), " fleet worker\n",
                                            common::Sha256Hex("admin-token"), " a admin\n");
    EXPECT_TRUE(common::WriteFileAtomically(folder_.path() + "/tokens", tokens).ok());
    EXPECT_TRUE(common::WriteFileAtomically(folder_.path() + "/worker", "worker-token\n").ok());
    EXPECT_TRUE(common::WriteFileAtomically(folder_.path() + "/admin", "admin-token\n").ok());
    common::GrpcServer::Options options;
    options.listen.set_token_file(folder_.path() + "/tokens");
    options.method_roles = WorkerGatewayRoles();
    auto server = common::GrpcServer::Start(options, {&gateway_});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  ~WorkerGatewayTest() override { queue_->Stop(); }

  // What a caller with this token file ("" for none) may do.
  struct Caller {
    common::Connection connection;
    std::unique_ptr<v1::WorkerGateway::Stub> stub;
    std::unique_ptr<grpc::ClientContext> context;
  };
  Caller As(const std::string& token_file) {
    config::v1::Remote remote;
    remote.set_address(server_->address());
    if (!token_file.empty()) remote.set_token_file(folder_.path() + "/" + token_file);
    auto connection = *common::Connection::Open(remote);
    auto stub = v1::WorkerGateway::NewStub(connection.channel());
    auto context = connection.Context(absl::Seconds(20));
    return {std::move(connection), std::move(stub), std::move(context)};
  }

  absl::Status Synchronize(const std::string& token_file) {
    Caller caller = As(token_file);
    v1::SynchronizeRequest request;
    request.set_worker_id("w1");
    request.set_instance("i1");
    request.mutable_card()->set_kind("cpu");
    v1::SynchronizeResponse response;
    return common::FromGrpc(caller.stub->Synchronize(caller.context.get(), request, &response));
  }
  absl::StatusOr<v1::ArtifactRef> Upload(const std::string& token_file, const v1::ArtifactRef& header,
                                         const std::vector<std::string>& chunks, bool with_header = true) {
    Caller caller = As(token_file);
    v1::UploadArtifactResponse response;
    const auto writer = caller.stub->UploadArtifact(caller.context.get(), &response);
    v1::UploadArtifactRequest part;
    if (with_header) {
      *part.mutable_header() = header;
      writer->Write(part);
    }
    for (const auto& chunk : chunks) {
      part.set_chunk(chunk);
      if (!writer->Write(part)) break;
    }
    writer->WritesDone();
    const absl::Status status = common::FromGrpc(writer->Finish());
    if (!status.ok()) return status;
    return response.artifact();
  }
  absl::StatusOr<std::string> Download(const std::string& token_file, const std::string& digest) {
    Caller caller = As(token_file);
    v1::DownloadArtifactRequest request;
    request.set_digest(digest);
    const auto reader = caller.stub->DownloadArtifact(caller.context.get(), request);
    v1::DownloadArtifactResponse part;
    std::string content;
    while (reader->Read(&part)) {
      EXPECT_LE(part.chunk().size(), kArtifactChunkBytes);
      content += part.chunk();
    }
    const absl::Status status = common::FromGrpc(reader->Finish());
    if (!status.ok()) return status;
    return content;
  }
  static v1::ArtifactRef HeaderOf(const std::string& content) {
    v1::ArtifactRef header;
    header.set_digest(common::DigestOf(content));
    header.set_size_bytes(static_cast<int64_t>(content.size()));
    header.set_name("compiler.log");
    header.set_media_type("text/plain");
    return header;
  }

  common::TemporaryFolder folder_;
  common::ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  common::Metrics metrics_;
  common::ContentStore content_;
  std::unique_ptr<EvaluationQueue> queue_;
  WorkerGateway gateway_;
  std::unique_ptr<common::GrpcServer> server_;
};

TEST_F(WorkerGatewayTest, NoCallIsOpenToACallerWithoutAToken) {
  EXPECT_EQ(Synchronize("").code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(Upload("", HeaderOf("x"), {"x"}).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(Download("", common::DigestOf("x")).status().code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(WorkerGatewayTest, NoCallIsOpenToAnotherRoleNotEvenAdmin) {
  EXPECT_EQ(Synchronize("admin").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Upload("admin", HeaderOf("x"), {"x"}).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Download("admin", common::DigestOf("x")).status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(WorkerGatewayTest, AWorkerMaySynchronize) { EXPECT_TRUE(Synchronize("worker").ok()); }

TEST_F(WorkerGatewayTest, FilesGoThereAndComeBack) {
  const std::string content(3 * kArtifactChunkBytes + 17, 'x');
  std::vector<std::string> chunks;
  for (size_t at = 0; at < content.size(); at += kArtifactChunkBytes) {
    chunks.push_back(content.substr(at, kArtifactChunkBytes));
  }
  const auto stored = Upload("worker", HeaderOf(content), chunks);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->digest(), common::DigestOf(content));
  EXPECT_EQ(stored->name(), "compiler.log");
  const auto back = Download("worker", stored->digest());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == content);
}

TEST_F(WorkerGatewayTest, AnEmptyFileIsAFile) { EXPECT_TRUE(Upload("worker", HeaderOf(""), {}).ok()); }

TEST_F(WorkerGatewayTest, ADamagedUploadIsDataLossAndStoresNothing) {
  const struct {
    const char* name;
    std::vector<std::string> chunks;
  } cases[] = {{"other bytes", {"hellO"}}, {"cut short", {"hell"}}, {"too long", {"hello", "!"}}};
  for (const auto& c : cases) {
    EXPECT_EQ(Upload("worker", HeaderOf("hello"), c.chunks).status().code(), absl::StatusCode::kDataLoss) << c.name;
  }
  EXPECT_FALSE(content_.Contains(common::DigestOf("hello")));
  EXPECT_FALSE(content_.Contains(common::DigestOf("hellO")));
}

TEST_F(WorkerGatewayTest, AnUploadThatBreaksTheProtocolNamesTheField) {
  EXPECT_EQ(common::FieldOf(Upload("worker", {}, {"x"}, /*with_header=*/false).status()), "part");
  EXPECT_EQ(common::FieldOf(Upload("worker", {}, {}, /*with_header=*/false).status()), "part");
  v1::ArtifactRef huge = HeaderOf("x");
  huge.set_size_bytes(kMaxArtifactBytes + 1);
  EXPECT_EQ(common::FieldOf(Upload("worker", huge, {}).status()), "header.size_bytes");
  const std::string big(kArtifactChunkBytes + 1, 'x');
  EXPECT_EQ(common::FieldOf(Upload("worker", HeaderOf(big), {big}).status()), "chunk");
}

TEST_F(WorkerGatewayTest, AFileThatIsNotThereIsNotFound) {
  EXPECT_EQ(Download("worker", common::DigestOf("absent")).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace kernelsmith::server
