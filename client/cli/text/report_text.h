// A verdict as text: status, gates, compiler messages, mismatches, times, environment.
#pragma once

#include <string>

#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::client {

std::string ReportText(const v1::EvaluationReport& report);

// "screen ok, compile ok, verify FAILED (only the tail after 8192)"
std::string GateLine(const google::protobuf::RepeatedPtrField<v1::GateOutcome>& gates);

// The verdict of Compare: which of the two is faster, and how sure that is.
std::string ComparisonText(const v1::EvaluationReport& report);

}  // namespace kernelsmith::client
