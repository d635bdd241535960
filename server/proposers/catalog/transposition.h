// Reads a graph that only changes the order of dimensions.
#pragma once

#include "absl/status/statusor.h"
#include "kernelsmith/v1/task.pb.h"
#include "server/proposers/catalog/problem.h"

namespace kernelsmith::server {

// "t", "transpose", "permute" and their relatives.
bool IsTransposition(const v1::OpNode& node);

// The dimensions of the node's result as positions in its argument of rank `rank`; empty if the node does not say.
std::vector<int64_t> PermutationOf(const v1::OpNode& node, int rank);

// Whether the graph is one input, transpositions of it, copies into row-major order, and the result.
bool IsPureTransposition(const v1::TaskSpec& task);

// REQUIRES: IsPureTransposition(task). FAILED_PRECONDITION if the whole is not a swap of two adjacent groups of
// dimensions at the end.
absl::StatusOr<Transposition> ReadTransposition(const v1::TaskSpec& task, const v1::TaskCase& first);

}  // namespace kernelsmith::server
