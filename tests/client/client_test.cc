#include "kernelsmith/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/time/clock.h"
#include "common/content_store.h"
#include "common/file_io.h"
#include "kernelsmith/client/kernel_folder.h"
#include "kernelsmith/client/memory.h"
#include "tests/client/example_job.h"
#include "tests/client/fake_server.h"

namespace kernelsmith::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const grpc::Status kUnavailable(grpc::StatusCode::UNAVAILABLE, "starting");

class ClientCalls : public testing::Test {
 protected:
  ClientCalls() { server_.coordinator.AddJob(ExampleJob(), ExampleEvents(), ExampleAttempts()); }

  Client Connect(absl::Duration retry_for = absl::Seconds(10)) {
    return *Client::Connect({.address = server_.address(), .retry_for = retry_for});
  }
  // Sequences that a watch shows.
  absl::Status Watch(const WatchOptions& options, std::vector<uint64_t>& seen, std::stop_token stop = {}) {
    return Connect().WatchJob(
        "j-1", options,
        [&seen](const v1::JobEvent& event) {
          seen.push_back(event.sequence());
          return true;
        },
        stop);
  }

  FakeServer server_;
};

TEST_F(ClientCalls, AnUnavailableServerIsAskedAgain) {
  server_.coordinator.FailNext("GetJob", kUnavailable);
  server_.coordinator.FailNext("GetJob", kUnavailable);
  const auto job = Connect().GetJob("j-1");
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->id(), "j-1");
  EXPECT_EQ(server_.coordinator.Calls("GetJob"), 3);
}

TEST_F(ClientCalls, OtherErrorsAreNotRepeated) {
  server_.coordinator.FailNext("GetJob", {grpc::StatusCode::FAILED_PRECONDITION, "no"});
  const auto job = Connect().GetJob("j-1");
  EXPECT_TRUE(absl::IsFailedPrecondition(job.status()));
  EXPECT_EQ(server_.coordinator.Calls("GetJob"), 1);
}

TEST_F(ClientCalls, ASubmissionIsRepeatedUnderTheSameRequestId) {
  server_.coordinator.SetSubmitted(ExampleJob());
  server_.coordinator.FailNext("SubmitJob", kUnavailable);
  ASSERT_TRUE(Connect().SubmitJob({}).ok());
  const auto ids = server_.coordinator.SubmitRequestIds();
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_THAT(ids[0], Not(IsEmpty()));
}

TEST_F(ClientCalls, AServerThatIsAwayIsNamedInTheError) {
  const std::string address = server_.address();
  server_.Stop();
  const auto job = Connect(absl::ZeroDuration()).GetJob("j-1");
  EXPECT_TRUE(absl::IsUnavailable(job.status()));
  EXPECT_THAT(std::string(job.status().message()), HasSubstr(address));
}

TEST_F(ClientCalls, TheTokenGoesWithEveryCall) {
  ASSERT_TRUE(Client::Connect({.address = server_.address(), .token = "secret"})->ListCards().ok());
  EXPECT_EQ(server_.coordinator.LastToken(), "Bearer secret");
}

TEST_F(ClientCalls, PlainTextToAnotherHostIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(Client::Connect({.address = "10.0.0.1:1"}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Client::Connect({}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(MemoryClient::Connect({}).status()));
}

TEST_F(ClientCalls, AWatchShowsEveryEventOnceInOrder) {
  std::vector<uint64_t> seen;
  EXPECT_TRUE(Watch({}, seen).ok());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(ClientCalls, ABrokenWatchResumesAfterTheLastEventSeen) {
  server_.coordinator.BreakNextWatch(3, kUnavailable);
  server_.coordinator.BreakNextWatch(0, {grpc::StatusCode::CANCELLED, "shutting down"});
  server_.coordinator.BreakNextWatch(2, grpc::Status::OK);  // the server ended the stream, the job goes on
  std::vector<uint64_t> seen;
  int reconnects = 0;
  WatchOptions options;
  options.on_reconnect = [&reconnects](const absl::Status&) { ++reconnects; };
  EXPECT_TRUE(Watch(options, seen).ok());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(server_.coordinator.WatchedFrom(), ElementsAre(0, 3, 3, 5));
  EXPECT_EQ(reconnects, 3);
}

TEST_F(ClientCalls, AWatchSurvivesARestartOfTheServer) {
  server_.coordinator.HoldWatches(true);
  std::vector<uint64_t> seen;
  absl::Status status;
  std::thread watcher([&] { status = Watch({}, seen); });
  while (server_.coordinator.OpenWatches() == 0) absl::SleepFor(absl::Milliseconds(2));
  server_.Stop();
  server_.Start();
  watcher.join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(ClientCalls, AWatchThatBeginsAfterTheEndEndsAtOnce) {
  std::vector<uint64_t> seen;
  EXPECT_TRUE(Watch({.from_sequence = 8}, seen).ok());
  EXPECT_THAT(seen, IsEmpty());
}

TEST_F(ClientCalls, AWatchGivesUpWhenTheServerStaysAway) {
  server_.Stop();
  std::vector<uint64_t> seen;
  EXPECT_TRUE(absl::IsUnavailable(Watch({.reconnect_for = absl::Milliseconds(300)}, seen)));
}

TEST_F(ClientCalls, AWatchOfAnUnknownJobIsNotRepeated) {
  const auto status = Connect().WatchJob("j-2", {}, [](const v1::JobEvent&) { return true; });
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(server_.coordinator.Calls("WatchJob"), 1);
}

TEST_F(ClientCalls, AStopRequestEndsASilentWatch) {
  server_.coordinator.HoldWatches(true);
  std::stop_source stop;
  std::vector<uint64_t> seen;
  absl::Status status;
  std::thread watcher([&] { status = Watch({}, seen, stop.get_token()); });
  while (server_.coordinator.OpenWatches() == 0) absl::SleepFor(absl::Milliseconds(2));
  stop.request_stop();
  watcher.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST_F(ClientCalls, TheCallerMayLeaveAWatch) {
  server_.coordinator.HoldWatches(true);
  const auto status = Connect().WatchJob("j-1", {}, [](const v1::JobEvent& event) { return event.sequence() < 2; });
  EXPECT_TRUE(absl::IsCancelled(status));
}

TEST_F(ClientCalls, AnEvaluationShowsItsActivitiesThenTheReport) {
  server_.coordinator.SetReport(ExampleReport(), {"compiling", "verifying"});
  server_.coordinator.FailNext("Evaluate", kUnavailable);
  std::vector<std::string> activities;
  const auto report = Connect().Evaluate({}, [&](const std::string& activity) { activities.push_back(activity); });
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->status(), v1::PASSED);
  EXPECT_THAT(activities, ElementsAre("compiling", "verifying"));
}

TEST_F(ClientCalls, AnArtifactIsCheckedAgainstItsDigest) {
  const std::string digest = common::DigestOf("content");
  server_.coordinator.SetArtifact(digest, "content");
  EXPECT_EQ(*Connect().GetArtifact("j-1", digest), "content");
  server_.coordinator.SetArtifact(digest, "c0ntent");
  EXPECT_TRUE(absl::IsDataLoss(Connect().GetArtifact("j-1", digest).status()));
  EXPECT_TRUE(absl::IsNotFound(Connect().GetArtifact("j-1", "sha256:00").status()));
}

TEST_F(ClientCalls, LogChunksOfOneNameAreJoined) {
  std::vector<v1::GetLogsResponse> parts(3);
  for (auto& part : parts) part.set_round(1);
  parts[0].set_name("prompt");
  parts[0].set_chunk("ab");
  parts[1].set_name("prompt");
  parts[1].set_chunk("cd");
  parts[2].set_name("reply");
  server_.coordinator.SetLogs(parts);
  const auto logs = Connect().GetLogs("j-1", 0);
  ASSERT_TRUE(logs.ok()) << logs.status();
  ASSERT_EQ(logs->size(), 2U);
  EXPECT_EQ((*logs)[0].content, "abcd");
  EXPECT_EQ((*logs)[1].name, "reply");
}

TEST_F(ClientCalls, TheLineageIsReadPageByPage) {
  server_.memory.lineage_pages.resize(3);
  for (auto& page : server_.memory.lineage_pages) page.add_nodes()->set_attempt_id("a");
  const auto nodes = MemoryClient::Connect({.address = server_.address()})->Lineage("j-1", "");
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->size(), 3U);
}

TEST_F(ClientCalls, TheKernelFolderHoldsTheKernelAndItsEvidence) {
  server_.memory.lineage_pages.resize(1);
  server_.memory.lineage_pages[0].add_nodes()->set_attempt_id("j-1/1");
  const MemoryClient memory = *MemoryClient::Connect({.address = server_.address()});
  const auto evidence = FetchEvidence(Connect(), &memory, "j-1");
  ASSERT_TRUE(evidence.ok()) << evidence.status();
  ASSERT_EQ(evidence->chain.size(), 2U);
  EXPECT_EQ(evidence->chain[0].round(), 1);
  const auto base = *common::TemporaryFolder::Make("ks-evidence-test");
  const std::string folder = base.path() + "/deep/best";
  ASSERT_TRUE(WriteKernelFolder(*evidence, folder).ok());
  EXPECT_EQ(*common::ReadFile(folder + "/kernel.cpp"), "// round 2\n");
  EXPECT_THAT(*common::ReadFile(folder + "/task.json"), HasSubstr("\"N\": \"512\""));
  EXPECT_THAT(*common::ReadFile(folder + "/report.json"), HasSubstr("\"PASSED\""));
  EXPECT_THAT(*common::ReadFile(folder + "/job.json"), HasSubstr("\"j-1\""));
  EXPECT_THAT(*common::ReadFile(folder + "/lineage.json"), HasSubstr("\"j-1/1\""));
  const std::string readme = *common::ReadFile(folder + "/README.md");
  EXPECT_THAT(readme, HasSubstr("kernelsmith eval task.json kernel.cpp"));
  EXPECT_THAT(readme, HasSubstr("| speed-up against it | 2.00x |"));
}

TEST_F(ClientCalls, AnUnreachableMemoryLeavesTheLineageEmpty) {
  const MemoryClient memory = *MemoryClient::Connect({.address = "127.0.0.1:1", .retry_for = absl::ZeroDuration()});
  const auto evidence = FetchEvidence(Connect(), &memory, "j-1");
  ASSERT_TRUE(evidence.ok()) << evidence.status();
  EXPECT_TRUE(evidence->lineage.empty());
}

TEST_F(ClientCalls, AFileNameThatLeavesTheFolderIsRefused) {
  const auto folder = *common::TemporaryFolder::Make("ks-evidence-test");
  for (const char* name : {"../kernel.cpp", "/tmp/x", "", ".bashrc"}) {
    KernelEvidence evidence;
    evidence.winner.mutable_candidate()->add_files()->set_name(name);
    EXPECT_TRUE(absl::IsDataLoss(WriteKernelFolder(evidence, folder.path()))) << name;
  }
}

TEST_F(ClientCalls, AJobWithoutACorrectKernelHasNoEvidence) {
  v1::Job job = ExampleJob();
  job.set_incumbent_round(0);
  server_.coordinator.AddJob(job);
  const auto evidence = FetchEvidence(Connect(), nullptr, "j-1");
  EXPECT_TRUE(absl::IsFailedPrecondition(evidence.status()));
  EXPECT_THAT(std::string(evidence.status().message()), HasSubstr("kernelsmith extend"));
}

}  // namespace
}  // namespace kernelsmith::client
