#include "memory/retrieval/search/write_burst.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

constexpr int64_t kFar = WriteBurst::kNear + 1;
const absl::Time kStart = absl::FromUnixSeconds(1'000);

TEST(WriteBurstTest, ComesFirstWhileRecordsArriveAndReadersNoLongerWait) {
  WriteBurst burst;
  burst.Recorded(kStart);
  EXPECT_FALSE(burst.HasPriority(WriteBurst::kNear, kStart)) << "readers wait for the index";
  EXPECT_TRUE(burst.HasPriority(kFar, kStart));
  EXPECT_TRUE(burst.HasPriority(kFar, kStart + WriteBurst::kPause / 2));
  EXPECT_FALSE(burst.HasPriority(kFar, kStart + WriteBurst::kPause)) << "the records have stopped";
}

TEST(WriteBurstTest, DoesNotHoldTheIndexUpForLong) {
  WriteBurst burst;
  absl::Time now = kStart;
  const auto keeps_writing = [&](int64_t behind, absl::Duration duration) {
    bool first = true;
    for (const absl::Time end = now + duration; now < end; now += WriteBurst::kPause / 2) {
      burst.Recorded(now);
      first = burst.HasPriority(behind, now);
    }
    return first;
  };
  EXPECT_TRUE(keeps_writing(kFar, WriteBurst::kLongest));
  EXPECT_FALSE(keeps_writing(kFar, WriteBurst::kLongest)) << "indexing goes on";
  EXPECT_FALSE(keeps_writing(kFar, WriteBurst::kLongest)) << "until it has caught up";
  EXPECT_FALSE(keeps_writing(0, WriteBurst::kPause));
  EXPECT_TRUE(keeps_writing(kFar, WriteBurst::kPause)) << "the next burst";
}

}  // namespace
}  // namespace kernelsmith::memory
