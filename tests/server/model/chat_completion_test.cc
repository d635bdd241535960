#include "server/model/chat_completion.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kernelsmith::server {
namespace {

TEST(RequestBody, HoldsTheMessagesInOrderAndAsksForAStreamWithUsage) {
  const std::string body = RequestBody({.model = "m",
                                        .messages = {{"system", "s"}, {"user", "u"}, {"assistant", "a"}},
                                        .temperature = 0.25,
                                        .max_completion_tokens = 64});
  EXPECT_EQ(body, R"({"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},)"
                  R"({"role":"assistant","content":"a"}],"temperature":0.25,"max_completion_tokens":64,"stream":true,)"
                  R"("stream_options":{"include_usage":true}})");
}

TEST(RequestBody, IsJsonWhateverTheTextHolds) {
  const std::string body = RequestBody({.model = "m", .messages = {{"user", std::string("\0\x80\xFF\"\\\n", 6)}}});
  EXPECT_FALSE(nlohmann::json::parse(body, nullptr, false).is_discarded());
}

TEST(CompletionBody, IsReadBackAsItWas) {
  const ChatReply replies[] = {
      {},
      {.text = "a\n\"b\"", .finish_reason = "stop", .model = "m", .id = "1", .usage = TokenUsage{3, 2, 1}},
      {.text = "x", .finish_reason = "length"},
  };
  for (const ChatReply& reply : replies) {
    const auto back = ParseCompletion(CompletionBody(reply));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, reply);
  }
}

}  // namespace
}  // namespace kernelsmith::server
