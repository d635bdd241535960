#include "common/content_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

std::string PathInside(const TemporaryFolder& folder, const std::string& digest) {
  const std::string hex = digest.substr(7);
  return absl::StrCat(folder.path(), "/", hex.substr(0, 2), "/", hex);
}

TEST(ContentStore, GivesBackWhatWasPutUnderItsDigest) {
  const TemporaryFolder folder = TestFolder();
  const ContentStore store = ContentStore::Open(folder.path()).value();
  const v1::ArtifactRef ref = store.Put("text", "a.txt", "text/plain").value();
  EXPECT_EQ(ref.digest(), "sha256:982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1");
  EXPECT_EQ(ref.size_bytes(), 4);
  EXPECT_EQ(store.Get(ref.digest()).value(), "text");
  EXPECT_TRUE(store.Contains(ref.digest()));
}

TEST(ContentStore, RefusesDamagedBytes) {
  const TemporaryFolder folder = TestFolder();
  const ContentStore store = ContentStore::Open(folder.path()).value();
  const std::string digest = store.Put("text", "", "").value().digest();
  ASSERT_TRUE(WriteFileAtomically(PathInside(folder, digest), "tex!").ok());
  EXPECT_EQ(store.Get(digest).status().code(), absl::StatusCode::kDataLoss);
}

TEST(ContentStore, RefusesDigestsThatAreNoDigests) {
  const TemporaryFolder folder = TestFolder();
  const ContentStore store = ContentStore::Open(folder.path()).value();
  for (const char* digest : {"", "sha256:12", "md5:982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1",
                             "sha256:../../../../../../../../../../../../../../../../../../../../../etc/passwd"}) {
    EXPECT_EQ(store.Get(digest).status().code(), absl::StatusCode::kInvalidArgument) << digest;
  }
  EXPECT_EQ(store.Get(DigestOf("never stored")).status().code(), absl::StatusCode::kNotFound);
}

TEST(ContentStore, CollectsOldUnreferencedFilesAlone) {
  const TemporaryFolder folder = TestFolder();
  const ContentStore store = ContentStore::Open(folder.path()).value();
  const std::string kept = store.Put("kept", "", "").value().digest();
  const std::string old = store.Put("old", "", "").value().digest();
  EXPECT_EQ(store.Collect(absl::Now(), absl::Hours(1), {kept}).files, 0);
  const auto collected = store.Collect(absl::Now() + absl::Hours(2), absl::Hours(1), {kept});
  EXPECT_EQ(collected.files, 1);
  EXPECT_EQ(collected.bytes, 3);
  EXPECT_TRUE(store.Contains(kept));
  EXPECT_FALSE(store.Contains(old));
}

TEST(ContentStore, ManyWritersOfTheSameContentAgree) {
  const TemporaryFolder folder = TestFolder();
  const ContentStore store = ContentStore::Open(folder.path()).value();
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&store, i] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(store.Put(absl::StrCat("content ", j), absl::StrCat(i), "").ok());
    });
  }
  for (auto& writer : writers) writer.join();
  for (int j = 0; j < 20; ++j) EXPECT_TRUE(store.Get(DigestOf(absl::StrCat("content ", j))).ok());
}

}  // namespace
}  // namespace kernelsmith::common
