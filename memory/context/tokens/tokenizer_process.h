// A running kernelsmith-sentencepiece with one model. libsentencepiece brings symbols of an older protobuf, so it lives
// in a process of its own; a model file that makes it crash ends that process alone.
//
//   ASSIGN_OR_RETURN(auto process, TokenizerProcess::Start(program, "tokenizer.model", absl::Seconds(20)));
//   process->Count("int x;", absl::Seconds(5));
//
// On the wire (a socket pair; numbers little endian): the program says hello with u32 length and that many bytes of an
// error message, 0 for a model that is loaded. Then, for each text: u32 length and its bytes; the answer is i64 tokens,
// -1 if it cannot be counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kernelsmith::memory {

class TokenizerProcess {
 public:
  // FAILED_PRECONDITION if the program is missing or the model cannot be loaded: says why.
  static absl::StatusOr<std::unique_ptr<TokenizerProcess>> Start(const std::string& program,
                                                                 const std::string& model_file, absl::Duration timeout);
  // Ends the program.
  ~TokenizerProcess();
  TokenizerProcess(const TokenizerProcess&) = delete;
  TokenizerProcess& operator=(const TokenizerProcess&) = delete;

  // Not thread-safe. UNAVAILABLE if the program died or does not answer in time: it cannot be used any more.
  absl::StatusOr<int64_t> Count(absl::string_view text, absl::Duration timeout);

  pid_t pid() const { return pid_; }

 private:
  TokenizerProcess(pid_t pid, int socket) : pid_(pid), socket_(socket) {}

  const pid_t pid_;
  const int socket_;
};

// Where the program stands: beside the running one.
std::string SentencePieceProgram();

}  // namespace kernelsmith::memory
