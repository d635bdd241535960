#include "common/file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

TEST(WriteFileDurably, ReplacesTheOldContentAndLeavesNoTemporaryFile) {
  const TemporaryFolder folder = TestFolder();
  const std::string path = folder.path() + "/file";
  ASSERT_TRUE(WriteFileDurably(path, "one").ok());
  ASSERT_TRUE(WriteFileDurably(path, "two").ok());
  EXPECT_EQ(ReadFile(path).value(), "two");
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 1);
}

TEST(WriteFileDurably, SaysWhatCouldNotBeCreated) {
  const TemporaryFolder folder = TestFolder();
  const absl::Status status = WriteFileDurably(folder.path() + "/no/such/folder", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("/no/such/folder"));
}

TEST(MakeFolders, CreatesAllLevelsAndAcceptsExistingOnes) {
  const TemporaryFolder folder = TestFolder();
  EXPECT_TRUE(MakeFolders(folder.path() + "/a/b/c").ok());
  EXPECT_TRUE(MakeFolders(folder.path() + "/a/b/c").ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() + "/a/b/c"));
}

TEST(TemporaryFolder, RemovesItselfWithItsContent) {
  std::string path;
  {
    const TemporaryFolder folder = TestFolder();
    path = folder.path();
    ASSERT_TRUE(WriteFileAtomically(path + "/file", "x").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FreeDiskBytes, IsPositiveForAFolderAndAnErrorForNone) {
  const TemporaryFolder folder = TestFolder();
  EXPECT_GT(FreeDiskBytes(folder.path()).value(), 0);
  EXPECT_FALSE(FreeDiskBytes(folder.path() + "/none").ok());
}

}  // namespace
}  // namespace kernelsmith::common
