#include "server/synthesis/proposal_check.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "server/synthesis/attempt_rules.h"

namespace kernelsmith::server {

int64_t SourceBytes(const v1::Candidate& candidate) {
  int64_t bytes = 0;
  for (const v1::SourceFile& file : candidate.files()) bytes += static_cast<int64_t>(file.content().size());
  return bytes;
}

std::string CandidateFault(const v1::Candidate& candidate) {
  if (candidate.files_size() == 0) return "the candidate has no file";
  std::set<std::string> names;
  for (const v1::SourceFile& file : candidate.files()) {
    if (file.name().empty()) return "a file of the candidate has no name";
    if (file.name().find('/') != std::string::npos || file.name() == "." || file.name() == "..") {
      return absl::StrCat("the file name '", file.name(), "' is not a plain name");
    }
    if (!names.insert(file.name()).second) return absl::StrCat("the file name '", file.name(), "' occurs twice");
  }
  const int64_t bytes = SourceBytes(candidate);
  if (bytes == 0) return "the candidate is empty";
  if (bytes > kMaxSourceBytes) {
    return absl::StrCat("the candidate is ", bytes, " bytes long, more than the ", kMaxSourceBytes, " allowed");
  }
  return "";
}

std::string ProposalFault(const v1::Candidate& candidate, const v1::Proposal& proposal,
                          const v1::ContextSupplied& context) {
  std::string fault = CandidateFault(candidate);
  if (!fault.empty()) return fault;
  if (!AdoptionIsComplete(context, proposal)) {
    return "the adoption records do not name every supplied item exactly once with a state and a reason";
  }
  return "";
}

v1::Proposal GivenKernelProposal() {
  v1::Proposal proposal;
  proposal.mutable_author()->set_kind("user");
  proposal.set_purpose(v1::FIRST_DRAFT);
  proposal.mutable_thought()->set_id("given-kernel");
  proposal.mutable_thought()->set_title("the kernel that the job starts from");
  proposal.mutable_thought()->set_layer(v1::LAYER_NONE);
  proposal.set_rationale("Given with the job.");
  return proposal;
}

}  // namespace kernelsmith::server
