#include "tests/server/model/scripted_model_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_io.h"
#include "server/model/http_post.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

std::string Post(const ScriptedModelServer& server, const std::string& key, const std::string& body) {
  std::string reply;
  PostOnce({.url = server.base_url() + "/chat/completions", .headers = {"Idempotency-Key: " + key}, .body = body}, {},
           [&](const HttpHead& head, absl::string_view bytes) {
             if (reply.empty()) reply = std::to_string(head.status) + " ";
             reply.append(bytes.data(), bytes.size());
             return true;
           },
           {});
  return reply;
}

TEST(ModelScriptFromJson, ReadsEveryField) {
  const auto script = ModelScriptFromJson(R"({"replies": [
      {"status": 429, "headers": {"Retry-After": "1"}},
      {"text": "x", "finish_reason": null, "usage": null, "stream": false, "done_line": false, "piece_bytes": 3,
       "fault": "cut_stream"},
      {"body": "raw"}], "repeat_last": true, "same_reply_for_same_key": true})");
  ASSERT_TRUE(script.ok()) << script.status();
  ASSERT_EQ(script->replies.size(), 3u);
  EXPECT_EQ(script->replies[0].headers.at("Retry-After"), "1");
  EXPECT_EQ(script->replies[1].finish_reason, std::nullopt);
  EXPECT_EQ(script->replies[1].usage, std::nullopt);
  EXPECT_EQ(script->replies[1].stream, false);
  EXPECT_EQ(script->replies[1].fault, Fault::kCutStream);
  EXPECT_EQ(script->replies[2].body, "raw");
  EXPECT_TRUE(script->repeat_last && script->same_reply_for_same_key);
}

TEST(ModelScriptFromJson, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "{}", R"({"replies": [{"fault": "sulk"}]})", R"({"replies": [{"text": 3}]})"}) {
    EXPECT_EQ(ModelScriptFromJson(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(WithAdoption, MakesARecordForEveryQuotedItemOnce) {
  EXPECT_EQ(WithAdoption("{{adopted}}", "<ks-item id=\"i1\" x> <ks-item id=\"i2\"> <ks-item id=\"i1\">"),
            R"([{"item_id":"i1","reason":"as the script says","state":"ADOPTED"},)"
            R"({"item_id":"i2","reason":"as the script says","state":"ADOPTED"}])");
  EXPECT_EQ(WithAdoption("{{not_adopted}}", "none"), "[]");
}

TEST(ScriptedModelServer, GivesTheSameReplyForTheSameKeyAndLogsRequests) {
  const auto folder = common::TemporaryFolder::Make("scripted");
  const std::string log = folder->path() + "/requests";
  ScriptedModelServer server(
      {.replies = {{.status = 503}, {.text = "one"}, {.text = "two"}}, .same_reply_for_same_key = true}, log);
  EXPECT_THAT(Post(server, "a", "{}"), HasSubstr("503"));
  EXPECT_THAT(Post(server, "a", "{}"), HasSubstr("one"));
  EXPECT_THAT(Post(server, "a", "{}"), HasSubstr("one"));
  EXPECT_THAT(Post(server, "b", "no JSON"), HasSubstr("two"));
  EXPECT_THAT(Post(server, "c", "{}"), HasSubstr("the script is over"));
  EXPECT_EQ(
      *common::ReadFile(log),
      "{\"idempotency_key\":\"a\",\"index\":0,\"status\":503}\n{\"idempotency_key\":\"a\",\"index\":1,\"status\":200}\n"
      "{\"idempotency_key\":\"a\",\"index\":2,\"status\":200}\n{\"idempotency_key\":\"b\",\"index\":3,\"status\":200}\n"
      "{\"idempotency_key\":\"c\",\"index\":4,\"status\":500}\n");
}

}  // namespace
}  // namespace kernelsmith::server
