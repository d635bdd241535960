// Where CANN is found, and what an incomplete installation is told.
#include "worker/toolchains/ascend/cann_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "worker/toolchains/ascend/soc_table.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

class CannRootTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::string whole = folder_.path() + "/" + path;
    ASSERT_TRUE(common::MakeFolders(whole.substr(0, whole.rfind('/'))).ok());
    ASSERT_TRUE(common::WriteFileAtomically(whole, text).ok());
  }
  std::string Host() const {
    utsname name = {};
    uname(&name);
    return absl::StrCat(name.machine, "-linux");
  }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("cann-root-test");
};

TEST_F(CannRootTest, ANewLayoutIsFound) {
  Write(Host() + "/ascend_toolkit_install.info", "package_name=toolkit\nversion=9.1.0\narch=x86_64\n");
  Write("bin/bisheng", "#!/bin/sh\n");
  Write("lib64/libascendcl.so", "");
  Write("include/acl/acl.h", "");
  const auto root = FindCannRoot(folder_.path());
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(root->version.text, "9.1.0");
  EXPECT_TRUE(root->version.takes_asc());
  EXPECT_EQ(root->compiler, root->path + "/bin/bisheng");
  EXPECT_THAT(root->library_path, HasSubstr(root->path + "/lib64:"));
  EXPECT_THAT(root->includes, ::testing::ElementsAre(root->path + "/include"));
  ASSERT_EQ(CannMounts(*root).size(), 1u);
  EXPECT_EQ(CannMounts(*root)[0].first, root->path);
}

TEST_F(CannRootTest, AnOldLayoutIsFound) {
  Write("compiler/version.info", "Version=8.1.RC1\n");
  Write("compiler/ccec_compiler/bin/bisheng", "#!/bin/sh\n");
  const auto root = FindCannRoot(folder_.path());
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(root->version.text, "8.1.RC1");
  EXPECT_FALSE(root->version.takes_asc());
}

TEST_F(CannRootTest, FoldersThatARootLinksToAreShownToo) {
  const common::TemporaryFolder elsewhere = *common::TemporaryFolder::Make("cann-root-test");
  Write("ascend_toolkit_install.info", "version=9.1.0\n");
  Write("bin/bisheng", "#!/bin/sh\n");
  Write("data/x", "");
  std::filesystem::create_symlink(elsewhere.path(), folder_.path() + "/data/soc");
  std::filesystem::create_symlink("data/soc", folder_.path() + "/soc");
  std::filesystem::create_symlink("bin", folder_.path() + "/programs");
  std::filesystem::create_symlink("/nowhere", folder_.path() + "/broken");
  const auto root = FindCannRoot(folder_.path());
  ASSERT_TRUE(root.ok()) << root.status();
  const auto mounts = CannMounts(*root);
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[1].first, std::filesystem::canonical(elsewhere.path()));
}

TEST_F(CannRootTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(std::string(FindCannRoot(folder_.path() + "/nowhere").status().message()), HasSubstr("is no folder"));
  EXPECT_THAT(std::string(FindCannRoot(folder_.path()).status().message()), HasSubstr("has no version file"));
  Write("ascend_toolkit_install.info", "package_name=toolkit\n");
  EXPECT_THAT(std::string(FindCannRoot(folder_.path()).status().message()), HasSubstr("names no version"));
  Write("ascend_toolkit_install.info", "version=9.0.0\n");
  EXPECT_THAT(std::string(FindCannRoot(folder_.path()).status().message()), HasSubstr("has no compiler bisheng"));
}

TEST(CannVersionTest, AscFilesAreTakenFrom85On) {
  EXPECT_TRUE(ParseCannVersion("version=8.5.0")->takes_asc());
  EXPECT_FALSE(ParseCannVersion("version=8.3.RC1")->takes_asc());
  EXPECT_TRUE(ParseCannVersion("Version = 10.0.1")->takes_asc());
  EXPECT_TRUE(ParseCannVersion("package_name=emulated-cann\nversion=0.1.0")->takes_asc());
  EXPECT_FALSE(ParseCannVersion("version=new").ok());
}

TEST(SocTableTest, EverySocHasItsArchitecture) {
  const std::tuple<const char*, const char*, const char*> rows[] = {
      {"Ascend910B1", "ascend-a2", "dav-2201"},    {"Ascend910B4-1", "ascend-a2", "dav-2201"},
      {"Ascend910_9391", "ascend-a3", "dav-2201"}, {"Ascend310P3", "ascend-310p", "dav-2002"},
      {"Ascend910ProA", "ascend-910", "dav-1001"}, {"Ascend950PR_1234", "ascend-950", "dav-3510"},
      {"Ascend310B1", "ascend-310b", "dav-3002"},
  };
  for (const auto& [soc, name, arch] : rows) {
    EXPECT_EQ(ArchitectureOf(soc)->name, name) << soc;
    EXPECT_EQ(ArchitectureOf(soc)->npu_arch, arch) << soc;
  }
  EXPECT_EQ(ArchitectureOf("H100").status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace kernelsmith::worker
