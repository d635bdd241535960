// Ctrl-C against the real program and a scripted server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "common/file_io.h"
#include "tests/client/example_job.h"
#include "tests/client/fake_server.h"
#include "tests/client/program_process.h"

namespace kernelsmith::client {
namespace {

using testing::HasSubstr;

class Detach : public testing::Test {
 protected:
  Detach() {
    v1::Job job = ExampleJob();
    job.set_state(v1::RUNNING_ROUND);
    std::vector<v1::JobEvent> events = ExampleEvents();
    events.pop_back();
    server_.coordinator.AddJob(job, events);
    server_.coordinator.HoldWatches(true);
  }

  FakeServer server_;
  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-detach-test");
  std::string output_ = folder_.path() + "/output";
};

TEST_F(Detach, CtrlCWhileWatchingLeavesTheJobRunning) {
  for (const int number : {SIGINT, SIGTERM}) {
    ProgramProcess watch({"--server", server_.address(), "watch", "j-1"}, output_);
    ASSERT_TRUE(Eventually([&] { return server_.coordinator.OpenWatches() == 1; })) << watch.Output();
    watch.Signal(number);
    EXPECT_EQ(watch.Wait(), 130) << watch.Output();
    EXPECT_THAT(watch.Output(), HasSubstr("job j-1 goes on; see it again with: kernelsmith watch j-1"));
    EXPECT_EQ(server_.coordinator.Calls("CancelJob"), 0);
    ASSERT_TRUE(Eventually([&] { return server_.coordinator.OpenWatches() == 0; }));
  }
}

TEST_F(Detach, ASecondCtrlCEndsAProgramThatCannotLeaveAtOnce) {
  // A call without answer: the server accepts connections and never speaks.
  server_.Stop();
  ProgramProcess jobs({"--server", server_.address(), "--patience-s", "1000", "jobs"}, output_);
  ASSERT_NE(jobs.pid(), 0);
  EXPECT_TRUE(Eventually([&] {
    jobs.Signal(SIGINT);  // before main blocks it, the first would end the process by the signal itself
    return jobs.Wait(0.3) != -1;
  }));
}

}  // namespace
}  // namespace kernelsmith::client
