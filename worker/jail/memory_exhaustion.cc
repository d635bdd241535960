#include "worker/jail/memory_exhaustion.h"

#include <signal.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

bool LooksOutOfMemory(const ExitReport& report) {
  if (report.kind == ExitKind::kSignalled && report.signal == SIGKILL) return true;
  const bool failed = report.kind == ExitKind::kSignalled || (report.kind == ExitKind::kExited && report.code != 0);
  if (!failed) return false;
  constexpr size_t kTail = 4096;
  const absl::string_view errors = report.errors;
  const absl::string_view tail = errors.substr(errors.size() - std::min(kTail, errors.size()));
  for (const absl::string_view message : {"std::bad_alloc", "virtual memory exhausted", "out of memory allocating",
                                          "MemoryError", "can't allocate memory", "cannot allocate memory",
                                          "Cannot allocate memory", "failed to map segment from shared object"}) {
    if (absl::StrContains(tail, message)) return true;
  }
  return false;
}

}  // namespace kernelsmith::worker
