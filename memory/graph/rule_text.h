// The text of a rule where nobody has recorded one (RuleTextFact), and how long it counts.
//
//   AttemptRule(attempt.case_(), attempt.target(), v1::EFFECTIVE, 1.25);
//   // "row_reduction, FP32, on cpu-x86_64: vectorised exponential (INSTRUCTION, against compute-bound) with threads=2
//   //  was EFFECTIVE, 1.25 times the speed before."
//
// Pure functions of what the log's heads keep, so that the fold counts the same tokens as the text has.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// Of a case or its journal. `r` is the effect against the predecessor.
std::string AttemptRule(const v1::Case& source, const v1::Target& target, v1::Label label, double r);

// Of any other item: its title and text.
std::string ContentRule(absl::string_view title, absl::string_view text);

// L of a text of `bytes` bytes, counted upwards: one token for every two bytes, at least 1.
int64_t RuleTokens(int64_t bytes);

}  // namespace kernelsmith::memory
