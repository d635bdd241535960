// An evaluation report as text: for the next prompt, and in short for the record in memory. Values of hidden cases
// never appear.
#pragma once

#include <string>

#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/task.pb.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::server {

// Diagnostics that are shown or recorded at most.
inline constexpr int kMaxDiagnostics = 20;

// Several lines: verdict, failed gates, compiler messages, mismatches with their pattern, times. `task` tells which
// cases are hidden.
std::string FeedbackText(const v1::EvaluationReport& report, const v1::TaskSpec& task);

// One line: verdict, summary and the first mismatch pattern.
std::string FeedbackLine(const v1::EvaluationReport& report, const v1::TaskSpec& task);

// "kernel.cpp:12:5: error: ..." without the parts that are unknown.
std::string DiagnosticText(const v1::Diagnostic& diagnostic);

// The latest thing to search memory for: the first compiler error, the mismatch pattern, or the status; empty if it
// passed.
std::string LatestError(const v1::EvaluationReport& report, const v1::TaskSpec& task);

// All files of a candidate as one text; each file is headed by its name if there are several.
std::string CandidateText(const v1::Candidate& candidate);

}  // namespace kernelsmith::server
