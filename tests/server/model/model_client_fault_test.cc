// What the client does when the server misbehaves: every fault over real HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/logging.h"
#include "server/model/model_client.h"
#include "tests/server/model/model_client_fixture.h"
#include "tests/server/model/raw_server.h"

namespace kernelsmith::server {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string Text(const absl::Status& status) { return std::string(status.message()); }

TEST_F(ModelClientTest, RetriesOverloadUnderTheSameKey) {
  for (int status : {408, 409, 429, 500, 503}) {
    ScriptedModelServer server({.replies = {{.status = status}, {.status = status}, {.text = "x"}}});
    const ModelCallResult result = Ask(server.base_url());
    ASSERT_TRUE(result.status.ok()) << status << ": " << result.status;
    EXPECT_EQ(result.ledger.http_attempts, 3);
    ASSERT_EQ(server.requests().size(), 3u);
    for (const RecordedRequest& request : server.requests()) {
      EXPECT_EQ(request.headers.at("idempotency-key"), "key-1");
      EXPECT_EQ(request.raw_body, call_.body);
    }
    EXPECT_DOUBLE_EQ(result.ledger.money, 0.002) << "refused requests cost nothing";
  }
  EXPECT_EQ(Requests("overloaded"), 10);
}

TEST_F(ModelClientTest, WaitsAsLongAsTheServerAsks) {
  ScriptedModelServer server({.replies = {{.status = 429, .headers = {{"Retry-After", "7"}}},
                                          {.status = 429, .headers = {{"retry-after-ms", "1250"}}},
                                          {.text = "x"}}});
  ASSERT_TRUE(Ask(server.base_url()).status.ok());
  EXPECT_THAT(pauses_, ElementsAre(absl::Seconds(7), absl::Milliseconds(1250)));
}

TEST_F(ModelClientTest, GivesUpWhereTheServerAsksForTooLongAPause) {
  ScriptedModelServer server({.replies = {{.status = 429, .text = "quota", .headers = {{"Retry-After", "3600"}}}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(
      Text(result.status),
      "model endpoint 'test': HTTP 429: quota; the server asks to wait 1h, longer than max_retry_after_s accepts (2m)");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ModelClientTest, GivesUpAfterTheLastRetry) {
  ScriptedModelServer server({.replies = {{.status = 503, .text = "busy"}}, .repeat_last = true});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Text(result.status), "model endpoint 'test': HTTP 503: busy; gave up after 3 requests");
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(pauses_.size(), 2u);
  EXPECT_EQ(result.ledger.money, 0);
  EXPECT_EQ(result.ledger.outcome, "overloaded");
}

TEST_F(ModelClientTest, DoesNotRepeatWhatTheServerRefuses) {
  struct {
    int status;
    const char* advice;
  } cases[] = {{400, "context_window"}, {401, "api_key_file"},   {403, "api_key_file"},
               {404, "base_url"},       {413, "context_window"}, {302, "final address"}};
  for (const auto& c : cases) {
    ScriptedModelServer server(
        {.replies = {{.status = c.status, .text = "no", .headers = {{"Location", "http://h/"}}}}});
    const ModelCallResult result = Ask(server.base_url());
    EXPECT_EQ(result.status.code(), StatusCode::kFailedPrecondition) << c.status;
    EXPECT_THAT(Text(result.status), HasSubstr(absl::StrCat("HTTP ", c.status, ": no"))) << c.status;
    EXPECT_THAT(Text(result.status), HasSubstr(c.advice));
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(result.ledger.money, 0);
    EXPECT_EQ(result.ledger.outcome, "rejected");
  }
}

TEST_F(ModelClientTest, RetriesWhereNobodyListens) {
  const ModelCallResult result = Ask(absl::StrCat("http://127.0.0.1:", ClosedPort(), "/v1"));
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(result.ledger.http_attempts, 3);
  EXPECT_EQ(result.ledger.outcome, "no_connection");
  EXPECT_EQ(result.ledger.money, 0) << "nothing was sent";
}

TEST_F(ModelClientTest, RetriesAConnectionThatEndsWithoutAnAnswer) {
  RawServer server("");
  const ModelCallResult result = Ask(absl::StrCat("http://127.0.0.1:", server.port(), "/v1"));
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(server.connections(), 3);
  EXPECT_EQ(result.ledger.outcome, "no_answer");
  EXPECT_DOUBLE_EQ(result.ledger.money, call_.reserved_money) << "the server may have worked on it";
}

TEST_F(ModelClientTest, RetriesAServerThatSaysNothingInTime) {
  config_.set_first_byte_timeout_s(0.1);
  ScriptedModelServer server({.replies = {{.fault = Fault::kHoldFirstByte}}, .repeat_last = true});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(Text(result.status), HasSubstr("no answer after 100ms (first_byte_timeout_s); gave up after 3 requests"));
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(result.ledger.outcome, "timeout");
  EXPECT_DOUBLE_EQ(result.ledger.money, call_.reserved_money);
}

TEST_F(ModelClientTest, DoesNotRepeatAStreamThatStalls) {
  config_.set_idle_timeout_s(0.1);
  ScriptedModelServer server({.replies = {{.text = std::string(200, 'x'), .fault = Fault::kHoldStream}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(Text(result.status), HasSubstr("no byte for 100ms (idle_timeout_s)"));
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_DOUBLE_EQ(result.ledger.money, call_.reserved_money);
}

TEST_F(ModelClientTest, EndsARequestAtItsTotalLimit) {
  config_.set_total_timeout_s(0.2);
  ScriptedModelServer server({.replies = {{.text = std::string(200, 'x'), .fault = Fault::kHoldStream}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_THAT(Text(result.status), HasSubstr("no end after 200ms (total_timeout_s)"));
  EXPECT_EQ(result.ledger.outcome, "timeout");
}

TEST_F(ModelClientTest, SettlesACutStreamAtTheReservation) {
  ScriptedModelServer server({.replies = {{.text = std::string(200, 'x'), .fault = Fault::kCutStream}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(Text(result.status), HasSubstr("the reply was cut"));
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(result.ledger.usage, call_.reserved);
  EXPECT_DOUBLE_EQ(result.ledger.money, call_.reserved_money);
  EXPECT_EQ(result.ledger.outcome, "cut");
}

TEST_F(ModelClientTest, TakesAStreamThatEndsWithoutAMarkForCut) {
  ScriptedModelServer server({.replies = {{.text = "x", .finish_reason = std::nullopt, .done_line = false}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_THAT(Text(result.status), HasSubstr("neither a finish_reason nor [DONE]"));
  EXPECT_DOUBLE_EQ(result.ledger.money, call_.reserved_money);
}

TEST_F(ModelClientTest, SaysWhereAReplyIsNotJson) {
  ScriptedModelServer server(
      {.replies = {{.body = "data: {\"choices\": [}\n\n"}, {.stream = false, .body = "{\"a\" 1}"}}});
  EXPECT_THAT(Text(Ask(server.base_url()).status),
              HasSubstr("event 1 of the reply is not JSON: the error is at byte 13"));
  const ModelCallResult whole = Ask(server.base_url());
  EXPECT_THAT(Text(whole.status), HasSubstr("the model server's reply is not JSON: the error is at byte 5 of 7"));
  EXPECT_EQ(whole.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(whole.ledger.outcome, "malformed");
}

TEST_F(ModelClientTest, RefusesAReplyAboveTheLimit) {
  options_.max_reply_bytes = 10'000;
  ScriptedModelServer server({.replies = {{.text = std::string(20'000, 'x')}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(Text(result.status), HasSubstr("longer than the limit of 10000 bytes"));
  EXPECT_EQ(result.ledger.outcome, "too_long");
}

TEST_F(ModelClientTest, ReportsBytesThatAreNoHttp) {
  RawServer server("\x01\x02 this is no HTTP\r\n\r\n");
  const ModelCallResult result = Ask(absl::StrCat("http://127.0.0.1:", server.port(), "/v1"));
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(Text(result.status).empty());
}

TEST_F(ModelClientTest, ReportsGarbageInsideHttp) {
  RawServer server("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\xFF\xFE\x01garb");
  const ModelCallResult result = Ask(absl::StrCat("http://127.0.0.1:", server.port(), "/v1"));
  EXPECT_EQ(result.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(ModelClientTest, ReportsAHeaderWithoutEnd) {
  std::string answer = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 40'000; ++i) absl::StrAppend(&answer, "X-Filler-", i, ": 0123456789\r\n");
  RawServer server(answer);
  EXPECT_EQ(Ask(absl::StrCat("http://127.0.0.1:", server.port(), "/v1")).status.code(), StatusCode::kUnavailable);
}

TEST_F(ModelClientTest, TellsAnErrorThatComesInsideTheStream) {
  ScriptedModelServer server({.replies = {{.body = "data: {\"error\": {\"message\": \"engine died\"}}\n\n"}}});
  const ModelCallResult result = Ask(server.base_url());
  EXPECT_EQ(Text(result.status), "model endpoint 'test': the model server reports an error: engine died");
  EXPECT_DOUBLE_EQ(result.ledger.money, call_.reserved_money);
}

TEST_F(ModelClientTest, CancellationEndsARequestSoon) {
  for (const Fault fault : {Fault::kHoldFirstByte, Fault::kHoldStream}) {
    ScriptedModelServer server({.replies = {{.text = std::string(200, 'x'), .fault = fault}}});
    ModelClient& client = Client(server.base_url());
    const PreparedCall call = client.Prepare({{"user", "u"}}, {});
    std::atomic<bool> cancelled = false;
    ModelCallResult result;
    std::thread caller([&] { result = client.Ask(call, "k", [&] { return cancelled.load(); }); });
    EXPECT_TRUE(server.WaitForRequests(1));
    cancelled = true;
    caller.join();  // the server holds the reply: only the cancellation ends this
    EXPECT_EQ(result.status.code(), StatusCode::kCancelled);
    EXPECT_EQ(result.ledger.outcome, "cancelled");
    EXPECT_EQ(result.ledger.http_attempts, 1);
  }
}

TEST_F(ModelClientTest, CancellationEndsAPause) {
  ScriptedModelServer server({.replies = {{.status = 429, .headers = {{"Retry-After", "100"}}}}});
  config_.set_base_url(server.base_url());
  const auto client = ModelClient::Create(config_, metrics_);  // with real pauses
  std::atomic<bool> cancelled = false;
  std::thread canceller([&] {
    EXPECT_TRUE(server.WaitForRequests(1));
    cancelled = true;
  });
  const ModelCallResult result = (*client)->Ask((*client)->Prepare({}, {}), "k", [&] { return cancelled.load(); });
  canceller.join();
  EXPECT_EQ(result.status.code(), StatusCode::kCancelled);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ModelClientTest, NoMessageAndNoLogLineHoldsTheKey) {
  auto folder = common::TemporaryFolder::Make("log");
  const std::string log_file = folder->path() + "/log";
  config::v1::Observability logging;
  logging.set_log_level("debug");
  logging.set_log_file(log_file);
  ASSERT_TRUE(common::SetUpLogging("test", logging).ok());
  const std::string key = "sk-do-not-tell";
  setenv("KERNELSMITH_FAULT_TEST_KEY", key.c_str(), 1);
  config_.set_api_key_env("KERNELSMITH_FAULT_TEST_KEY");
  ScriptedModelServer server({.replies = {{.status = 500, .text = "your key " + key + " broke us"},
                                          {.status = 401, .text = "Incorrect API key provided: " + key},
                                          {.status = 400, .body = "<html>" + key + "</html>"},
                                          {.body = "data: {\"error\": {\"message\": \"" + key + "\"}}\n\n"}}});
  for (int call = 0; call < 3; ++call) {
    const ModelCallResult result = Ask(server.base_url());
    EXPECT_FALSE(result.status.ok());
    EXPECT_THAT(Text(result.status), Not(HasSubstr(key)));
    EXPECT_THAT(Text(result.status), HasSubstr("[key]"));
    EXPECT_THAT(result.ledger.outcome, Not(HasSubstr(key)));
  }
  EXPECT_EQ(server.requests().size(), 4u);
  logging.clear_log_file();
  ASSERT_TRUE(common::SetUpLogging("test", logging).ok());
  const auto log = common::ReadFile(log_file);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(*log, HasSubstr("model.retry"));
  EXPECT_THAT(*log, Not(HasSubstr(key)));
}

}  // namespace
}  // namespace kernelsmith::server
