#include "server/jobs/references.h"

#include <gtest/gtest.h>

#include "tests/server/jobs/job_events.h"

namespace kernelsmith::server {
namespace {

TEST(ReferencesTest, FindsDigestsInFieldsListsAndBelow) {
  v1::JobEvent event = Proposal(1, "sha256:candidate");
  event.mutable_proposed()->mutable_proposal()->add_transcripts()->set_digest("sha256:prompt");
  event.mutable_proposed()->mutable_proposal()->add_transcripts()->set_digest("sha256:reply");
  std::set<std::string> digests;
  CollectDigests(event, digests);
  EXPECT_EQ(digests, (std::set<std::string>{"sha256:candidate", "sha256:prompt", "sha256:reply"}));
}

TEST(ReferencesTest, AnEmptyReferenceCountsForNothing) {
  v1::JobEvent event;
  event.mutable_evaluation_ended()->mutable_report();
  std::set<std::string> digests;
  CollectDigests(event, digests);
  EXPECT_TRUE(digests.empty());
}

}  // namespace
}  // namespace kernelsmith::server
