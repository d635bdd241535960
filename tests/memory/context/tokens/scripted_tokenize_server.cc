#include "tests/memory/context/tokens/scripted_tokenize_server.h"

#include <httplib.h>

namespace kernelsmith::memory::testing {

ScriptedTokenizeServer::ScriptedTokenizeServer(Script script)
    : script_(std::move(script)), server_(std::make_unique<httplib::Server>()) {
  server_->Post("/tokenize", [this](const httplib::Request& request, httplib::Response& response) {
    ++requests_;
    const Reply reply = script_(request.body);
    while (reply.hang && !stopping_) std::this_thread::yield();
    response.status = reply.status;
    response.set_content(reply.body, "application/json");
  });
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

ScriptedTokenizeServer::~ScriptedTokenizeServer() {
  stopping_ = true;
  server_->stop();
  thread_.join();
}

std::string ScriptedTokenizeServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

}  // namespace kernelsmith::memory::testing
