#include "server/proposers/chat/candidate_form.h"

#include "absl/strings/str_cat.h"
#include "server/proposers/chat/kernel_abi_text.h"

namespace kernelsmith::server {

absl::StatusOr<CandidateForm> CandidateFormOf(absl::string_view card_kind) {
  if (card_kind != "cpu") {
    return absl::FailedPreconditionError(absl::StrCat("the chat proposer knows no candidates for cards of kind '",
                                                      card_kind, "'; submit the job for card kind cpu"));
  }
  return CandidateForm{.kind = v1::Candidate::CPU_SOURCE,
                       .main_file = "kernel.cpp",
                       .entry = "ks_kernel",
                       .extensions = {".cpp", ".h", ".hpp"},
                       .header = std::string(KernelAbiText())};
}

}  // namespace kernelsmith::server
