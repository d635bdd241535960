// The daemon: its configuration, what it refuses, and its health port.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include "common/file_io.h"
#include "common/grpc/channel.h"
#include "common/status.h"
#include "worker/daemon.h"

namespace kernelsmith::worker {
namespace {

config::v1::WorkerConfig Minimal() {
  config::v1::WorkerConfig config;
  config.mutable_coordinator()->set_address("127.0.0.1:7401");
  config.set_data_dir("/var/lib/worker");
  return config;
}

TEST(WorkerConfigTest, EveryOtherFieldHasADefault) {
  const auto config = CompleteConfig(Minimal(), "host-a");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->card_kind(), "cpu");
  EXPECT_EQ(config->card_id(), "cpu0");
  EXPECT_EQ(config->worker_id(), "host-a-cpu0");
  EXPECT_EQ(config->required_isolation(), "bwrap");
  EXPECT_FALSE(config->lock_dir().empty());
  EXPECT_DOUBLE_EQ(config->noise_limit(), 0.25);
  EXPECT_EQ(config->reference_cache_bytes(), int64_t{2} << 30);
  EXPECT_EQ(config->compile_cache_bytes(), int64_t{1} << 30);
}

TEST(WorkerConfigTest, GivenFieldsAreKept) {
  auto given = Minimal();
  given.set_card_id("cpu7");
  given.set_worker_id("w");
  given.set_required_isolation("rlimits");
  given.set_noise_limit(2);
  const auto config = CompleteConfig(given, "host-a");
  EXPECT_EQ(config->worker_id(), "w");
  EXPECT_EQ(config->card_id(), "cpu7");
  EXPECT_EQ(config->required_isolation(), "rlimits");
  EXPECT_DOUBLE_EQ(config->noise_limit(), 2);
}

TEST(WorkerConfigTest, WhatCannotWorkIsNamedByField) {
  const auto field = [](const config::v1::WorkerConfig& config) {
    return common::FieldOf(CompleteConfig(config, "host-a").status());
  };
  auto config = Minimal();
  config.clear_coordinator();
  EXPECT_EQ(field(config), "coordinator.address");
  config = Minimal();
  config.clear_data_dir();
  EXPECT_EQ(field(config), "data_dir");
  config = Minimal();
  config.set_card_kind("abacus");
  EXPECT_EQ(field(config), "card_kind");
  config = Minimal();
  config.set_card_id("../cpu0");
  EXPECT_EQ(field(config), "card_id");
  config = Minimal();
  config.set_required_isolation("hope");
  EXPECT_EQ(field(config), "required_isolation");
}

TEST(IsolationTest, LessThanWhatIsRequiredIsRefusedWithWhatToDo) {
  EXPECT_TRUE(CheckIsolation("bwrap", "bwrap(user,pid,net)+rlimits").ok());
  EXPECT_TRUE(CheckIsolation("rlimits", "rlimits").ok());
  EXPECT_TRUE(CheckIsolation("rlimits", "bwrap(user,pid,net)+rlimits").ok());
  const absl::Status refused = CheckIsolation("bwrap", "rlimits");
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("install bubblewrap"));
}

// A daemon whose coordinator is not there.
class DaemonTest : public testing::Test {
 protected:
  config::v1::WorkerConfig Config(const std::string& card_id) {
    config::v1::WorkerConfig config;
    config.mutable_coordinator()->set_address("127.0.0.1:1");
    config.set_data_dir(folder_.path() + "/" + card_id);
    config.set_lock_dir(folder_.path() + "/locks");
    config.set_card_id(card_id);
    config.set_required_isolation("rlimits");
    config.set_noise_limit(1000);
    return config;
  }
  std::unique_ptr<Daemon> Start() {
    config::v1::Listen listen;
    listen.set_port_file(folder_.path() + "/port");
    auto daemon = Daemon::Start(Config("cpu0"), listen, metrics_, [] {});
    EXPECT_TRUE(daemon.ok()) << daemon.status();
    return daemon.ok() ? *std::move(daemon) : nullptr;
  }
  // Sends one message to a method by its name, and returns the bytes of the first answer.
  std::string Ask(const std::string& method, const std::string& request) {
    config::v1::Remote remote;
    remote.set_address(*common::ReadFile(folder_.path() + "/port"));
    const auto connection = common::Connection::Open(remote);
    EXPECT_TRUE(connection.ok()) << connection.status();
    const auto context = connection->Context(absl::Seconds(30));
    grpc::GenericStub stub(connection->channel());
    grpc::CompletionQueue queue;
    const auto step = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    const auto call = stub.PrepareCall(context.get(), method, &queue);
    call->StartCall(nullptr);
    EXPECT_TRUE(step()) << method;
    const grpc::Slice slice(request);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    EXPECT_TRUE(step()) << method;
    call->WritesDone(nullptr);
    EXPECT_TRUE(step()) << method;
    grpc::ByteBuffer answer;
    call->Read(&answer, nullptr);
    EXPECT_TRUE(step()) << method;
    grpc::Status status;
    call->Finish(&status, nullptr);
    EXPECT_TRUE(step()) << method;
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::vector<grpc::Slice> parts;
    std::string bytes;
    EXPECT_TRUE(answer.Dump(&parts).ok());
    for (const grpc::Slice& part : parts) bytes.append(reinterpret_cast<const char*>(part.begin()), part.size());
    return bytes;
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("daemon-test");
  common::Metrics metrics_;
};

TEST_F(DaemonTest, TellsItsHealthAndItsServicesWhetherOrNotTheCoordinatorIsThere) {
  const std::unique_ptr<Daemon> daemon = Start();
  ASSERT_NE(daemon, nullptr);
  // HealthCheckResponse { status: SERVING }
  EXPECT_EQ(Ask("/grpc.health.v1.Health/Check", ""), std::string("\x08\x01", 2));
  // ServerReflectionRequest { list_services: "*" }
  EXPECT_THAT(Ask("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "\x3a\x01*"),
              testing::HasSubstr("grpc.reflection.v1alpha.ServerReflection"));
  EXPECT_TRUE(daemon->Drain().ok());
}

TEST_F(DaemonTest, ACardHasOneWorker) {
  const std::unique_ptr<Daemon> daemon = Start();
  ASSERT_NE(daemon, nullptr);
  common::Metrics other;
  const auto second = Daemon::Start(Config("cpu0"), {}, other, [] {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(daemon->Drain().ok());
}

}  // namespace
}  // namespace kernelsmith::worker
