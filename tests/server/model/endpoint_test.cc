#include "server/model/endpoint.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "server/model/model_endpoints.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

config::v1::ModelEndpoint Config(const std::string& text) {
  config::v1::ModelEndpoint config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return config;
}

TEST(ResolveEndpoint, FillsInTheDefaults) {
  const auto endpoint = ResolveEndpoint(Config("name: 'a' base_url: 'http://127.0.0.1:8000/v1/'"));
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->url, "http://127.0.0.1:8000/v1/chat/completions");
  EXPECT_EQ(endpoint->max_completion_tokens, 8192);
  EXPECT_EQ(endpoint->context_window, 32768);
  EXPECT_EQ(endpoint->max_concurrent, 4);
  EXPECT_EQ(endpoint->retry.max_retries, 4);
  EXPECT_EQ(endpoint->retry.max_retry_after, absl::Seconds(120));
  EXPECT_EQ(endpoint->limits.connect, absl::Seconds(5));
  EXPECT_EQ(endpoint->limits.first_byte, absl::Seconds(120));
  EXPECT_EQ(endpoint->limits.idle, absl::Seconds(60));
  EXPECT_EQ(endpoint->limits.total, absl::Seconds(600));
}

TEST(ResolveEndpoint, TakesWhatIsSet) {
  const auto endpoint = ResolveEndpoint(Config(
      "name: 'a' base_url: 'https://h' model: 'm' max_completion_tokens: 1 context_window: 2 connect_timeout_s: 3 "
      "first_byte_timeout_s: 4 idle_timeout_s: 0.5 total_timeout_s: 6 max_retries: 7 max_retry_after_s: 8 "
      "price_per_million_prompt_tokens: 9 price_per_million_completion_tokens: 10 max_concurrent: 11"));
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->url, "https://h/chat/completions");
  EXPECT_EQ(endpoint->model, "m");
  EXPECT_EQ(endpoint->limits.idle, absl::Seconds(0.5));
  EXPECT_EQ(endpoint->retry.max_retries, 7);
  EXPECT_EQ(endpoint->price.per_million_completion, 10);
  EXPECT_EQ(endpoint->max_concurrent, 11);
}

TEST(ResolveEndpoint, ZeroRetriesMeansNone) {
  const auto endpoint = ResolveEndpoint(Config("name: 'a' base_url: 'http://h' max_retries: 0"));
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->retry.max_retries, 0);
}

TEST(ResolveEndpoint, NamesTheFieldThatIsWrong) {
  struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"base_url: 'http://h'", "endpoints.name"},
      {"name: 'a'", "endpoints[a].base_url"},
      {"name: 'a' base_url: 'ftp://h'", "endpoints[a].base_url"},
      {"name: 'a' base_url: 'http:///v1'", "names no host"},
      {"name: 'a' base_url: 'http://u:p@h/v1'", "holds a user or password"},
      {"name: 'a' base_url: 'http://h/v1?key=x'", "holds a query"},
      {"name: 'a' base_url: 'http://h' api_key_file: 'f' api_key_env: 'E'", "endpoints[a].api_key_env"},
      {"name: 'a' base_url: 'http://h' idle_timeout_s: -1", "endpoints[a].idle_timeout_s"},
      {"name: 'a' base_url: 'http://h' total_timeout_s: nan", "endpoints[a].total_timeout_s"},
      {"name: 'a' base_url: 'http://h' max_retries: -1", "endpoints[a].max_retries"},
      {"name: 'a' base_url: 'http://h' context_window: 4096", "no room for a prompt"},
  };
  for (const auto& c : cases) {
    const auto endpoint = ResolveEndpoint(Config(c.text));
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(std::string(endpoint.status().message()), HasSubstr(c.message)) << c.text;
  }
}

config::v1::CoordinatorConfig Coordinator(std::initializer_list<const char*> names) {
  config::v1::CoordinatorConfig config;
  for (const char* name : names) {
    config.add_endpoints()->set_name(name);
    config.mutable_endpoints()->rbegin()->set_base_url("http://127.0.0.1:1/v1");
  }
  return config;
}

TEST(ModelEndpoints, FindsByNameAndTheOnlyOneWithoutAName) {
  common::Metrics metrics;
  const auto one = ModelEndpoints::Create(Coordinator({"a"}), metrics);
  EXPECT_EQ((*(*one)->Find(""))->endpoint().name, "a");
  EXPECT_EQ((*(*one)->Find("a"))->endpoint().name, "a");
  const auto two = ModelEndpoints::Create(Coordinator({"a", "b"}), metrics);
  EXPECT_EQ((*(*two)->Find("b"))->endpoint().name, "b");
}

TEST(ModelEndpoints, SaysWhichThereAre) {
  common::Metrics metrics;
  const auto none = ModelEndpoints::Create(Coordinator({}), metrics);
  EXPECT_THAT(std::string((*none)->Find("a").status().message()), HasSubstr("has no model endpoints"));
  const auto two = ModelEndpoints::Create(Coordinator({"a", "b"}), metrics);
  for (const char* name : {"", "c"}) {
    const auto found = (*two)->Find(name);
    EXPECT_EQ(found.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(found.status().message()), HasSubstr("choose one of: a, b"));
  }
  EXPECT_THAT(std::string(ModelEndpoints::Create(Coordinator({"a", "a"}), metrics).status().message()),
              HasSubstr("'a' occurs twice"));
}

}  // namespace
}  // namespace kernelsmith::server
