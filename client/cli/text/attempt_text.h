// One round of a job as text: what was proposed and why, what memory supplied, the code, the verdict.
#pragma once

#include <string>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

std::string AttemptText(const v1::Attempt& attempt);

}  // namespace kernelsmith::client
