#include "common/model/text_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "common/file_io.h"
#include "tests/server/model/scripted_model_server.h"

namespace kernelsmith::common {
namespace {

using server::Fault;
using server::ScriptedModelServer;
using server::ScriptedReply;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

config::v1::ModelEndpoint EndpointOf(const std::string& base_url) {
  config::v1::ModelEndpoint endpoint;
  endpoint.set_base_url(base_url);
  endpoint.set_model("m");
  return endpoint;
}

absl::StatusOr<std::string> Written(const ScriptedReply& reply, const std::string& key_file = "") {
  const ScriptedModelServer server({.replies = {reply}});
  config::v1::ModelEndpoint endpoint = EndpointOf(server.base_url());
  endpoint.set_api_key_file(key_file);
  endpoint.set_total_timeout_s(reply.fault == Fault::kNone ? 20 : 0.2);
  const auto model = TextModel::Create(endpoint);
  return (*model)->Write("Be brief.", "material");
}

TEST(TextModel, SendsInstructionsAndMaterialOnceAndReturnsTheText) {
  const TemporaryFolder folder = *TemporaryFolder::Make("text-model");
  const std::string key_file = folder.path() + "/key";
  ASSERT_TRUE(WriteFileAtomically(key_file, "secret\n").ok());
  const ScriptedModelServer server({.replies = {{.text = "<think>what now</think>\n\n Tile by rows. \n"}}});
  config::v1::ModelEndpoint endpoint = EndpointOf(server.base_url());
  endpoint.set_api_key_file(key_file);
  endpoint.set_max_completion_tokens(77);
  const auto model = TextModel::Create(endpoint);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(*(*model)->Write("Be brief.", "\xff material"), "Tile by rows.");
  ASSERT_EQ(server.requests().size(), 1U);
  const server::RecordedRequest request = server.requests()[0];
  EXPECT_EQ(request.headers.at("authorization"), "Bearer secret");
  EXPECT_EQ(request.body["model"], "m");
  EXPECT_EQ(request.body["max_completion_tokens"], 77);
  EXPECT_EQ(request.body["messages"][0]["content"], "Be brief.");
  EXPECT_EQ(request.body["messages"][1]["content"], "\xEF\xBF\xBD material");
  EXPECT_FALSE(request.body.contains("stream"));
}

TEST(TextModel, SaysWhyThereIsNoText) {
  const struct {
    ScriptedReply reply;
    absl::StatusCode code;
    std::string message;
  } cases[] = {
      {{.status = 503, .body = "busy"}, absl::StatusCode::kUnavailable, "HTTP 503: busy"},
      {{.status = 429, .body = "slowly"}, absl::StatusCode::kUnavailable, "HTTP 429"},
      {{.status = 401, .body = "no"}, absl::StatusCode::kFailedPrecondition, "refuses with HTTP 401: no"},
      {{.status = 302, .body = "moved"}, absl::StatusCode::kFailedPrecondition, "HTTP 302"},
      {{.body = "nonsense"}, absl::StatusCode::kUnavailable, "no JSON object: nonsense"},
      {{.body = R"({"choices": []})"}, absl::StatusCode::kUnavailable, "the answer is empty"},
      {{.text = "  "}, absl::StatusCode::kUnavailable, "the answer is empty"},
      {{.text = "Til", .finish_reason = "length"}, absl::StatusCode::kUnavailable, "was cut"},
      {{.text = "late", .fault = Fault::kHoldFirstByte}, absl::StatusCode::kUnavailable, "no answer within"},
  };
  for (const auto& each : cases) {
    const auto text = Written(each.reply);
    EXPECT_EQ(text.status().code(), each.code) << each.message;
    EXPECT_THAT(std::string(text.status().message()), HasSubstr(each.message));
  }
}

TEST(TextModel, NeverShowsTheKey) {
  const TemporaryFolder folder = *TemporaryFolder::Make("text-model");
  const std::string key_file = folder.path() + "/key";
  ASSERT_TRUE(WriteFileAtomically(key_file, "sk-1").ok());
  const auto text = Written({.status = 401, .body = "wrong key sk-1"}, key_file);
  EXPECT_THAT(std::string(text.status().message()), AllOf(HasSubstr("wrong key [key]"), Not(HasSubstr("sk-1"))));
}

TEST(TextModel, EndsWhenItIsCancelled) {
  const ScriptedModelServer server({.replies = {{.text = "late", .fault = Fault::kHoldFirstByte}}});
  const auto model = TextModel::Create(EndpointOf(server.base_url()));
  const auto text = (*model)->Write("", "", [&] { return !server.requests().empty(); });
  EXPECT_EQ(text.status().code(), absl::StatusCode::kCancelled);
}

TEST(TextModel, NamesTheFieldOfAWrongEndpoint) {
  const std::pair<std::string, std::function<void(config::v1::ModelEndpoint&)>> mistakes[] = {
      {"base_url", [](config::v1::ModelEndpoint& endpoint) { endpoint.set_base_url("127.0.0.1:8000"); }},
      {"model", [](config::v1::ModelEndpoint& endpoint) { endpoint.clear_model(); }},
      {"total_timeout_s", [](config::v1::ModelEndpoint& endpoint) { endpoint.set_total_timeout_s(-1); }},
      {"/nonexistent", [](config::v1::ModelEndpoint& endpoint) { endpoint.set_api_key_file("/nonexistent"); }},
  };
  for (const auto& [field, make] : mistakes) {
    config::v1::ModelEndpoint endpoint = EndpointOf("http://127.0.0.1:1/v1");
    make(endpoint);
    EXPECT_THAT(std::string(TextModel::Create(endpoint).status().message()), HasSubstr(field));
  }
}

}  // namespace
}  // namespace kernelsmith::common
