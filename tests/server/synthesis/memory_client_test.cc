// The memory through gRPC: which team a call acts for, and what a memory that is down looks like.
#include "server/synthesis/memory_client.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/grpc/server.h"
#include "common/hash.h"
#include "common/status.h"
#include "memory/service/experience_service.h"

namespace kernelsmith::server {
namespace {

class MemoryClientTest : public testing::Test {
 protected:
  MemoryClientTest() : folder_(*common::TemporaryFolder::Make("memory-client")), memory_metrics_(metrics_) {
    experience_ =
        std::move(memory::Experience::Open(folder_.path() + "/memory", common::Clock::Real(), memory_metrics_)).value();
    service_ = std::make_unique<memory::ExperienceService>(*experience_, memory_metrics_);
    Write("tokens", absl::StrCat(common::Sha256Hex("common-token"), " common submit\n", common::Sha256Hex("red-token"),
                                 " red submit\n"));
    Write("common", "common-token");
    Write("red", "red-token");
    config::v1::Listen listen;
    listen.set_token_file(folder_.path() + "/tokens");
    server_ =
        std::move(common::GrpcServer::Start(
                      {.listen = listen, .method_roles = memory::MemoryRoles(), .metrics = nullptr}, {service_.get()}))
            .value();
    config_.mutable_memory()->set_address(server_->address());
    config_.mutable_memory()->set_token_file(folder_.path() + "/common");
    config_.add_teams()->set_team("red");
    config_.mutable_teams(0)->set_memory_token_file(folder_.path() + "/red");
  }

  void Write(const std::string& name, const std::string& content) {
    EXPECT_TRUE(common::WriteFileAtomically(folder_.path() + "/" + name, content).ok());
  }
  static v1::RecordAttemptRequest Attempt() {
    v1::RecordAttemptRequest request;
    request.set_producer("coordinator-1");
    request.set_attempt_id("job-1/1");
    request.mutable_case_()->set_operator_name("softmax");
    request.mutable_case_()->set_status(v1::PASSED);
    return request;
  }

  const common::TemporaryFolder folder_;
  common::Metrics metrics_;
  memory::MemoryMetrics memory_metrics_;
  std::unique_ptr<memory::Experience> experience_;
  std::unique_ptr<memory::ExperienceService> service_;
  std::unique_ptr<common::GrpcServer> server_;
  config::v1::CoordinatorConfig config_;
};

TEST_F(MemoryClientTest, KeepsATeamWithATokenOfItsOwnApart) {
  auto client = MemoryClient::Open(config_);
  ASSERT_TRUE(client.ok()) << client.status();
  ASSERT_TRUE((*client)->RecordAttempt("red", Attempt()).ok());
  EXPECT_EQ(experience_->Stats("red", {})->attempts(), 1);
  EXPECT_EQ(experience_->Stats("common", {})->attempts(), 0);
  ASSERT_TRUE((*client)->RecordAttempt("blue", Attempt()).ok());
  EXPECT_EQ(experience_->Stats("common", {})->attempts(), 1);
}

TEST_F(MemoryClientTest, PassesRefusalsOnAndCallsADeadMemoryRetryable) {
  auto client = MemoryClient::Open(config_);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ((*client)->RecordAttempt("red", {}).status().code(), absl::StatusCode::kInvalidArgument);
  server_->Shutdown(absl::ZeroDuration());
  EXPECT_TRUE(common::IsRetryable((*client)->RecordAttempt("red", Attempt()).status()));
}

TEST_F(MemoryClientTest, NamesTheTeamWhoseTokenFileIsMissing) {
  config_.mutable_teams(0)->set_memory_token_file(folder_.path() + "/nowhere");
  const absl::Status status = MemoryClient::Open(config_).status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("team red"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace kernelsmith::server
