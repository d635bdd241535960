// What an end of a process, a compiler run or a reference means for the candidate. Pure.
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "worker/pipeline/recorder.h"
#include "worker/runner/candidate_process.h"
#include "worker/toolchains/toolchain.h"

namespace kernelsmith::worker {

// Of a compiler run.
Verdict VerdictOfCompile(const CompileResult& result);

// Of CandidateProcess::Create that failed. `exit` is how the process ended, or null if it never ran.
Verdict VerdictOfLoad(const absl::Status& status, const ExitReport* exit);

// Of the first finding that is an error: RACE for accesses without an order, TIMEOUT for what never ends, else
// RUNTIME_ERROR. The detail names place and operation.
Verdict VerdictOfFindings(absl::Span<const v1::Finding> findings);

// Of a batch. `exit` is how the process ended; read only where the outcome says that it did.
Verdict VerdictOfBatch(const BatchOutcome& outcome, const ExitReport* exit);

// Of trouble with the reference: INVALID_TASK where the task is wrong, else INFRASTRUCTURE, or EVALUATION_CANCELLED.
Verdict VerdictOfReference(const absl::Status& status);

// Of trouble with this host: INFRASTRUCTURE, or EVALUATION_CANCELLED.
Verdict VerdictOfHost(const absl::Status& status);

// "SIGSEGV (segmentation fault)".
std::string SignalText(int signal);

}  // namespace kernelsmith::worker
