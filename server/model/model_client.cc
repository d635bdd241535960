#include "server/model/model_client.h"

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/logging.h"
#include "common/model/api_key.h"
#include "common/status.h"
#include "common/version.h"
#include "server/model/attempt.h"

namespace kernelsmith::server {
namespace {

void Sleep(absl::Duration delay, const CancelCheck& cancelled) {
  const absl::Time end = absl::Now() + delay;
  while (!(cancelled && cancelled())) {
    const absl::Duration left = end - absl::Now();
    if (left <= absl::ZeroDuration()) return;
    absl::SleepFor(std::min(left, absl::Milliseconds(20)));
  }
}

HttpRequest RequestOf(const Endpoint& endpoint, const PreparedCall& call, const std::string& idempotency_key,
                      const std::string& api_key) {
  HttpRequest request{.url = endpoint.url,
                      .headers = {"Content-Type: application/json", "Accept: text/event-stream, application/json",
                                  absl::StrCat("User-Agent: kernelsmith/", common::Version()),
                                  absl::StrCat("Idempotency-Key: ", idempotency_key)},
                      .body = call.body};
  if (!api_key.empty()) request.headers.push_back(absl::StrCat("Authorization: Bearer ", api_key));
  return request;
}

}  // namespace

ModelClient::ModelClient(config::v1::ModelEndpoint config, Endpoint endpoint, common::Metrics& metrics,
                         ModelClientOptions options)
    : config_(std::move(config)),
      endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      metrics_(metrics, endpoint_.name),
      slots_(endpoint_.max_concurrent) {}

absl::StatusOr<std::unique_ptr<ModelClient>> ModelClient::Create(const config::v1::ModelEndpoint& config,
                                                                 common::Metrics& metrics, ModelClientOptions options) {
  ASSIGN_OR_RETURN(Endpoint endpoint, ResolveEndpoint(config));
  RETURN_IF_ERROR(common::LoadApiKey(config).status());
  if (!options.pause) options.pause = Sleep;
  return std::unique_ptr<ModelClient>(new ModelClient(config, std::move(endpoint), metrics, std::move(options)));
}

PreparedCall ModelClient::Prepare(const std::vector<ChatMessage>& messages, const CallSettings& settings) const {
  const int64_t most =
      settings.max_completion_tokens > 0 ? settings.max_completion_tokens : endpoint_.max_completion_tokens;
  PreparedCall call;
  call.body = RequestBody({.model = settings.model.empty() ? endpoint_.model : settings.model,
                           .messages = messages,
                           .temperature = settings.temperature,
                           .max_completion_tokens = most});
  call.reserved = ReservedUsage(messages, most);
  call.reserved_money = CostOf(call.reserved, endpoint_.price);
  return call;
}

ModelCallResult ModelClient::Ask(const PreparedCall& call, const std::string& idempotency_key,
                                 const CancelCheck& cancelled) {
  ModelCallResult result;
  result.ledger.begin = options_.clock->Now();
  const auto api_key = common::LoadApiKey(config_);
  if (!api_key.ok()) {
    result.status = api_key.status();
    result.ledger.outcome = "rejected";
    result.ledger.end = result.ledger.begin;
    return result;
  }
  const HttpRequest request = RequestOf(endpoint_, call, idempotency_key, *api_key);
  absl::BitGen random;
  bool maybe_billed = false;
  for (;;) {
    Attempt attempt;
    if (auto slot = slots_.Take(cancelled); slot.ok()) {
      const absl::Time begin = absl::Now();
      ++result.ledger.http_attempts;
      attempt = AskOnce(request, endpoint_.limits, options_.max_reply_bytes, *api_key, cancelled);
      metrics_.CountRequest(attempt.outcome, absl::Now() - begin);
    } else {
      attempt.status = slot.status();
      attempt.outcome = "cancelled";
    }
    maybe_billed |= attempt.maybe_billed;
    result.status = attempt.status;
    result.ledger.outcome = attempt.outcome;
    if (attempt.status.ok()) {
      result.reply = std::move(attempt.reply);
      break;
    }
    if (!attempt.retryable) break;
    const auto delay = DelayBeforeRetry(endpoint_.retry, result.ledger.http_attempts,
                                        RetryAfterOf(attempt.headers, options_.clock->Now()), random);
    if (!delay.ok()) {
      result.status = absl::UnavailableError(absl::StrCat(attempt.status.message(), "; ", delay.status().message()));
      break;
    }
    common::LogWarning("model.retry", {{"endpoint", endpoint_.name},
                                       {"call", idempotency_key},
                                       {"after", std::string(attempt.status.message())},
                                       {"delay", absl::FormatDuration(*delay)}});
    metrics_.CountRetry();
    options_.pause(*delay, cancelled);
  }
  if (result.status.ok()) {
    result.reply_body = CompletionBody(result.reply);
    result.ledger.estimated = !result.reply.usage.has_value();
    result.ledger.usage =
        result.reply.usage.value_or(TokenUsage{call.reserved.prompt, EstimateTokens(result.reply.text), 0});
  } else {
    result.status = common::Annotate(result.status, absl::StrCat("model endpoint '", endpoint_.name, "'"));
    if (maybe_billed) result.ledger.usage = call.reserved;
  }
  result.ledger.money = CostOf(result.ledger.usage, endpoint_.price);
  result.ledger.end = options_.clock->Now();
  metrics_.CountCall(result.ledger.usage, result.ledger.money);
  return result;
}

}  // namespace kernelsmith::server
