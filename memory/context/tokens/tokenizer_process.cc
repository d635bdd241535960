#include "memory/context/tokens/tokenizer_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr uint32_t kLongestText = uint32_t{64} << 20;
constexpr uint32_t kLongestMessage = 4096;

using Deadline = std::chrono::steady_clock::time_point;

Deadline After(absl::Duration timeout) { return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout); }

absl::Status WaitFor(int socket, int16_t events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return absl::UnavailableError("the tokenizer does not answer in time");
    pollfd descriptor{.fd = socket, .events = events, .revents = 0};
    const int ready = poll(&descriptor, 1, static_cast<int>(left.count()));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return common::ErrnoStatus(errno, "poll of the tokenizer");
  }
}

// Sends or receives `size` bytes; `move` is send or recv of the rest.
template <typename Move>
absl::Status Transfer(int socket, int16_t events, size_t size, Deadline deadline, const Move& move) {
  for (size_t done = 0; done < size;) {
    RETURN_IF_ERROR(WaitFor(socket, events, deadline));
    const ssize_t moved = move(done);
    if (moved > 0) {
      done += static_cast<size_t>(moved);
    } else if (moved == 0 || (errno != EINTR && errno != EAGAIN)) {
      return absl::UnavailableError("the tokenizer ended");
    }
  }
  return absl::OkStatus();
}

absl::Status Send(int socket, absl::string_view bytes, Deadline deadline) {
  return Transfer(socket, POLLOUT, bytes.size(), deadline, [&](size_t done) {
    return send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

absl::Status Receive(int socket, char* bytes, size_t size, Deadline deadline) {
  return Transfer(socket, POLLIN, size, deadline,
                  [&](size_t done) { return recv(socket, bytes + done, size - done, MSG_DONTWAIT); });
}

template <typename Number>
absl::StatusOr<Number> ReceiveNumber(int socket, Deadline deadline) {
  unsigned char bytes[sizeof(Number)];
  RETURN_IF_ERROR(Receive(socket, reinterpret_cast<char*>(bytes), sizeof(bytes), deadline));
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(bytes); ++i) value |= uint64_t{bytes[i]} << (8 * i);
  return static_cast<Number>(value);
}

// The hello of the program.
absl::Status ReceiveHello(int socket, Deadline deadline) {
  ASSIGN_OR_RETURN(const auto length, ReceiveNumber<uint32_t>(socket, deadline));
  if (length == 0) return absl::OkStatus();
  if (length > kLongestMessage) return absl::FailedPreconditionError("it is no kernelsmith-sentencepiece");
  std::string message(length, '\0');
  RETURN_IF_ERROR(Receive(socket, message.data(), message.size(), deadline));
  return absl::FailedPreconditionError(message);
}

// 0 or an error number. The child has `socket` as standard input and output and nothing else of ours.
int Spawn(const std::string& program, const std::string& model_file, int socket, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program_argument = program;
  std::string model_argument = model_file;
  char* const arguments[] = {program_argument.data(), model_argument.data(), nullptr};
  char* const environment[] = {nullptr};
  const int error = posix_spawn(pid, program.c_str(), &actions, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenizerProcess>> TokenizerProcess::Start(const std::string& program,
                                                                          const std::string& model_file,
                                                                          absl::Duration timeout) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return common::ErrnoStatus(errno, "socketpair for the tokenizer");
  }
  pid_t pid = 0;
  const int error = Spawn(program, model_file, sockets[1], &pid);
  close(sockets[1]);
  if (error != 0) {
    close(sockets[0]);
    return absl::FailedPreconditionError(
        absl::StrCat("the program '", program, "' cannot be started: ", std::strerror(error)));
  }
  std::unique_ptr<TokenizerProcess> process(new TokenizerProcess(pid, sockets[0]));
  const absl::Status hello = ReceiveHello(process->socket_, After(timeout));
  if (hello.ok()) return process;
  return absl::FailedPreconditionError(
      absl::StrCat("the model file '", model_file, "' cannot be loaded: ", hello.message()));
}

TokenizerProcess::~TokenizerProcess() {
  close(socket_);
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

absl::StatusOr<int64_t> TokenizerProcess::Count(absl::string_view text, absl::Duration timeout) {
  if (text.size() > kLongestText) return absl::UnavailableError("the text is longer than 64 MiB");
  const Deadline deadline = After(timeout);
  std::string header(4, '\0');
  for (size_t i = 0; i < header.size(); ++i) header[i] = static_cast<char>(text.size() >> (8 * i));
  RETURN_IF_ERROR(Send(socket_, header, deadline));
  RETURN_IF_ERROR(Send(socket_, text, deadline));
  ASSIGN_OR_RETURN(const auto tokens, ReceiveNumber<int64_t>(socket_, deadline));
  if (tokens < 0) return absl::UnavailableError("the tokenizer cannot count this text");
  return tokens;
}

std::string SentencePieceProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "kernelsmith-sentencepiece").string();
}

}  // namespace kernelsmith::memory
