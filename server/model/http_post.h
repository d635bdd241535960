// One HTTP POST with four limits and a way out, through libcurl.
//
//   const HttpResult result = PostOnce({.url = url, .headers = {"Content-Type: application/json"}, .body = body},
//   limits,
//                                      [&](const HttpHead& head, absl::string_view bytes) { ...; return true; },
//                                      [&] { return stopping.load(); });
//
// Runs on the calling thread. No redirects are followed, so that a key never goes to another host. Proxies come from
// the environment as for curl; loopback is never proxied.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/model/retry_rules.h"

namespace kernelsmith::server {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
};

struct HttpLimits {
  absl::Duration connect = absl::Seconds(5);       // name look-up, TCP and TLS
  absl::Duration first_byte = absl::Seconds(120);  // from the connection to the first byte of the reply's body
  absl::Duration idle = absl::Seconds(60);         // between two pieces of the body
  absl::Duration total = absl::Seconds(600);       // of the whole request
};

struct HttpHead {
  int status = 0;  // 0 before a status line came
  HttpHeaders headers;
};

enum class HttpEnd {
  kComplete,      // the whole body came
  kStopped,       // the sink wanted no more
  kNoConnection,  // nothing was sent
  kUntrusted,     // the server's certificate does not hold: trying again does not help
  kNoAnswer,      // the connection ended before the first byte of a body
  kFirstByteTimeout,
  kIdleTimeout,
  kTotalTimeout,
  kCut,  // the connection ended, or broke the protocol, inside the body
  kCancelled,
};

struct HttpResult {
  HttpEnd end = HttpEnd::kNoConnection;
  HttpHead head;
  bool sent = false;      // the server has the whole request
  bool answered = false;  // a byte of a body came
  std::string detail;     // one clause: "connection refused", "no byte for 60s"
};

// Gets pieces of the body; false ends the transfer.
using BodySink = std::function<bool(const HttpHead& head, absl::string_view bytes)>;
// Polled at least every 50 ms; true ends the transfer.
using CancelCheck = std::function<bool()>;

HttpResult PostOnce(const HttpRequest& request, const HttpLimits& limits, const BodySink& sink,
                    const CancelCheck& cancelled);

}  // namespace kernelsmith::server
