// A loopback server that answers POST /tokenize as it is told.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace httplib {
class Server;
}  // namespace httplib

namespace kernelsmith::memory::testing {

class ScriptedTokenizeServer {
 public:
  struct Reply {
    int status = 200;
    std::string body;
    bool hang = false;  // answers only when the server stops
  };
  // Gets the request's body. Called on the server's threads.
  using Script = std::function<Reply(const std::string& body)>;

  explicit ScriptedTokenizeServer(Script script);
  ~ScriptedTokenizeServer();

  std::string url() const;
  int requests() const { return requests_; }

 private:
  const Script script_;
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::atomic<int> requests_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace kernelsmith::memory::testing
