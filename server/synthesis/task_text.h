// A task as text: for prompts, and as a query and a scene for memory. Shapes and values of hidden cases never appear.
#pragma once

#include <string>

#include "kernelsmith/v1/memory.pb.h"
#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::server {

// Name, reference program, visible cases with shapes and types, tolerance, baseline and what a candidate of this card
// kind must define. Equal for every round of a job, so that prompt caches hit.
std::string SpecificationText(const v1::TaskSpec& task, const std::string& card_kind);

// What a candidate for the card kind looks like; empty for a kind that has none.
std::string CandidateContract(const std::string& card_kind);

// "4096x1024" of the inputs of the first visible case, joined with "," if there are several.
std::string ShapeSignature(const v1::TaskSpec& task);

// Type of the first output.
v1::DType OutputType(const v1::TaskSpec& task);

v1::Scene SceneOf(const v1::TaskSpec& task);

// Words to search memory with: operator, family, operations, shapes, type, and what went wrong last or the bottleneck.
std::string QueryText(const v1::TaskSpec& task, const std::string& latest);

}  // namespace kernelsmith::server
