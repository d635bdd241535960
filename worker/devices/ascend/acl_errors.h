// What an error code of the AscendCL runtime means for a verdict. Facts from CANN's documentation of error codes. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

enum class AclErrorClass {
  kNone,
  kCandidate,     // the kernel's own doing: evidence
  kCard,          // the card is lost or damaged: it should be quarantined
  kInstallation,  // driver or toolkit: `kernelsmith doctor` tells more
  kWorker,        // the worker used the runtime wrongly, or the host is short of something
};

struct AclErrorMeaning {
  AclErrorClass error_class = AclErrorClass::kNone;
  v1::EvaluationStatus status = v1::PASSED;
  absl::string_view name;  // "AICORE_TIMEOUT"; empty for an unknown code
};

// Codes of 507xxx leave the process unfit for further use, whatever their class.
AclErrorMeaning MeaningOf(int code);
bool EndsProcess(int code);

// One sentence: meaning, code, the call that reported it, and what the runtime said.
std::string AclErrorText(int code, absl::string_view call, absl::string_view message);

}  // namespace kernelsmith::worker
