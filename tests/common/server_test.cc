#include "common/grpc/server.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "common/grpc/channel.h"
#include "common/status.h"
#include "kernelsmith/v1/memory.grpc.pb.h"
#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

TEST(GrpcServer, WritesTheBoundAddressToThePortFile) {
  const TemporaryFolder folder = TestFolder();
  GrpcServer::Options options;
  options.listen.set_port_file(folder.path() + "/port");
  v1::ExperienceMemory::Service service;
  const auto server = GrpcServer::Start(options, {&service}).value();
  EXPECT_EQ(ReadFile(folder.path() + "/port").value(), server->address());
}

TEST(GrpcServer, RefusesPlainTextOnAnAddressThatIsNotLoopback) {
  GrpcServer::Options options;
  options.listen.set_address("0.0.0.0:0");
  v1::ExperienceMemory::Service service;
  EXPECT_EQ(FieldOf(GrpcServer::Start(options, {&service}).status()), "listen.address");
}

TEST(GrpcServer, SaysThatAPortIsTaken) {
  v1::ExperienceMemory::Service service;
  const auto first = GrpcServer::Start({}, {&service}).value();
  GrpcServer::Options options;
  options.listen.set_address(first->address());
  v1::ExperienceMemory::Service other;
  const auto second = GrpcServer::Start(options, {&other});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), ::testing::HasSubstr(first->address()));
}

TEST(GrpcServer, CountsCallsByMethodAndCode) {
  Metrics metrics;
  GrpcServer::Options options;
  options.method_roles = {{"/kernelsmith.v1.ExperienceMemory/Stats", Role::kRead}};
  options.metrics = &metrics;
  v1::ExperienceMemory::Service service;  // answers UNIMPLEMENTED
  const auto server = GrpcServer::Start(options, {&service}).value();
  config::v1::Remote remote;
  remote.set_address(server->address());
  const Connection connection = Connection::Open(remote).value();
  auto context = connection.Context(absl::Seconds(10));
  v1::StatsResponse response;
  v1::ExperienceMemory::NewStub(connection.channel())->Stats(context.get(), {}, &response);
  EXPECT_EQ(metrics
                .AddCounter("kernelsmith_rpc_calls_total", "Calls served, by method and canonical status code",
                            {{"method", "/kernelsmith.v1.ExperienceMemory/Stats"}, {"code", "12"}})
                .Value(),
            1);
}

TEST(Connection, RefusesAnEmptyAddressAndPlainTextToAnotherHost) {
  config::v1::Remote remote;
  EXPECT_EQ(FieldOf(Connection::Open(remote).status()), "address");
  remote.set_address("192.0.2.1:7000");
  EXPECT_EQ(FieldOf(Connection::Open(remote).status()), "address");
}

TEST(IsLoopbackAddress, KnowsLoopbackForms) {
  for (const char* yes : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:5", "localhost:80"}) EXPECT_TRUE(IsLoopbackAddress(yes));
  for (const char* no : {"0.0.0.0:1", "10.0.0.1:1", "[::]:5", "localhost.example:80"})
    EXPECT_FALSE(IsLoopbackAddress(no));
}

}  // namespace
}  // namespace kernelsmith::common
