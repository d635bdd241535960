#include "memory/context/tokens/sentencepiece_counter.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::memory {

absl::StatusOr<std::unique_ptr<SentencePieceCounter>> SentencePieceCounter::Create(Options options,
                                                                                   const common::Clock& clock) {
  const int file = open(options.model_file.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return common::ErrnoStatus(errno, absl::StrCat("the model file '", options.model_file, "'"));
  close(file);
  ASSIGN_OR_RETURN(std::unique_ptr<TokenizerProcess> process,
                   TokenizerProcess::Start(options.program, options.model_file, options.load_timeout));
  return std::unique_ptr<SentencePieceCounter>(new SentencePieceCounter(std::move(options), std::move(process), clock));
}

SentencePieceCounter::SentencePieceCounter(Options options, std::unique_ptr<TokenizerProcess> process,
                                           const common::Clock& clock)
    : AskingTokenCounter(
          absl::StrCat("sentencepiece (", std::filesystem::path(options.model_file).filename().string(), ")"), clock),
      options_(std::move(options)),
      process_(std::move(process)) {}

pid_t SentencePieceCounter::pid() const {
  common::MutexLock lock(channel_mutex_);
  return process_ == nullptr ? 0 : process_->pid();
}

absl::StatusOr<int64_t> SentencePieceCounter::Ask(absl::string_view text) const {
  common::MutexLock lock(channel_mutex_);
  if (process_ == nullptr) {
    ASSIGN_OR_RETURN(process_, TokenizerProcess::Start(options_.program, options_.model_file, options_.load_timeout));
  }
  absl::StatusOr<int64_t> tokens = process_->Count(text, options_.timeout);
  if (!tokens.ok()) process_.reset();
  return tokens;
}

}  // namespace kernelsmith::memory
