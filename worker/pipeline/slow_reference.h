// What it means that a reference's time passed while its task was inspected: the task is too large, or the host was too
// busy to tell. Pure.
#pragma once

#include "absl/time/time.h"
#include "worker/pipeline/verdicts.h"

namespace kernelsmith::worker {

struct ReferenceTimeOut {
  absl::Duration limit;  // that passed
  absl::Duration cpu;    // processor time that the reference used within it
  bool starved = false;  // it was ready to go on, but something else had the host
  bool alone = false;    // nothing else of Kernelsmith compiled, referred or timed on the host meanwhile
};

// INVALID_TASK if the reference had the host to itself, or used nine tenths of its limit in processor time. Else, and
// whenever it was starved, INFRASTRUCTURE: it is to be tried again, alone.
Verdict VerdictOfTimeOut(const ReferenceTimeOut& time_out);

}  // namespace kernelsmith::worker
