// Where a server is and how to speak to it. Shared by Client and MemoryClient.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace kernelsmith::client {

struct ConnectOptions {
  std::string address;      // host:port
  std::string token;        // bearer token; empty means none (loopback without a token is team "local")
  std::string token_file;   // holds the token, if `token` is empty
  std::string tls_ca_file;  // PEM; empty means plain text, which is refused for an address that is not loopback
  // Limit of one unary call.
  absl::Duration call_timeout = absl::Seconds(30);
  // A call that may be repeated safely is repeated for this long while the server is UNAVAILABLE. Zero: never.
  absl::Duration retry_for = absl::Seconds(5);
};

}  // namespace kernelsmith::client
