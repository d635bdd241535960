// A TCP server that answers every connection with the same bytes and closes it: for replies that no HTTP library would
// write.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace kernelsmith::server {

class RawServer {
 public:
  explicit RawServer(std::string answer);
  ~RawServer();

  int port() const { return port_; }
  int connections() const { return connections_.load(); }

 private:
  void Serve();

  const std::string answer_;
  int port_ = 0;
  int listener_ = -1;  // sets port_
  std::atomic<int> connections_{0};
  std::thread thread_;
};

// A port on which nothing listens.
int ClosedPort();

}  // namespace kernelsmith::server
