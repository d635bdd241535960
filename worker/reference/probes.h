// Registration probes: is this a task that only a right kernel can pass? A task that zeros, a constant or a copy of an
// input satisfies teaches a search nothing but to cheat.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/reference/reference.h"

namespace kernelsmith::worker {

struct ProbeFindings {
  std::string refused;             // why the task is refused, probe first: "zeros-pass: ..."; empty if it is fine
  std::vector<std::string> notes;  // worth knowing, no reason to refuse
};

// What a probe compares with: expected outputs of one draw of inputs, and the reference's own rounded outputs.
struct ProbeSample {
  const v1::TaskCase* task_case = nullptr;
  const v1::Tolerance* tolerance = nullptr;
  const PackedTensors* inputs = nullptr;
  const Expected* expected = nullptr;
  const PackedTensors* rounded = nullptr;
};

// Rules that need one draw: "rounded-reference-fails", "zeros-pass", "constant-passes", "input-copy-passes". Pure.
ProbeFindings ProbeSampleRules(const ProbeSample& sample);

// All probes over all cases (the first eight). Errors are those of the reference; a refusal is a finding.
absl::StatusOr<ProbeFindings> ProbeTask(Reference& reference, TimeLimit& limit, std::stop_token stop = {});

}  // namespace kernelsmith::worker
