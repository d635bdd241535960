// What a candidate of a card kind consists of, as far as a reply can be checked before it is compiled. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::server {

struct CandidateForm {
  v1::Candidate::Kind kind = v1::Candidate::KIND_UNSPECIFIED;
  std::string main_file;                // a code block without a name is this file
  std::string entry;                    // function that the main file defines
  std::vector<std::string> extensions;  // of every file
  std::string header;                   // declarations that the candidate includes, shown in the prompt
};

// FAILED_PRECONDITION for a card kind that no candidate form is known for.
absl::StatusOr<CandidateForm> CandidateFormOf(absl::string_view card_kind);

}  // namespace kernelsmith::server
