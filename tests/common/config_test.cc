#include "common/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernelsmith/config/v1/config.pb.h"
#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

using ::testing::HasSubstr;

TEST(ParseConfig, ReadsNestedFields) {
  config::v1::MemoryConfig config;
  ASSERT_TRUE(ParseConfig("data_dir: 'd' listen { address: '127.0.0.1:1' }", "x", config).ok());
  EXPECT_EQ(config.data_dir(), "d");
  EXPECT_EQ(config.listen().address(), "127.0.0.1:1");
}

TEST(ParseConfig, NamesFileLineAndUnknownField) {
  config::v1::MemoryConfig config;
  const absl::Status status = ParseConfig("data_dir: 'd'\nlisten { adress: 'x' }", "memory.textproto", config);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("memory.textproto, line 2"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("adress"));
}

TEST(LoadConfig, SaysWhichFileIsMissing) {
  const TemporaryFolder folder = TestFolder();
  config::v1::MemoryConfig config;
  const absl::Status status = LoadConfig(folder.path() + "/none", config);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/none"));
}

}  // namespace
}  // namespace kernelsmith::common
