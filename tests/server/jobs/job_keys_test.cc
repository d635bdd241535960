// Golden bytes: what is on the disks of users.
#include "server/jobs/job_keys.h"

#include <gtest/gtest.h>

namespace kernelsmith::server {
namespace {

std::string Bytes(const char* text, size_t size) { return std::string(text, size); }

TEST(JobKeysTest, KeysHaveTheirDocumentedBytes) {
  EXPECT_EQ(EventKey("job-1", 258), Bytes("job-1\0\0\0\0\0\0\0\x01\x02", 14));
  EXPECT_EQ(RequestKey("team", "r1"), Bytes("team\0r1", 7));
  EXPECT_EQ(ListingKey("team", 1, "job-1"), Bytes("team\0\xff\xff\xff\xff\xff\xff\xff\xfejob-1", 18));
  EXPECT_EQ(ListingKey("", 1, "job-1"), Bytes("\0\xff\xff\xff\xff\xff\xff\xff\xfejob-1", 14));
}

TEST(JobKeysTest, EventsSortBySequenceAndListingsByTimeBackwards) {
  EXPECT_LT(EventKey("job-1", 255), EventKey("job-1", 256));
  EXPECT_LT(ListingKey("a", 2000, "x"), ListingKey("a", 1000, "x"));
}

TEST(JobKeysTest, ATeamIsNoPrefixOfAnother) {
  EXPECT_NE(ListingKey("ab", 1, "x").substr(0, ListingPrefix("a").size()), ListingPrefix("a"));
  EXPECT_NE(RequestKey("a", "br"), RequestKey("ab", "r"));
}

TEST(JobKeysTest, AListingKeyGivesItsJobBack) {
  EXPECT_EQ(JobOfListingKey(ListingKey("team", 5, "job-1")), "job-1");
  EXPECT_EQ(JobOfListingKey("no separator"), std::nullopt);
  EXPECT_EQ(JobOfListingKey(Bytes("t\0short", 7)), std::nullopt);
}

}  // namespace
}  // namespace kernelsmith::server
