// A jail in a given isolation. JailedProcess::Start chooses the strongest one that works; this is what it calls.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "worker/jail/isolation.h"
#include "worker/jail/jail.h"

namespace kernelsmith::worker {

// Errors as JailedProcess::Start.
absl::StatusOr<std::unique_ptr<JailedProcess>> StartJail(Isolation isolation, const JailSpec& spec);

}  // namespace kernelsmith::worker
