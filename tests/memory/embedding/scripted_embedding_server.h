// An embeddings endpoint that says what its script says, over real HTTP on a free loopback port.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/mutex.h"

namespace kernelsmith::memory {

struct EmbeddingReply {
  int status = 200;
  std::string retry_after;
  std::string body;   // empty: a vector {length of the text, 1, 0} for each text
  bool hold = false;  // says nothing until the server is released
};

class ScriptedEmbeddingServer {
 public:
  // Replies in turn; past the end the default one.
  explicit ScriptedEmbeddingServer(std::vector<EmbeddingReply> replies) : replies_(std::move(replies)) {
    server_.Post("/v1/embeddings",
                 [this](const httplib::Request& request, httplib::Response& response) { Answer(request, response); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // stop() does nothing before
  }
  ~ScriptedEmbeddingServer() {
    released_ = true;
    server_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }

  std::vector<nlohmann::json> requests() {
    const common::MutexLock lock(mutex_);
    return requests_;
  }
  std::vector<std::string> authorizations() {
    const common::MutexLock lock(mutex_);
    return authorizations_;
  }

 private:
  void Answer(const httplib::Request& request, httplib::Response& response) {
    EmbeddingReply reply;
    const nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
    {
      const common::MutexLock lock(mutex_);
      if (requests_.size() < replies_.size()) reply = replies_[requests_.size()];
      requests_.push_back(body);
      authorizations_.push_back(request.get_header_value("Authorization"));
    }
    while (reply.hold && !released_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    response.status = reply.status;
    if (!reply.retry_after.empty()) response.set_header("Retry-After", reply.retry_after);
    if (reply.body.empty()) {
      nlohmann::json data = nlohmann::json::array();
      for (size_t i = body["input"].size(); i-- > 0;) {  // servers may answer in any order
        data.push_back({{"index", i}, {"embedding", {body["input"][i].get<std::string>().size(), 1, 0}}});
      }
      reply.body = nlohmann::json{{"data", data}}.dump();
    }
    response.set_content(reply.body, "application/json");
  }

  const std::vector<EmbeddingReply> replies_;
  httplib::Server server_;
  int port_ = 0;
  std::atomic<bool> released_{false};
  common::Mutex mutex_;
  std::vector<nlohmann::json> requests_ GUARDED_BY(mutex_);
  std::vector<std::string> authorizations_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace kernelsmith::memory
