#include "tests/server/model/raw_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelsmith::server {
namespace {

int BoundSocket(int& port) {
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(socket_fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  return socket_fd;
}

}  // namespace

RawServer::RawServer(std::string answer) : answer_(std::move(answer)), listener_(BoundSocket(port_)) {
  listen(listener_, 16);
  thread_ = std::thread([this] { Serve(); });
}

RawServer::~RawServer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

void RawServer::Serve() {
  for (;;) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    ++connections_;
    // Reads what there is first: closing with unread bytes would reset the connection before the answer arrives.
    char buffer[65536];
    if (recv(connection, buffer, sizeof(buffer), 0) > 0 && !answer_.empty()) {
      (void)!send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    }
    close(connection);
  }
}

int ClosedPort() {
  int port = 0;
  close(BoundSocket(port));
  return port;
}

}  // namespace kernelsmith::server
