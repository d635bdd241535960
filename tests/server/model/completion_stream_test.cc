#include "server/model/completion_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/model/scripted_model_server.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

absl::StatusOr<ChatReply> Read(const std::string& body, size_t piece = 1 << 20, size_t limit = 1 << 20) {
  CompletionStream stream(limit);
  for (size_t begin = 0; begin < body.size(); begin += piece) {
    if (auto status = stream.Feed(absl::string_view(body).substr(begin, piece)); !status.ok()) return status;
  }
  return stream.Finish();
}

std::string Wire(const ScriptedReply& reply, bool stream) {
  std::string body;
  for (const std::string& piece : WirePieces(reply, stream, reply.text)) body += piece;
  return body;
}

TEST(CompletionStream, JoinsTheChunksWhereverTheStreamIsCut) {
  const std::string body = Wire(
      {.text = "Grüße 世界, \"quoted\" and \n\ndata: odd",
       .usage = {{{"prompt_tokens", 7}, {"completion_tokens", 3}, {"prompt_tokens_details", {{"cached_tokens", 4}}}}}},
      true);
  for (size_t piece = 1; piece < 64; ++piece) {
    const auto reply = Read(body, piece);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->text, "Grüße 世界, \"quoted\" and \n\ndata: odd");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->model, "scripted-model");
    EXPECT_EQ(reply->usage, (TokenUsage{7, 3, 4}));
  }
}

TEST(CompletionStream, ReadsAReplyThatIsNotStreamed) {
  const std::string body = "\n  " + Wire({.text = "whole"}, false);
  for (size_t piece = 1; piece < 16; ++piece) {
    const auto reply = Read(body, piece);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->text, "whole");
    EXPECT_EQ(reply->usage, (TokenUsage{1000, 100, 0}));
  }
}

TEST(CompletionStream, AcceptsAnEndWithEitherMark) {
  EXPECT_EQ(Read(Wire({.text = "a", .done_line = false}, true))->text, "a");
  EXPECT_EQ(Read(Wire({.text = "a", .finish_reason = std::nullopt}, true))->text, "a");
}

TEST(CompletionStream, KnowsNoUsageWhereNoneIsGiven) {
  EXPECT_EQ(Read(Wire({.text = "a", .usage = std::nullopt}, true))->usage, std::nullopt);
  EXPECT_EQ(Read(Wire({.text = "a", .usage = std::nullopt}, false))->usage, std::nullopt);
}

TEST(CompletionStream, IgnoresWhatFollowsDone) {
  CompletionStream stream(1 << 20);
  ASSERT_TRUE(stream.Feed(Wire({.text = "a"}, true) + "data: {broken\n\n").ok());
  EXPECT_TRUE(stream.done());
  EXPECT_EQ(stream.Finish()->text, "a");
}

TEST(CompletionStream, SaysWhatIsWrong) {
  struct {
    const char* name;
    std::string body;
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {"cut stream", Wire({.text = "a", .finish_reason = std::nullopt, .done_line = false}, true),
       absl::StatusCode::kDataLoss, "was cut after 3 events and 1 bytes"},
      {"empty body", "", absl::StatusCode::kDataLoss, "cut after 0 events"},
      {"blank body", " \n ", absl::StatusCode::kDataLoss, "cut after 0 events"},
      {"cut inside an event", "data: {\"choi", absl::StatusCode::kInvalidArgument, "neither JSON nor"},
      {"event that is not JSON", "data: {\"a\": 1}\n\ndata: {\"b\": }\n\n", absl::StatusCode::kInvalidArgument,
       "event 2 of the reply is not JSON: the error is at byte 6 of 7"},
      {"error inside the stream", "data: {\"error\": {\"message\": \"engine died\"}}\n\n",
       absl::StatusCode::kUnavailable, "engine died"},
      {"whole JSON that is cut", "{\"choices\": [", absl::StatusCode::kInvalidArgument, "at byte 13 of 13"},
      {"JSON of something else", "{\"choices\": []}", absl::StatusCode::kInvalidArgument, "no choices[0].message"},
      {"error object with status 200", "{\"error\": \"no\"}", absl::StatusCode::kUnavailable, "reports an error: no"},
      {"number out of range", "{\"a\": 1e999}", absl::StatusCode::kInvalidArgument, "out of range"},
      {"garbage", "\x01\x02\xFF garbage", absl::StatusCode::kInvalidArgument, "neither JSON nor a stream"},
      {"web page", "<html>\n\nlogin\n\n</html>", absl::StatusCode::kInvalidArgument, "neither JSON nor a stream"},
  };
  for (const auto& c : cases) {
    const auto reply = Read(c.body);
    EXPECT_EQ(reply.status().code(), c.code) << c.name << ": " << reply.status();
    EXPECT_THAT(std::string(reply.status().message()), HasSubstr(c.message)) << c.name;
  }
}

TEST(CompletionStream, ReadsWrongTypesAsAbsent) {
  const auto reply = Read(
      "data: 3\n\ndata: []\n\ndata: {\"choices\": {}, \"usage\": 7, \"model\": [], \"id\": null}\n\n"
      "data: {\"choices\": [{\"delta\": {\"content\": null}}], \"usage\": {\"prompt_tokens\": -4}}\n\n"
      "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}, \"finish_reason\": \"length\"}], "
      "\"usage\": {\"completion_tokens\": 18446744073709551615}}\n\n");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "a");
  EXPECT_EQ(reply->finish_reason, "length");
  EXPECT_EQ(reply->usage, (TokenUsage{0, 0, 0}));
}

TEST(CompletionStream, RefusesABodyAboveTheLimit) {
  for (bool stream : {true, false}) {
    const auto reply = Read(Wire({.text = std::string(5000, 'x')}, stream), 100, 1000);
    EXPECT_EQ(reply.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(reply.status().message()), HasSubstr("limit of 1000 bytes"));
  }
}

TEST(CompletionStream, SurvivesDeepNesting) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(Read("data: " + deep + "\n\n").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read("{\"a\": " + deep).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kernelsmith::server
