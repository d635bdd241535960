// One model endpoint: asks it, keeps its limits, and says what every call cost.
//
//   ASSIGN_OR_RETURN(auto client, ModelClient::Create(config, metrics));
//   const PreparedCall call = client->Prepare(messages, {.temperature = 0.2});
//   ... make an intent with call.body and call.reserved_money durable ...
//   const ModelCallResult result = client->Ask(call, intent_id, cancelled);
//   if (result.status.ok()) Use(result.reply.text);
//   Store(result.ledger);                                   // on failure too
//
// Cost. Before sending, the prompt's estimate and the most that may be generated are reserved at list price. A call
// settles at the usage that the server reports, or at the estimate of what it sent if it reports none. A failed call
// settles at the reservation if any of its requests reached the server and may have been worked on, else at nothing.
//
// Errors. FAILED_PRECONDITION: the server refuses (4xx, a redirect, an untrusted certificate) or there is no key;
// someone has to change something. UNAVAILABLE: no connection, no answer, overload, a broken or oversized reply; the
// message says after how many requests. CANCELLED: `cancelled` said so. No message, log line or ledger row holds the
// key.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/model/call_slots.h"
#include "server/model/chat_completion.h"
#include "server/model/endpoint.h"
#include "server/model/http_post.h"
#include "server/model/model_metrics.h"

namespace kernelsmith::server {

// What a job chooses; empty or zero takes the endpoint's value.
struct CallSettings {
  std::string model;
  double temperature = 0;
  int64_t max_completion_tokens = 0;
};

struct PreparedCall {
  std::string body;  // exact request
  TokenUsage reserved;
  double reserved_money = 0;
};

// One line of the ledger.
struct ModelCallLedger {
  TokenUsage usage;  // what the call was settled at
  double money = 0;
  bool estimated = false;  // the server reported no usage
  absl::Time begin;
  absl::Time end;
  int http_attempts = 0;  // requests that were begun, retries included
  std::string outcome;  // "ok", "rejected", "overloaded", "no_connection", "no_answer", "timeout", "cut", "malformed",
                        // "too_long", "cancelled"
};

struct ModelCallResult {
  absl::Status status;
  ChatReply reply;         // if ok
  std::string reply_body;  // if ok, as ParseCompletion reads it; a streamed reply is joined
  ModelCallLedger ledger;
};

struct ModelClientOptions {
  const common::Clock* clock = &common::Clock::Real();
  size_t max_reply_bytes = size_t{16} << 20;
  // Pauses between retries. Empty: sleeps, and looks at `cancelled` every 20 ms.
  std::function<void(absl::Duration, const CancelCheck&)> pause;
};

// Thread-safe.
class ModelClient {
 public:
  // INVALID_ARGUMENT as ResolveEndpoint, FAILED_PRECONDITION as common::LoadApiKey. `metrics` must outlive the client.
  static absl::StatusOr<std::unique_ptr<ModelClient>> Create(const config::v1::ModelEndpoint& config,
                                                             common::Metrics& metrics, ModelClientOptions options = {});

  PreparedCall Prepare(const std::vector<ChatMessage>& messages, const CallSettings& settings) const;

  // Sends `call`, again where that may help, always under the same Idempotency-Key. The key file is read anew, so that
  // a key can be replaced while the server runs.
  ModelCallResult Ask(const PreparedCall& call, const std::string& idempotency_key, const CancelCheck& cancelled);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  ModelClient(config::v1::ModelEndpoint config, Endpoint endpoint, common::Metrics& metrics,
              ModelClientOptions options);

  const config::v1::ModelEndpoint config_;
  const Endpoint endpoint_;
  const ModelClientOptions options_;
  ModelMetrics metrics_;
  CallSlots slots_;
};

}  // namespace kernelsmith::server
