#include "common/model/api_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/file_io.h"

namespace kernelsmith::common {
namespace {

using testing::HasSubstr;
using testing::Not;

class ApiKey : public testing::Test {
 protected:
  std::string File(absl::string_view content) {
    const std::string path = folder_->path() + "/key";
    EXPECT_TRUE(common::WriteFileAtomically(path, content).ok());
    return path;
  }
  config::v1::ModelEndpoint endpoint_;
  absl::StatusOr<common::TemporaryFolder> folder_ = common::TemporaryFolder::Make("api-key");
};

TEST_F(ApiKey, ComesFromAFile) {
  endpoint_.set_api_key_file(File("  secret-1\n"));
  EXPECT_EQ(*LoadApiKey(endpoint_), "secret-1");
}

TEST_F(ApiKey, ComesFromTheEnvironment) {
  setenv("KERNELSMITH_TEST_KEY", "secret-2", 1);
  endpoint_.set_api_key_env("KERNELSMITH_TEST_KEY");
  EXPECT_EQ(*LoadApiKey(endpoint_), "secret-2");
}

TEST_F(ApiKey, IsEmptyWhereTheEndpointNamesNone) { EXPECT_EQ(*LoadApiKey(endpoint_), ""); }

TEST_F(ApiKey, IsRefusedWithAMessageThatNamesTheSourceAndNotTheKey) {
  endpoint_.set_name("gpt");
  endpoint_.set_api_key_file("/nonexistent/key");
  EXPECT_THAT(std::string(LoadApiKey(endpoint_).status().message()), HasSubstr("/nonexistent/key"));
  for (const char* content : {"", " \n", "two words", "line\nsplit", "nul\x01", "\xC3\xBC"}) {
    endpoint_.set_api_key_file(File(content));
    const auto key = LoadApiKey(endpoint_);
    EXPECT_EQ(key.status().code(), absl::StatusCode::kFailedPrecondition) << content;
    EXPECT_THAT(std::string(key.status().message()), HasSubstr("model endpoint 'gpt': api_key_file"));
    EXPECT_THAT(std::string(key.status().message()), Not(HasSubstr("split")));
  }
  endpoint_.clear_api_key_file();
  endpoint_.set_api_key_env("KERNELSMITH_TEST_KEY_UNSET");
  EXPECT_THAT(std::string(LoadApiKey(endpoint_).status().message()),
              HasSubstr("environment variable KERNELSMITH_TEST_KEY_UNSET holds no key"));
}

TEST(WithoutKey, RemovesEveryOccurrence) {
  EXPECT_EQ(WithoutKey("bad key sk-1, I said sk-1!", "sk-1"), "bad key [key], I said [key]!");
  EXPECT_EQ(WithoutKey("nothing", "sk-1"), "nothing");
  EXPECT_EQ(WithoutKey("nothing", ""), "nothing");
}

}  // namespace
}  // namespace kernelsmith::common
