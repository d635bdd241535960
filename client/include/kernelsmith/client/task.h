// Tasks and candidates from files.
//
//   ASSIGN_OR_RETURN(v1::TaskSource task, LoadTask("softmax.py"));
//   RETURN_IF_ERROR(AddOverride("N=512", task));
//   ASSIGN_OR_RETURN(v1::DType dtype, ParseDType("fp16"));
//   task.set_dtype(dtype);
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/task.pb.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::client {

// A file "*.py" is a KernelBench file, a folder with task.yaml a native task, a file "*.json" a TaskSource in protobuf
// JSON (what `kernelsmith best` writes). INVALID_ARGUMENT names the path and what is wrong with it.
absl::StatusOr<v1::TaskSource> LoadTask(const std::string& path);

// A C++ source file ("*.cpp", "*.cc", "*.cxx") is a cpu candidate, a folder with kernel.asc and plan.cpp one for Ascend
// cards. INVALID_ARGUMENT otherwise.
absl::StatusOr<v1::Candidate> LoadCandidate(const std::string& path);

// INVALID_ARGUMENT for a kind of card that is neither "cpu" nor "ascend".
absl::Status CheckCardKind(const std::string& card_kind);

// INVALID_ARGUMENT for a candidate that the kind of card does not take.
absl::Status CheckCandidateFits(const v1::Candidate& candidate, const std::string& card_kind);

// "NAME=VALUE" into task.overrides; VALUE is a Python literal: a number, string, True, False, None, or a list or tuple
// of those. INVALID_ARGUMENT says what is wrong with it.
absl::Status AddOverride(absl::string_view assignment, v1::TaskSource& task);

// "fp32", "fp16", "bf16", "fp64", "int32" and so on, in either case.
absl::StatusOr<v1::DType> ParseDType(absl::string_view name);

}  // namespace kernelsmith::client
