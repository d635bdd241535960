// Dead letters through gRPC: who may see and replay them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/api/api_fixture.h"

namespace kernelsmith::server {
namespace {

using grpc::StatusCode;

TEST_F(ApiTest, AnAdministratorOfTheTeamReplaysALostJobAfterARestart) {
  const auto give_up_at_once = [](config::v1::CoordinatorConfig& config) {
    config.set_max_infrastructure_failures(1);
    config.set_quarantine_after(100);
  };
  StartCoordinator(give_up_at_once);
  v1::SubmitJobRequest request = SubmitRequest("r1");
  request.mutable_spec()->mutable_task()->mutable_kernelbench()->set_source("lost host");
  const std::string job_id = Submit(kRed, request);
  ASSERT_TRUE(Reaches(kRed, job_id, v1::FAILED));
  StartCoordinator(give_up_at_once);
  worker_.Mend();

  v1::ListDeadLettersResponse listed;
  ASSERT_TRUE(stub().ListDeadLetters(As(kAdmin).get(), {}, &listed).ok());
  EXPECT_EQ(listed.letters_size(), 0) << "they belong to another team";
  ASSERT_TRUE(stub().ListDeadLetters(As(kRedAdmin).get(), {}, &listed).ok());
  ASSERT_EQ(listed.letters_size(), 1);
  EXPECT_EQ(listed.letters(0).job_id(), job_id);

  v1::ReplayDeadLetterRequest replay;
  replay.set_id(listed.letters(0).id());
  v1::ReplayDeadLetterResponse replayed;
  EXPECT_EQ(stub().ReplayDeadLetter(As(kRed).get(), replay, &replayed).error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(stub().ReplayDeadLetter(As(kAdmin).get(), replay, &replayed).error_code(), StatusCode::NOT_FOUND);
  ASSERT_TRUE(stub().ReplayDeadLetter(As(kRedAdmin).get(), replay, &replayed).ok());
  EXPECT_TRUE(Reaches(kRed, job_id, v1::SUCCEEDED)) << GetJob(kRed, job_id).reason();
  EXPECT_EQ(stub().ReplayDeadLetter(As(kRedAdmin).get(), replay, &replayed).error_code(), StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace kernelsmith::server
