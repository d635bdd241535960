// The token counter that the config names.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<TokenCounter> counter, MakeTokenCounter(config.token_counting(), clock));
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "memory/context/token_counter.h"
#include "memory/context/tokens/tokenizer_process.h"

namespace kernelsmith::memory {

// INVALID_ARGUMENT names the field: an unknown kind, a missing url or model file, one that cannot be read or is no
// model, a timeout out of range. `program` is kernelsmith-sentencepiece. REQUIRES: `clock` outlives the counter.
absl::StatusOr<std::unique_ptr<TokenCounter>> MakeTokenCounter(const config::v1::TokenCounting& config,
                                                               const common::Clock& clock,
                                                               const std::string& program = SentencePieceProgram());

}  // namespace kernelsmith::memory
