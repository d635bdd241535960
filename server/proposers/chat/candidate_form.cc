#include "server/proposers/chat/candidate_form.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/proposers/chat/kernel_abi_text.h"

namespace kernelsmith::server {
namespace {

CandidateForm CpuForm() {
  return {.kind = v1::Candidate::CPU_SOURCE,
          .what = "compute kernels in C++",
          .files = {{.name = "kernel.cpp",
                     .language = "cpp",
                     .entry = "ks_kernel",
                     .skeleton = "#include <kernelsmith/kernel_abi.h>\n"
                                 "extern \"C\" int ks_kernel(const ks_call* call) { ... }\n"}},
          .extensions = {".cpp", ".h", ".hpp"},
          .header = std::string(KernelAbiText()),
          .header_name = "kernelsmith/kernel_abi.h"};
}

CandidateForm AscendForm() {
  return {
      .kind = v1::Candidate::ASCEND_KERNEL,
      .what = "compute kernels in Ascend C for the vector cores of Huawei Ascend cards",
      .files = {{.name = "kernel.asc",
                 .language = "cpp",
                 .entry = "__global__",
                 .skeleton = "// device code alone; parameters of kernels are pointers\n"
                             "#include \"kernel_operator.h\"\n"
                             "extern \"C\" __global__ __aicore__ void name(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {\n"
                             "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);\n"
                             "  ...\n"
                             "}\n"},
                {.name = "plan.cpp",
                 .language = "cpp",
                 .entry = "ks_plan",
                 .skeleton = "// host code: sees shapes, no data and no card, and says what to launch\n"
                             "#include <kernelsmith/plan_abi.h>\n"
                             "extern \"C\" int ks_plan(const ks_call* call, ks_plan* plan) { ... }\n"}},
      .extensions = {},
      .header = absl::StrCat(KernelAbiText(), "\n", PlanAbiText()),
      .header_name = "kernelsmith/plan_abi.h"};
}

}  // namespace

const FormFile* CandidateForm::Find(absl::string_view name) const {
  const auto found = std::find_if(files.begin(), files.end(), [&](const FormFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

absl::StatusOr<CandidateForm> CandidateFormOf(absl::string_view card_kind) {
  if (card_kind == "cpu") return CpuForm();
  if (card_kind == "ascend") return AscendForm();
  return absl::FailedPreconditionError(absl::StrCat("the chat proposer knows no candidates for cards of kind '",
                                                    card_kind, "'; submit the job for card kind cpu or ascend"));
}

}  // namespace kernelsmith::server
