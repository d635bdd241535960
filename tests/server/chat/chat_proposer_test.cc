// The chat proposer against a scripted model server over real HTTP.
#include "server/proposers/chat/chat_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/file_io.h"
#include "tests/server/chat/chat_request.h"
#include "tests/server/chat/fake_model_call_log.h"
#include "tests/server/model/scripted_model_server.h"

namespace kernelsmith::server {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ChatProposerTest : public testing::Test {
 protected:
  // Serves `script`; prices as in ModelClientTest: 0.001 a call in and 0.001 out.
  Proposer& Start(ModelScript script) {
    server_ = std::make_unique<ScriptedModelServer>(std::move(script));
    config::v1::CoordinatorConfig config;
    config::v1::ModelEndpoint& endpoint = *config.add_endpoints();
    endpoint = endpoint_;
    endpoint.set_name("test");
    endpoint.set_model("m");
    endpoint.set_base_url(server_->base_url());
    endpoint.set_price_per_million_prompt_tokens(1);
    endpoint.set_price_per_million_completion_tokens(10);
    endpoint.set_max_completion_tokens(500);
    endpoint.set_max_retries(1);
    ModelClientOptions options;
    options.pause = [](absl::Duration, const CancelCheck&) {};
    endpoints_ = *ModelEndpoints::Create(config, metrics_, options);
    proposer_ = MakeChatProposer({*endpoints_, log_});
    return *proposer_;
  }

  const std::string& Folder() { return folder_->path(); }

  absl::StatusOr<common::TemporaryFolder> folder_ = common::TemporaryFolder::Make("chat");
  common::ContentStore content_ = *common::ContentStore::Open(folder_->path());
  FakeModelCallLog log_{content_};
  common::Metrics metrics_;
  config::v1::ModelEndpoint endpoint_;
  std::unique_ptr<ScriptedModelServer> server_;
  std::unique_ptr<ModelEndpoints> endpoints_;
  std::unique_ptr<Proposer> proposer_;
};

TEST_F(ChatProposerTest, TurnsAReplyIntoACandidate) {
  const auto result = Start({.replies = {{.text = ReplyText()}}}).Propose(RoundRequest());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->candidate.has_value());
  EXPECT_THAT(result->candidate->files(0).content(), HasSubstr("ks_kernel"));
  const v1::Proposal& proposal = result->proposal;
  EXPECT_EQ(proposal.error(), "");
  EXPECT_EQ(proposal.author().kind(), "chat");
  EXPECT_EQ(proposal.author().model(), "m");
  EXPECT_EQ(proposal.author().version(), "scripted-model");
  EXPECT_EQ(proposal.author().settings(), R"({"endpoint":"test","temperature":0.25,"max_completion_tokens":500})");
  EXPECT_EQ(proposal.thought().id(), "threads");
  EXPECT_EQ(proposal.thought().layer(), v1::CORE_PARTITION);
  EXPECT_EQ(proposal.hypothesis(), "half the time");
  ASSERT_EQ(proposal.adoption_size(), 2);
  EXPECT_EQ(proposal.adoption(0).item_id(), "item-1");
  EXPECT_EQ(proposal.adoption(1).state(), v1::ADOPTED);
  EXPECT_EQ(proposal.prompt_tokens(), 1000);
  EXPECT_EQ(proposal.completion_tokens(), 100);
  EXPECT_DOUBLE_EQ(proposal.money(), 0.002);
}

TEST_F(ChatProposerTest, AsksOnceWithTheRenderedPromptUnderTheIntentsKey) {
  ProposalRequest request = RoundRequest();
  request.spec.mutable_proposer()->mutable_chat()->set_model("other");
  request.spec.mutable_proposer()->mutable_chat()->set_max_completion_tokens(77);
  ASSERT_TRUE(Start({.replies = {{.text = ReplyText()}}}).Propose(request).ok());
  ASSERT_EQ(server_->requests().size(), 1u);
  const RecordedRequest sent = server_->requests()[0];
  EXPECT_EQ(sent.headers.at("idempotency-key"), "intent-1");
  EXPECT_EQ(sent.body["model"], "other");
  EXPECT_EQ(sent.body["temperature"], 0.25);
  EXPECT_EQ(sent.body["max_completion_tokens"], 77);
  ASSERT_EQ(sent.body["messages"].size(), 2u);
  EXPECT_EQ(sent.body["messages"][0]["role"], "system");
  EXPECT_EQ(sent.body["messages"][1]["role"], "user");
  EXPECT_THAT(sent.body["messages"][1]["content"].get<std::string>(), HasSubstr("<ks-item id=\"item-2\""));
}

TEST_F(ChatProposerTest, StoresTheExactPromptAndTheReply) {
  const auto result = Start({.replies = {{.text = ReplyText()}}}).Propose(RoundRequest());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->proposal.transcripts_size(), 2);
  EXPECT_EQ(*content_.Get(result->proposal.transcripts(0).digest()), server_->requests()[0].raw_body);
  EXPECT_THAT(*content_.Get(result->proposal.transcripts(1).digest()), HasSubstr("I will try this."));
}

TEST_F(ChatProposerTest, RepairsAMalformedReplyOnce) {
  struct {
    const char* name;
    std::string reply;
    const char* error;
  } cases[] = {
      {"no code", "I cannot do that.", "there is no code block for kernel.cpp"},
      {"no account", kKernelBlock, "there are 0 fenced json blocks"},
      {"adoption of one item only", ReplyText(R"([{"item_id": "item-1", "state": "ADOPTED", "reason": "r"}])"),
       "adoption has no entry for item-2"},
      {"empty reply", "", "there is no code block"},
  };
  for (const auto& c : cases) {
    log_.entries.clear();
    const auto result =
        Start({.replies = {{.text = c.reply}, {.text = ReplyText("{{not_adopted}}")}}}).Propose(RoundRequest());
    ASSERT_TRUE(result.ok()) << c.name << result.status();
    EXPECT_TRUE(result->candidate.has_value()) << c.name;
    EXPECT_EQ(result->proposal.adoption(0).state(), v1::NOT_ADOPTED);
    EXPECT_EQ(result->proposal.prompt_tokens(), 2000);
    EXPECT_EQ(result->proposal.completion_tokens(), 200);
    EXPECT_DOUBLE_EQ(result->proposal.money(), 0.004);
    EXPECT_EQ(result->proposal.transcripts_size(), 4);
    ASSERT_EQ(server_->requests().size(), 2u);
    const nlohmann::json messages = server_->requests()[1].body["messages"];
    ASSERT_EQ(messages.size(), 4u);
    EXPECT_EQ(messages[0], server_->requests()[0].body["messages"][0]);
    EXPECT_EQ(messages[1], server_->requests()[0].body["messages"][1]);
    EXPECT_EQ(messages[2]["role"], "assistant");
    EXPECT_EQ(messages[3]["role"], "user");
    EXPECT_THAT(messages[3]["content"].get<std::string>(), HasSubstr(c.error)) << c.name;
    EXPECT_NE(server_->requests()[0].headers.at("idempotency-key"),
              server_->requests()[1].headers.at("idempotency-key"));
  }
}

TEST_F(ChatProposerTest, GivesUpAfterTheRepairTurn) {
  const auto result =
      Start({.replies = {{.text = "no"},
                         {.text = ReplyText(R"([{"item_id": "item-2", "state": "ADOPTED", "reason": "r"}])")}}})
          .Propose(RoundRequest());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->candidate.has_value());
  EXPECT_EQ(result->proposal.error(),
            "the model's reply could not be used, nor could the repaired one: adoption has no entry for item-1");
  ASSERT_EQ(result->proposal.adoption_size(), 2);
  EXPECT_EQ(result->proposal.adoption(0).item_id(), "item-2");
  EXPECT_EQ(result->proposal.adoption(0).state(), v1::ADOPTED);
  EXPECT_EQ(result->proposal.adoption(1).item_id(), "item-1");
  EXPECT_EQ(result->proposal.adoption(1).state(), v1::NOT_ADOPTED);
  EXPECT_EQ(result->proposal.adoption(1).reason(), "no valid reply");
  EXPECT_EQ(server_->requests().size(), 2u);
  EXPECT_DOUBLE_EQ(result->proposal.money(), 0.004);
}

TEST_F(ChatProposerTest, TellsTheModelThatItsReplyWasCutAtTheLimitOfTokens) {
  const auto result =
      Start({.replies = {{.text = "```cpp kernel.cpp\nint", .finish_reason = "length"}, {.text = ReplyText()}}})
          .Propose(RoundRequest());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(server_->requests()[1].body["messages"][3]["content"].get<std::string>(),
              AllOf(HasSubstr("cut at the limit of tokens"), HasSubstr("begins in line 1 has no end")));
}

TEST_F(ChatProposerTest, UsesAReplyThatIsOnDisk) {
  Proposer& proposer = Start({.replies = {{.text = "bad"}, {.text = ReplyText()}}});
  const auto first = proposer.Propose(RoundRequest());
  const auto again = proposer.Propose(RoundRequest());
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(server_->requests().size(), 2u);
  EXPECT_EQ(first->proposal.SerializeAsString(), again->proposal.SerializeAsString());
  EXPECT_EQ(first->candidate->SerializeAsString(), again->candidate->SerializeAsString());
}

TEST_F(ChatProposerTest, SendsOnlyTheRepairWhereTheFirstReplyIsOnDisk) {
  Proposer& proposer = Start({.replies = {{.text = "bad"}, {.status = 400, .text = "no"}, {.text = ReplyText()}}});
  EXPECT_EQ(proposer.Propose(RoundRequest()).status().code(), StatusCode::kFailedPrecondition);
  const auto result = proposer.Propose(RoundRequest());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(server_->requests().size(), 3u);
  EXPECT_EQ(server_->requests()[2].raw_body, server_->requests()[1].raw_body);
}

TEST_F(ChatProposerTest, RepeatsACallInDoubtOnceUnderItsKey) {
  Proposer& proposer = Start({.replies = {{.text = ReplyText()}}, .repeat_last = true});
  log_.lose_next_end = true;
  EXPECT_EQ(proposer.Propose(RoundRequest()).status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(proposer.Propose(RoundRequest()).ok());
  ASSERT_EQ(server_->requests().size(), 2u);
  EXPECT_EQ(server_->requests()[0].headers.at("idempotency-key"), server_->requests()[1].headers.at("idempotency-key"));
  EXPECT_EQ(server_->requests()[0].raw_body, server_->requests()[1].raw_body);
}

TEST_F(ChatProposerTest, RecordsWhatAFailedCallCost) {
  Proposer& proposer = Start({.replies = {{.text = ReplyText(), .fault = Fault::kCutStream}, {.text = ReplyText()}}});
  EXPECT_EQ(proposer.Propose(RoundRequest()).status().code(), StatusCode::kUnavailable);
  ASSERT_EQ(log_.ended.size(), 1u);
  EXPECT_THAT(log_.ended[0].error(), HasSubstr("the reply was cut"));
  EXPECT_DOUBLE_EQ(log_.ended[0].money(), log_.reserved[0]);
  EXPECT_EQ(log_.ended[0].http_attempts(), 1);
  const auto result = proposer.Propose(RoundRequest());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(result->proposal.money(), 0.002);
}

TEST_F(ChatProposerTest, TellsInfrastructureFromMistakes) {
  struct {
    const char* name;
    ScriptedReply reply;
    StatusCode code;
  } cases[] = {
      {"bad request", {.status = 400}, StatusCode::kFailedPrecondition},
      {"bad key", {.status = 401}, StatusCode::kFailedPrecondition},
      {"no such model", {.status = 404}, StatusCode::kFailedPrecondition},
      {"overload", {.status = 429}, StatusCode::kUnavailable},
      {"long Retry-After", {.status = 429, .headers = {{"Retry-After", "9999"}}}, StatusCode::kUnavailable},
      {"broken server", {.status = 500}, StatusCode::kUnavailable},
      {"malformed JSON", {.body = "data: {]\n\n"}, StatusCode::kUnavailable},
      {"garbage", {.body = "\x01\x02\xFF"}, StatusCode::kUnavailable},
  };
  for (const auto& c : cases) {
    log_.entries.clear();
    const auto result = Start({.replies = {c.reply}, .repeat_last = true}).Propose(RoundRequest());
    EXPECT_EQ(result.status().code(), c.code) << c.name << ": " << result.status();
  }
}

TEST_F(ChatProposerTest, AsksNothingWhereTheBudgetHasNoRoom) {
  log_.money_left = 0.001;
  EXPECT_EQ(Start({}).Propose(RoundRequest()).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(server_->requests().size(), 0u);
  EXPECT_GE(log_.reserved[0], 0.005) << "500 tokens at 10 a million, and the prompt";
}

TEST_F(ChatProposerTest, StopsInTheMiddleOfACall) {
  Proposer& proposer = Start({.replies = {{.text = ReplyText(), .fault = Fault::kHoldStream}, {.text = ReplyText()}}});
  absl::Status status;
  std::thread caller([&] { status = proposer.Propose(RoundRequest()).status(); });
  EXPECT_TRUE(server_->WaitForRequests(1));
  log_.Stop();
  caller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(log_.ended.empty()) << "the call stays in doubt";
}

TEST_F(ChatProposerTest, RefusesWhatItCannotDo) {
  Proposer& proposer = Start({});
  ProposalRequest request = RoundRequest();
  request.spec.mutable_proposer()->mutable_chat()->set_endpoint("elsewhere");
  EXPECT_THAT(std::string(proposer.Propose(request).status().message()), HasSubstr("choose one of: test"));
  request = RoundRequest();
  request.card_kind = "abacus";
  EXPECT_EQ(proposer.Propose(request).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(server_->requests().size(), 0u);
}

TEST_F(ChatProposerTest, TakesTheOnlyEndpointWhereTheJobNamesNone) {
  ProposalRequest request = RoundRequest({});
  request.spec.mutable_proposer()->mutable_chat()->clear_endpoint();
  EXPECT_TRUE(Start({.replies = {{.text = ReplyText("[]")}}}).Propose(request).ok());
}

}  // namespace
}  // namespace kernelsmith::server
