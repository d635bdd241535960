// The forms of items that are no attempt's: documents, traces, API templates, digests, insights, practices, rules.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// From long to short; the last is one line. See rendering.h.
std::vector<std::string> ContentRenderings(const v1::Item& item, bool other_target);

// "architectures: ...; toolchains: cann 8.5.0 to 9.0.0; dtypes: FP16; when: ..." or empty.
std::string WhereItApplies(const v1::Applicability& applicability);

}  // namespace kernelsmith::memory
