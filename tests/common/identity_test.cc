#include "common/grpc/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "common/grpc/channel.h"
#include "common/grpc/errors.h"
#include "common/grpc/server.h"
#include "common/hash.h"
#include "kernelsmith/v1/memory.grpc.pb.h"
#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

// Answers with the team that the processor found.
class EchoTeam : public v1::ExperienceMemory::Service {
  grpc::Status GetItem(grpc::ServerContext* context, const v1::GetItemRequest*,
                       v1::GetItemResponse* response) override {
    EXPECT_EQ(context->client_metadata().count("authorization"), 0u) << "handlers need no token";
    response->mutable_item()->set_id(IdentityOf(*context).team);
    return grpc::Status::OK;
  }
  grpc::Status Stats(grpc::ServerContext*, const v1::StatsRequest*, v1::StatsResponse*) override {
    ADD_FAILURE() << "a method without a role must not be reached";
    return grpc::Status::OK;
  }
};

class IdentityTest : public ::testing::Test {
 protected:
  void Start(bool token_file) {
    GrpcServer::Options options;
    options.method_roles = {{"/kernelsmith.v1.ExperienceMemory/GetItem", Role::kRead},
                            {"/kernelsmith.v1.ExperienceMemory/Retrieve", Role::kAdmin}};
    if (token_file) {
      const std::string path = folder_.path() + "/tokens";
      const std::string text = Sha256Hex("good") + " red submit\n" + Sha256Hex("other") + " blue read\n";
      ASSERT_TRUE(WriteFileAtomically(path, text).ok());
      options.listen.set_token_file(path);
    }
    server_ = GrpcServer::Start(options, {&service_}).value();
  }

  std::unique_ptr<v1::ExperienceMemory::Stub> Dial(const std::string& token) {
    config::v1::Remote remote;
    remote.set_address(server_->address());
    if (!token.empty()) {
      remote.set_token_file(folder_.path() + "/token");
      EXPECT_TRUE(WriteFileAtomically(remote.token_file(), token + "\n").ok());
    }
    connection_ = std::make_unique<Connection>(Connection::Open(remote).value());
    return v1::ExperienceMemory::NewStub(connection_->channel());
  }

  absl::StatusOr<std::string> TeamSeen(const std::string& token) {
    auto stub = Dial(token);
    auto context = connection_->Context(absl::Seconds(10));
    v1::GetItemResponse response;
    const absl::Status status = FromGrpc(stub->GetItem(context.get(), {}, &response));
    if (!status.ok()) return status;
    return response.item().id();
  }

  TemporaryFolder folder_ = TestFolder();
  EchoTeam service_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(IdentityTest, LoopbackWithoutATokenIsTeamLocal) {
  Start(/*token_file=*/false);
  EXPECT_EQ(TeamSeen("").value(), "local");
}

TEST_F(IdentityTest, ATokenNamesTheTeam) {
  Start(/*token_file=*/true);
  EXPECT_EQ(TeamSeen("good").value(), "red");
}

TEST_F(IdentityTest, NoTokenAndUnknownTokensAreRefusedWhereATokenFileIsSet) {
  Start(/*token_file=*/true);
  EXPECT_EQ(TeamSeen("").status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(TeamSeen("bad").status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(TeamSeen("").status().message()), ::testing::HasSubstr("needs a token"));
}

TEST_F(IdentityTest, ARoleThatIsMissingIsNamed) {
  Start(/*token_file=*/true);
  auto stub = Dial("good");
  auto context = connection_->Context(absl::Seconds(10));
  v1::RetrieveResponse response;
  const absl::Status status = FromGrpc(stub->Retrieve(context.get(), {}, &response));
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("needs role admin"));
}

TEST_F(IdentityTest, AMethodWithoutARoleIsRefused) {
  Start(/*token_file=*/false);
  auto stub = Dial("");
  auto context = connection_->Context(absl::Seconds(10));
  v1::StatsResponse response;
  EXPECT_EQ(stub->Stats(context.get(), {}, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

// gRPC's auth context belongs to the connection, so the identity must not be kept there.
TEST_F(IdentityTest, CallsOfTwoTeamsOverOneConnectionAreToldApart) {
  Start(/*token_file=*/true);
  const auto stub = Dial("");
  std::vector<std::thread> callers;
  for (const auto& [token, team] : {std::pair("good", "red"), std::pair("other", "blue")}) {
    callers.emplace_back([&stub, token = token, team = team] {
      for (int i = 0; i < 200; ++i) {
        grpc::ClientContext context;
        context.AddMetadata("authorization", std::string("Bearer ") + token);
        v1::GetItemResponse response;
        EXPECT_TRUE(stub->GetItem(&context, {}, &response).ok());
        EXPECT_EQ(response.item().id(), team);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(IdentityTest, AForgedIdentityIsIgnoredAndASecondTokenRefused) {
  Start(/*token_file=*/true);
  const auto stub = Dial("");
  grpc::ClientContext forged;
  forged.AddMetadata("authorization", "Bearer good");
  forged.AddMetadata("kernelsmith-team", "blue");
  v1::GetItemResponse response;
  ASSERT_TRUE(stub->GetItem(&forged, {}, &response).ok());
  EXPECT_EQ(response.item().id(), "red");
  grpc::ClientContext twice;
  twice.AddMetadata("authorization", "Bearer good");
  twice.AddMetadata("authorization", "Bearer other");
  EXPECT_EQ(stub->GetItem(&twice, {}, &response).error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace kernelsmith::common
