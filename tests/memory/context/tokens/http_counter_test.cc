#include "memory/context/tokens/http_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "common/status.h"
#include "memory/context/tokens/make_token_counter.h"
#include "tests/memory/context/tokens/scripted_tokenize_server.h"

namespace kernelsmith::memory {
namespace {

using testing::ScriptedTokenizeServer;
using Reply = ScriptedTokenizeServer::Reply;

// As vLLM: the begin token and one token a byte.
Reply CountBytes(const std::string& body) {
  const nlohmann::json request = nlohmann::json::parse(body);
  const size_t count = request.at("prompt").get<std::string>().size() + 1;
  return {.body = nlohmann::json{{"count", count}, {"max_model_len", 4096}, {"tokens", {1, 2, 3}}}.dump()};
}

class HttpTokenCounterTest : public ::testing::Test {
 protected:
  std::unique_ptr<HttpTokenCounter> Counter(const std::string& url, absl::Duration timeout = absl::Seconds(10)) {
    auto counter = HttpTokenCounter::Create({.url = url, .model = "Qwen", .timeout = timeout}, clock_);
    EXPECT_TRUE(counter.ok()) << counter.status();
    return *std::move(counter);
  }

  common::ManualClock clock_{absl::UnixEpoch()};
};

TEST_F(HttpTokenCounterTest, TakesTheCountOfTheServer) {
  std::string seen;
  ScriptedTokenizeServer server([&seen](const std::string& body) {
    seen = body;
    return CountBytes(body);
  });
  const auto counter = Counter(server.url());
  const TokenCount count = counter->Measure("int \"x\";\n");
  EXPECT_EQ(count.tokens, 10);
  EXPECT_FALSE(count.stood_in);
  EXPECT_EQ(nlohmann::json::parse(seen), (nlohmann::json{{"model", "Qwen"}, {"prompt", "int \"x\";\n"}}));
  EXPECT_EQ(counter->name(), "http (Qwen)");
}

TEST_F(HttpTokenCounterTest, AsksOnceForATextAndNeverForNothing) {
  ScriptedTokenizeServer server(CountBytes);
  const auto counter = Counter(server.url());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(counter->Count("kernel"), 7);
  EXPECT_EQ(counter->Count(""), 0);
  EXPECT_EQ(server.requests(), 1);
  EXPECT_EQ(counter->Count("kernels"), 8);
  EXPECT_EQ(server.requests(), 2);
}

TEST_F(HttpTokenCounterTest, AcceptsTheUrlInTheFormsThatPeopleWrite) {
  ScriptedTokenizeServer server(CountBytes);
  for (const char* tail : {"", "/", "/v1", "/v1/", "/tokenize"}) {
    EXPECT_FALSE(Counter(server.url() + tail)->Measure("kernel").stood_in) << tail;
  }
}

TEST_F(HttpTokenCounterTest, SendsBytesThatAreNoUtf8) {
  ScriptedTokenizeServer server(CountBytes);
  EXPECT_FALSE(Counter(server.url())->Measure("a\xff\xfe z").stood_in);
}

TEST_F(HttpTokenCounterTest, StandsInForEveryAnswerThatIsNoCount) {
  const Reply replies[] = {{.status = 500, .body = "{\"count\": 3}"},
                           {.status = 404, .body = "no such model"},
                           {.body = "not json"},
                           {.body = "{}"},
                           {.body = "[1]"},
                           {.body = "{\"count\": \"7\"}"},
                           {.body = "{\"count\": -1}"},
                           {.body = "{\"count\": 1.5}"},
                           {.status = 302, .body = ""}};
  for (const Reply& reply : replies) {
    ScriptedTokenizeServer server([&reply](const std::string&) { return reply; });
    const TokenCount count = Counter(server.url())->Measure("int call");
    EXPECT_TRUE(count.stood_in) << reply.status << reply.body;
    EXPECT_EQ(count.tokens, ConservativeTokenCounter().Count("int call"));
  }
}

TEST_F(HttpTokenCounterTest, RefusesAReplyWithoutEnd) {
  ScriptedTokenizeServer server([](const std::string&) {
    return Reply{.body = "{\"count\": 3, \"tokens\": \"" + std::string(size_t{17} << 20, '1') + "\"}"};
  });
  EXPECT_TRUE(Counter(server.url())->Measure("int call").stood_in);
}

TEST_F(HttpTokenCounterTest, DoesNotWaitAgainForAServerThatIsDown) {
  ScriptedTokenizeServer server([](const std::string& body) {
    Reply reply = CountBytes(body);
    reply.hang = true;
    return reply;
  });
  const auto counter = Counter(server.url(), absl::Milliseconds(100));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(counter->Measure("text " + std::to_string(i)).stood_in);
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(HttpTokenCounterTest, AsksAgainAfterAPause) {
  std::atomic<bool> up = false;
  ScriptedTokenizeServer server(
      [&up](const std::string& body) { return up ? CountBytes(body) : Reply{.status = 503, .body = "loading"}; });
  const auto counter = Counter(server.url());
  EXPECT_TRUE(counter->Measure("kernel").stood_in);
  up = true;
  EXPECT_TRUE(counter->Measure("kernel").stood_in) << "the pause is not over";
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(counter->Measure("kernel").tokens, 7);
  EXPECT_FALSE(counter->Measure("kernel").stood_in);
}

TEST_F(HttpTokenCounterTest, StandsInWhereNobodyListens) {
  std::string url;
  { url = ScriptedTokenizeServer(CountBytes).url(); }
  EXPECT_TRUE(Counter(url)->Measure("kernel").stood_in);
}

TEST_F(HttpTokenCounterTest, ServesManyThreads) {
  ScriptedTokenizeServer server(CountBytes);
  const auto counter = Counter(server.url());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counter, t] {
      for (int i = 1; i < 40; ++i) EXPECT_EQ(counter->Count(std::string(i * (t + 1), 'a')), i * (t + 1) + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HttpTokenCounterTest, IsMadeFromTheConfig) {
  config::v1::TokenCounting config;
  config.set_kind("http");
  EXPECT_EQ(common::FieldOf(MakeTokenCounter(config, clock_).status()), "token_counting.url");
  config.set_url("127.0.0.1:8000");
  EXPECT_EQ(common::FieldOf(MakeTokenCounter(config, clock_).status()), "token_counting.url");
  ScriptedTokenizeServer server(CountBytes);
  config.set_url(server.url());
  for (const double timeout : {-1.0, 61.0}) {
    config.set_timeout_s(timeout);
    EXPECT_EQ(common::FieldOf(MakeTokenCounter(config, clock_).status()), "token_counting.timeout_s");
  }
  config.set_timeout_s(10);
  const auto counter = MakeTokenCounter(config, clock_);
  ASSERT_TRUE(counter.ok()) << counter.status();
  EXPECT_EQ((*counter)->Count("kernel"), 7);
}

TEST(MakeTokenCounter, TakesTheConservativeOneByDefaultAndRefusesOtherKinds) {
  config::v1::TokenCounting config;
  EXPECT_EQ((*MakeTokenCounter(config, common::Clock::Real()))->name(), "conservative");
  config.set_kind("conservative");
  EXPECT_TRUE(MakeTokenCounter(config, common::Clock::Real()).ok());
  config.set_kind("tiktoken");
  EXPECT_EQ(common::FieldOf(MakeTokenCounter(config, common::Clock::Real()).status()), "token_counting.kind");
}

}  // namespace
}  // namespace kernelsmith::memory
