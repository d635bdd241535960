// kill -9 of a process that appends: what was acknowledged is there, and the projection is the fold of the log.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file_io.h"
#include "google/protobuf/util/message_differencer.h"
#include "server/jobs/job_store.h"
#include "tests/server/jobs/job_events.h"

namespace kernelsmith::server {
namespace {

// Appends rounds until killed; writes one byte to `acknowledgements` after every durable event.
[[noreturn]] void AppendForever(const std::string& folder, int acknowledgements) {
  auto store = JobStore::Open(folder, common::Clock::Real());
  if (!store.ok()) _exit(1);
  const auto created = (*store)->Create("a", "r", Submitted(1'000'000).submitted().spec());
  if (!created.ok()) _exit(1);
  const auto append = [&](const v1::JobEvent& event) {
    if (!(*store)->Append(created->job.id(), event).ok()) _exit(2);
    if (write(acknowledgements, "x", 1) != 1) _exit(3);
  };
  if (created->job.state() == v1::SUBMITTED) append(Resolved());
  while (true) {
    const v1::Job job = *(*store)->Get("a", created->job.id());
    if (!job.has_open_round()) append(Started(job.rounds_done() + 1));
    append(Proposal(job.rounds_done() + 1));
    append(Recorded(job.rounds_done() + 1, v1::PASSED, 1, true));
  }
}

TEST(JobStoreCrashTest, NothingAcknowledgedIsLostAndTheFoldStillHolds) {
  const auto folder = *common::TemporaryFolder::Make("crash");
  uint64_t acknowledged = 0;
  for (const int kill_after : {1, 10, 23, 42}) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) AppendForever(folder.path(), pipe_ends[1]);
    close(pipe_ends[1]);
    char byte = 0;
    for (int i = 0; i < kill_after && read(pipe_ends[0], &byte, 1) == 1; ++i) ++acknowledged;
    kill(child, SIGKILL);
    while (read(pipe_ends[0], &byte, 1) == 1) ++acknowledged;
    close(pipe_ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);

    auto store = JobStore::Open(folder.path(), common::Clock::Real());
    ASSERT_TRUE(store.ok()) << store.status();
    const auto page = (*store)->List("a", 0, "", {});
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->jobs.size(), 1u);
    EXPECT_GE(page->jobs[0].last_sequence(), acknowledged + 1);
    v1::Job replayed;
    const auto events = (*store)->Events(page->jobs[0].id(), 0, 0);
    for (const auto& event : *events) ASSERT_TRUE(ApplyEvent(event, replayed).ok());
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(replayed, page->jobs[0]));
  }
}

}  // namespace
}  // namespace kernelsmith::server
