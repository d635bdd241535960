// What the client asks and what it makes of good replies.
#include "server/model/model_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "absl/time/clock.h"
#include "common/file_io.h"
#include "tests/server/model/model_client_fixture.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ModelClientTest, SendsTheBodyAndHeadersAndReadsTheStream) {
  setenv("KERNELSMITH_CLIENT_TEST_KEY", "sk-secret", 1);
  config_.set_api_key_env("KERNELSMITH_CLIENT_TEST_KEY");
  ScriptedModelServer server({.replies = {{.text = "Hello there", .piece_bytes = 5}}});
  const ModelCallResult result = Ask(server.base_url());
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.reply.text, "Hello there");
  EXPECT_EQ(ParseCompletion(result.reply_body)->text, "Hello there");

  ASSERT_EQ(server.requests().size(), 1u);
  const RecordedRequest request = server.requests()[0];
  EXPECT_EQ(request.path, "/v1/chat/completions");
  EXPECT_EQ(request.raw_body, call_.body);
  EXPECT_EQ(request.headers.at("authorization"), "Bearer sk-secret");
  EXPECT_EQ(request.headers.at("idempotency-key"), "key-1");
  EXPECT_EQ(request.headers.at("content-type"), "application/json");
  EXPECT_EQ(request.body["model"], "m");
  EXPECT_EQ(request.body["temperature"], 0.5);
  EXPECT_EQ(request.body["max_completion_tokens"], 500);
  EXPECT_EQ(request.body["stream"], true);
  EXPECT_EQ(request.body["stream_options"]["include_usage"], true);
  EXPECT_EQ(request.body["messages"][0]["role"], "system");
  EXPECT_EQ(request.body["messages"][1]["content"], "u");
}

TEST_F(ModelClientTest, SendsNoAuthorizationWithoutAKey) {
  ScriptedModelServer server({.replies = {{.text = "x"}}});
  ASSERT_TRUE(Ask(server.base_url()).status.ok());
  EXPECT_FALSE(server.requests()[0].headers.contains("authorization"));
}

TEST_F(ModelClientTest, AcceptsAReplyThatIsNotStreamed) {
  ScriptedModelServer server({.replies = {{.text = "whole", .stream = false}}});
  EXPECT_EQ(Ask(server.base_url()).reply.text, "whole");
}

TEST_F(ModelClientTest, SettlesAtTheReportedUsage) {
  ScriptedModelServer server({.replies = {{.text = "x",
                                           .usage = {{{"prompt_tokens", 2000},
                                                      {"completion_tokens", 300},
                                                      {"prompt_tokens_details", {{"cached_tokens", 1500}}}}}}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.ledger.usage, (TokenUsage{2000, 300, 1500}));
  EXPECT_DOUBLE_EQ(result.ledger.money, 0.002 + 0.003);
  EXPECT_FALSE(result.ledger.estimated);
  EXPECT_EQ(result.ledger.http_attempts, 1);
  EXPECT_EQ(result.ledger.outcome, "ok");
  EXPECT_LE(result.ledger.begin, result.ledger.end);
  EXPECT_EQ(Requests("ok"), 1);
}

TEST_F(ModelClientTest, SettlesAtTheEstimateWhereNoUsageIsReported) {
  ScriptedModelServer server({.replies = {{.text = "12345678", .usage = std::nullopt}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_TRUE(result.ledger.estimated);
  EXPECT_EQ(result.ledger.usage, (TokenUsage{call_.reserved.prompt, 4, 0}));
}

TEST_F(ModelClientTest, ReservesThePromptAndTheMostThatMayBeGenerated) {
  const PreparedCall call = Client("http://h").Prepare({{"user", "1234"}}, {.max_completion_tokens = 1000});
  EXPECT_EQ(call.reserved, (TokenUsage{10, 1000, 0}));
  EXPECT_DOUBLE_EQ(call.reserved_money, 10e-6 + 0.01);
}

TEST_F(ModelClientTest, ReadsTheKeyFileAnewForEveryCall) {
  auto folder = common::TemporaryFolder::Make("key");
  const std::string file = folder->path() + "/key";
  ASSERT_TRUE(common::WriteFileAtomically(file, "first").ok());
  config_.set_api_key_file(file);
  ScriptedModelServer server({.replies = {{.text = "x"}}, .repeat_last = true});
  ModelClient& client = Client(server.base_url());
  const PreparedCall call = client.Prepare({}, {});
  ASSERT_TRUE(client.Ask(call, "k", {}).status.ok());
  ASSERT_TRUE(common::WriteFileAtomically(file, "second").ok());
  ASSERT_TRUE(client.Ask(call, "k", {}).status.ok());
  EXPECT_EQ(server.requests()[0].headers.at("authorization"), "Bearer first");
  EXPECT_EQ(server.requests()[1].headers.at("authorization"), "Bearer second");
  ASSERT_TRUE(common::WriteFileAtomically(file, "").ok());
  EXPECT_EQ(client.Ask(call, "k", {}).status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(ModelClientTest, HasAtMostAsManyRequestsInFlightAsConfigured) {
  config_.set_max_concurrent(2);
  ScriptedModelServer server({.replies = {{.text = "x", .fault = Fault::kHoldStream}}, .repeat_last = true});
  ModelClient& client = Client(server.base_url());
  const PreparedCall call = client.Prepare({{"user", "u"}}, {});
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(client.Ask(call, "k", {}).status.ok()); });
  }
  EXPECT_TRUE(server.WaitForRequests(2));
  server.Release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server.requests().size(), 6u);
  EXPECT_LE(server.most_in_flight(), 2);
}

TEST_F(ModelClientTest, AWaitForATurnCanBeCancelled) {
  config_.set_max_concurrent(1);
  ScriptedModelServer server({.replies = {{.text = "x", .fault = Fault::kHoldFirstByte}}, .repeat_last = true});
  ModelClient& client = Client(server.base_url());
  const PreparedCall call = client.Prepare({{"user", "u"}}, {});
  std::thread holder([&] { EXPECT_TRUE(client.Ask(call, "k", {}).status.ok()); });
  EXPECT_TRUE(server.WaitForRequests(1));
  const ModelCallResult result = client.Ask(call, "k2", [] { return true; });
  EXPECT_EQ(result.status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(result.ledger.http_attempts, 0);
  EXPECT_EQ(result.ledger.money, 0);
  server.Release();
  holder.join();
}

TEST_F(ModelClientTest, CountsTokensAndCost) {
  ScriptedModelServer server({.replies = {{.text = "x"}}, .repeat_last = true});
  Ask(server.base_url());
  EXPECT_EQ(metrics_
                .AddCounter("kernelsmith_model_tokens_total", "Tokens that model calls were settled at",
                            {{"endpoint", "test"}, {"kind", "prompt"}})
                .Value(),
            1000);
  EXPECT_DOUBLE_EQ(
      metrics_
          .AddCounter("kernelsmith_model_cost_total",
                      "Cost that model calls were settled at, in the price list's currency", {{"endpoint", "test"}})
          .Value(),
      0.001 + 0.001);
}

}  // namespace
}  // namespace kernelsmith::server
