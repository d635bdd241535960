// A client whose pauses take no time, for tests against scripted servers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/metrics.h"
#include "server/model/model_client.h"
#include "tests/server/model/scripted_model_server.h"

namespace kernelsmith::server {

class ModelClientTest : public testing::Test {
 protected:
  // One currency unit a million prompt tokens, ten a million generated ones, at most 500 of them; two retries.
  ModelClientTest() {
    config_.set_name("test");
    config_.set_model("m");
    config_.set_max_completion_tokens(500);
    config_.set_price_per_million_prompt_tokens(1);
    config_.set_price_per_million_completion_tokens(10);
    config_.set_max_retries(2);
  }

  ModelClient& Client(const std::string& base_url) {
    config_.set_base_url(base_url);
    options_.pause = [this](absl::Duration delay, const CancelCheck&) { pauses_.push_back(delay); };
    auto client = ModelClient::Create(config_, metrics_, options_);
    EXPECT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
    return *client_;
  }

  ModelCallResult Ask(const std::string& base_url) {
    ModelClient& client = Client(base_url);
    call_ = client.Prepare({{"system", "s"}, {"user", "u"}}, {.temperature = 0.5});
    return client.Ask(call_, "key-1", [] { return false; });
  }

  double Requests(const std::string& outcome) {
    return metrics_
        .AddCounter("kernelsmith_model_requests_total", "HTTP requests to model endpoints by outcome, retries included",
                    {{"endpoint", "test"}, {"outcome", outcome}})
        .Value();
  }

  common::Metrics metrics_;
  config::v1::ModelEndpoint config_;
  ModelClientOptions options_;
  std::vector<absl::Duration> pauses_;
  std::unique_ptr<ModelClient> client_;
  PreparedCall call_;
};

}  // namespace kernelsmith::server
