// Asks a model server how many tokens a text has: POST /tokenize {"model", "prompt"} -> {"count"}, as vLLM answers.
//
//   ASSIGN_OR_RETURN(auto counter, HttpTokenCounter::Create({.url = "http://127.0.0.1:8000", .model = "Qwen3-8B"},
//   clock));
//
// The server adds its begin token to every text, so a prompt's blocks together count a little above the prompt. Runs on
// the calling thread; connections are kept. No redirects are followed; loopback is never proxied.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "memory/context/tokens/asking_counter.h"

namespace kernelsmith::memory {

class HttpTokenCounter : public AskingTokenCounter {
 public:
  struct Options {
    std::string url;                            // of the server; a "/v1" or "/tokenize" at its end is the same server
    std::string model;                          // empty: the server's own
    absl::Duration timeout = absl::Seconds(2);  // of one request
  };

  // INVALID_ARGUMENT without a field if the url is none. The server need not be up.
  static absl::StatusOr<std::unique_ptr<HttpTokenCounter>> Create(Options options, const common::Clock& clock);
  ~HttpTokenCounter() override;

 private:
  class Connection;

  HttpTokenCounter(std::string endpoint, Options options, const common::Clock& clock);

  absl::StatusOr<int64_t> Ask(absl::string_view text) const override;
  std::unique_ptr<Connection> TakeConnection() const;

  const std::string endpoint_;
  const Options options_;
  mutable common::Mutex mutex_;
  mutable std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::memory
