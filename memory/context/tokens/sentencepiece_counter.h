// Counts with a SentencePiece model file, as the model's own tokenizer does.
//
//   ASSIGN_OR_RETURN(auto counter, SentencePieceCounter::Create({.model_file = "tokenizer.model"}, clock));
//
// The model is loaded once, at creation, so a missing or damaged file is an error at start. If the tokenizer's process
// dies later, the conservative count stands in until it is up again.
#pragma once

#include <memory>
#include <string>

#include "memory/context/tokens/asking_counter.h"
#include "memory/context/tokens/tokenizer_process.h"

namespace kernelsmith::memory {

class SentencePieceCounter : public AskingTokenCounter {
 public:
  struct Options {
    std::string model_file;
    std::string program = SentencePieceProgram();
    absl::Duration load_timeout = absl::Seconds(20);
    absl::Duration timeout = absl::Seconds(5);  // of one text
  };

  // NOT_FOUND or PERMISSION_DENIED if the file cannot be read, FAILED_PRECONDITION if it is no model.
  static absl::StatusOr<std::unique_ptr<SentencePieceCounter>> Create(Options options, const common::Clock& clock);

  // Of the tokenizer's process; 0 while there is none.
  pid_t pid() const;

 private:
  SentencePieceCounter(Options options, std::unique_ptr<TokenizerProcess> process, const common::Clock& clock);

  absl::StatusOr<int64_t> Ask(absl::string_view text) const override;

  const Options options_;
  mutable common::Mutex channel_mutex_;  // one text at a time; held while the process counts
  mutable std::unique_ptr<TokenizerProcess> process_ GUARDED_BY(channel_mutex_);
};

}  // namespace kernelsmith::memory
