// A model's reply as a candidate with its account. Pure and strict: what is wrong is said in sentences that the repair
// turn sends back.
//
//   const ParsedReply reply = ParseReply(text, "stop", {"item-1"}, form);
//   if (reply.errors.empty()) Evaluate(reply.candidate);
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/types.pb.h"
#include "server/proposers/chat/account.h"
#include "server/proposers/chat/candidate_form.h"

namespace kernelsmith::server {

// Of all code blocks together.
inline constexpr size_t kMaxCodeBytes = size_t{512} << 10;

struct ParsedReply {
  v1::Candidate candidate;  // whole only if there are no errors
  Account account;          // what of it is right, errors or not
  std::vector<std::string> errors;
};

// Code: fenced blocks with a file name, or one C++ block without a name, which is the form's main file; C++ blocks
// without a name beside a named main file are illustrations. Account: the one json block. `finish_reason` "length" is
// an error of its own.
ParsedReply ParseReply(absl::string_view text, absl::string_view finish_reason,
                       const std::vector<std::string>& item_ids, const CandidateForm& form);

}  // namespace kernelsmith::server
