#include "memory/embedding/http_embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/model/http_post.h"
#include "tests/memory/embedding/scripted_embedding_server.h"

namespace kernelsmith::memory {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::string Said(const absl::Status& status) { return std::string(status.message()); }

class HttpEmbedderTest : public testing::Test {
 protected:
  void Start(std::vector<EmbeddingReply> replies) {
    server_ = std::make_unique<ScriptedEmbeddingServer>(std::move(replies));
    options_.url = server_->url();
    Make();
  }

  void Make() {
    options_.model = "m";
    options_.dimensions = 3;
    options_.clock = &clock_;
    options_.pause = [this](absl::Duration pause) {
      pauses_.push_back(pause);
      clock_.Advance(pause);
    };
    auto made = HttpEmbedder::Make(options_, std::make_unique<RecentEmbeddings>(100));
    ASSERT_TRUE(made.ok()) << made.status();
    embedder_ = *std::move(made);
  }

  common::ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::vector<absl::Duration> pauses_;
  HttpEmbedderOptions options_;
  std::unique_ptr<ScriptedEmbeddingServer> server_;
  std::unique_ptr<HttpEmbedder> embedder_;
};

TEST_F(HttpEmbedderTest, SendsBatchesAndReturnsUnitVectorsInOrder) {
  options_.batch = 2;
  Start({});
  const auto vectors = embedder_->Embed({"a", "bb", "ccc"});
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  ASSERT_THAT(*vectors, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    const double length = std::sqrt(static_cast<double>((i + 1) * (i + 1)) + 1);
    EXPECT_NEAR((*vectors)[i][0], static_cast<double>(i + 1) / length, 1e-6);
    EXPECT_NEAR((*vectors)[i][1], 1 / length, 1e-6);
  }
  const auto requests = server_->requests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0]["model"], "m");
  EXPECT_EQ(requests[0]["input"], (nlohmann::json{"a", "bb"}));
  EXPECT_EQ(requests[1]["input"], nlohmann::json::array({"ccc"}));
  EXPECT_EQ(embedder_->id(), "http/m/3");
}

TEST_F(HttpEmbedderTest, WhatWasEmbeddedIsNotSentAgain) {
  Start({});
  ASSERT_TRUE(embedder_->Embed({"a", "b"}).ok());
  ASSERT_TRUE(embedder_->Embed({"b", "c", "a"}).ok());
  ASSERT_TRUE(embedder_->EmbedQuery("c").ok());
  const auto requests = server_->requests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[1]["input"], nlohmann::json::array({"c"}));
}

TEST_F(HttpEmbedderTest, BytesThatAreNoTextAreReplaced) {
  Start({});
  ASSERT_TRUE(embedder_->EmbedQuery("a\xff").ok());
  EXPECT_EQ(server_->requests()[0]["input"][0], "a\uFFFD");
}

TEST_F(HttpEmbedderTest, WaitsAsLongAsTheServerAsks) {
  Start({{.status = 429, .retry_after = "7", .body = R"({"error": {"message": "slow down"}})"}});
  ASSERT_TRUE(embedder_->Embed({"a"}).ok());
  EXPECT_THAT(pauses_, ElementsAre(absl::Seconds(7)));
}

TEST_F(HttpEmbedderTest, TriesAgainAfterServerErrorsWithGrowingJitteredPauses) {
  Start({{.status = 500, .body = "oops"}, {.status = 503, .body = "x"}, {.status = 502, .body = "x"}});
  ASSERT_TRUE(embedder_->Embed({"a"}).ok());
  ASSERT_THAT(pauses_, SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    const absl::Duration whole = options_.backoff.initial * (1 << i);
    EXPECT_GE(pauses_[static_cast<size_t>(i)], whole / 2);
    EXPECT_LE(pauses_[static_cast<size_t>(i)], whole);
  }
}

TEST_F(HttpEmbedderTest, GivesUpWithTheServersWords) {
  Start({5, {.status = 500, .body = R"({"error": {"message": "out of memory"}})"}});
  const auto vectors = embedder_->Embed({"a"});
  EXPECT_TRUE(absl::IsUnavailable(vectors.status()));
  EXPECT_THAT(Said(vectors.status()), HasSubstr("HTTP 500: out of memory"));
  EXPECT_THAT(server_->requests(), SizeIs(4));
}

TEST_F(HttpEmbedderTest, AServerThatAsksForTooLongAPauseCountsAsDown) {
  Start({{.status = 503, .retry_after = "3600", .body = "x"}});
  EXPECT_TRUE(absl::IsUnavailable(embedder_->Embed({"a"}).status()));
  EXPECT_TRUE(absl::IsUnavailable(embedder_->EmbedQuery("a").status()));
  EXPECT_THAT(server_->requests(), SizeIs(1));
  clock_.Advance(absl::Seconds(61));
  EXPECT_TRUE(embedder_->EmbedQuery("a").ok());
}

TEST_F(HttpEmbedderTest, AQueryIsTriedOnce) {
  Start({{.status = 500, .body = "x"}});
  EXPECT_TRUE(absl::IsUnavailable(embedder_->EmbedQuery("a").status()));
  EXPECT_THAT(server_->requests(), SizeIs(1));
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(HttpEmbedderTest, ASlowServerDoesNotHoldAQuery) {
  options_.query_timeout = absl::Milliseconds(50);
  Start({{.hold = true}});
  const auto vector = embedder_->EmbedQuery("a");
  EXPECT_TRUE(absl::IsUnavailable(vector.status()));
  EXPECT_THAT(Said(vector.status()), HasSubstr("no answer within 50ms"));
}

TEST_F(HttpEmbedderTest, RepliesThatCannotBeRightAreRefused) {
  struct Row {
    const char* body;
    absl::StatusCode code;
    const char* said;
  };
  const std::vector<Row> table = {
      {"{\"data\": [", absl::StatusCode::kUnavailable, "no JSON object"},
      {"[]", absl::StatusCode::kUnavailable, "no JSON object"},
      {R"({"data": []})", absl::StatusCode::kUnavailable, "0 vectors for 1 texts"},
      {R"({"data": [{"index": 0}]})", absl::StatusCode::kUnavailable, "no \"embedding\""},
      {R"({"data": [{"index": 4, "embedding": [1, 0, 0]}]})", absl::StatusCode::kUnavailable, "the index 4"},
      {R"({"data": [{"embedding": [1, 2]}]})", absl::StatusCode::kFailedPrecondition, "vectors of 2 dimensions"},
      {R"({"data": [{"embedding": [1, NaN, 0]}]})", absl::StatusCode::kUnavailable, "no JSON object"},
      {R"({"data": [{"embedding": [1, null, 0]}]})", absl::StatusCode::kUnavailable, "not finite"},
      {R"({"data": [{"embedding": [1e300, 1e300, 0]}]})", absl::StatusCode::kUnavailable, "not finite"},
      {R"({"data": [{"embedding": [0, 0, 0]}]})", absl::StatusCode::kUnavailable, "all zero"},
  };
  for (const Row& row : table) {
    Start({{.body = row.body}});
    const auto vector = embedder_->EmbedQuery("a");
    EXPECT_EQ(vector.status().code(), row.code) << row.body;
    EXPECT_THAT(Said(vector.status()), HasSubstr(row.said));
    EXPECT_TRUE(embedder_->EmbedQuery("a").ok()) << "one bad reply is not the end";
  }
}

TEST_F(HttpEmbedderTest, ARefusalIsForAPersonAndIsNotTriedAgain) {
  for (const int status : {301, 400, 401, 404, 413}) {
    Start({{.status = status, .body = R"({"message": "no such model"})"}});
    const auto vectors = embedder_->Embed({"a"});
    EXPECT_EQ(vectors.status().code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(Said(vectors.status()), HasSubstr("check embedder.url"));
    EXPECT_THAT(server_->requests(), SizeIs(1));
  }
}

TEST_F(HttpEmbedderTest, FailsAtOnceWhileTheServerIsDownAndRecovers) {
  Start({2, {.status = 500, .body = "x"}});
  EXPECT_FALSE(embedder_->EmbedQuery("a").ok());
  EXPECT_FALSE(embedder_->EmbedQuery("a").ok());
  ASSERT_THAT(server_->requests(), SizeIs(2));
  const auto vector = embedder_->EmbedQuery("a");
  EXPECT_TRUE(absl::IsUnavailable(vector.status()));
  EXPECT_THAT(Said(vector.status()), HasSubstr("it is down (HTTP 500: x)"));
  EXPECT_TRUE(absl::IsUnavailable(embedder_->Embed({"a"}).status()));
  EXPECT_THAT(server_->requests(), SizeIs(2));
  clock_.Advance(absl::Seconds(3));
  EXPECT_TRUE(embedder_->EmbedQuery("a").ok());
  EXPECT_TRUE(embedder_->EmbedQuery("b").ok());
}

TEST_F(HttpEmbedderTest, NobodyListeningIsUnavailableAndOverWhenSomeoneDoes) {
  Start({});
  server_.reset();
  EXPECT_TRUE(absl::IsUnavailable(embedder_->EmbedQuery("a").status()));
  EXPECT_TRUE(absl::IsUnavailable(embedder_->Embed({"a"}).status()));
}

TEST_F(HttpEmbedderTest, TheKeyIsSentReadAnewAndNeverShown) {
  auto folder = common::TemporaryFolder::Make("embedder-test");
  ASSERT_TRUE(folder.ok());
  options_.api_key_file = folder->path() + "/key";
  ASSERT_TRUE(common::WriteFileAtomically(options_.api_key_file, " secret-one\n").ok());
  Start({{}, {.status = 401, .body = R"({"error": {"message": "bad key secret-two"}})"}});
  ASSERT_TRUE(embedder_->EmbedQuery("a").ok());
  ASSERT_TRUE(common::WriteFileAtomically(options_.api_key_file, "secret-two").ok());
  const auto refused = embedder_->EmbedQuery("b");
  EXPECT_THAT(server_->authorizations(), ElementsAre("Bearer secret-one", "Bearer secret-two"));
  EXPECT_THAT(Said(refused.status()), HasSubstr("bad key [key]"));
  EXPECT_THAT(Said(refused.status()), Not(HasSubstr("secret")));
}

TEST_F(HttpEmbedderTest, AKeyFileThatIsNotThereIsFoundAtTheStart) {
  options_.api_key_file = "/no/such/key";
  const auto made = HttpEmbedder::Make(options_, nullptr);
  EXPECT_EQ(made.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Said(made.status()), HasSubstr("api_key_file"));
}

TEST(RetryAfterTest, ReadsSecondsAndDates) {
  const absl::Time now = absl::FromUnixSeconds(1'445'412'480);  // Wed, 21 Oct 2015 07:28:00 GMT
  EXPECT_EQ(common::ParseRetryAfter("3", now), absl::Seconds(3));
  EXPECT_EQ(common::ParseRetryAfter("Wed, 21 Oct 2015 07:28:09 GMT", now), absl::Seconds(9));
  EXPECT_EQ(common::ParseRetryAfter("Wed, 21 Oct 2015 07:27:00 GMT", now), absl::ZeroDuration());
  EXPECT_EQ(common::ParseRetryAfter("-1", now), std::nullopt);
  EXPECT_EQ(common::ParseRetryAfter("soon", now), std::nullopt);
}

}  // namespace
}  // namespace kernelsmith::memory
