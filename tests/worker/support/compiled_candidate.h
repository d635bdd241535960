// Compiles a candidate for a test with the real toolchain, and lays out small cases.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "kernelsmith/v1/task.pb.h"
#include "kernelsmith/v1/types.pb.h"
#include "worker/toolchains/cpu_toolchain.h"

namespace kernelsmith::worker::testing_support {

inline v1::Candidate CandidateOf(const std::string& body) {
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::CPU_SOURCE);
  v1::SourceFile* const file = candidate.add_files();
  file->set_name("kernel.cpp");
  file->set_content(absl::StrCat("#include <kernelsmith/kernel_abi.h>\n", body));
  return candidate;
}

inline Toolchain& SharedToolchain() {
  static Toolchain& toolchain =
      *MakeCpuToolchain({.cache_dir = absl::StrCat(testing::TempDir(), "/kernelsmith-test-objects")})->release();
  return toolchain;
}

// Path of the compiled object; empty, with a test failure, if it does not compile.
inline std::string Compiled(const std::string& body) {
  const absl::StatusOr<CompileResult> result = SharedToolchain().Compile(CandidateOf(body), CompileLimits());
  if (!result.ok() || result->outcome != CompileOutcome::kOk) {
    ADD_FAILURE() << result.status() << (result.ok() ? result->log : "");
    return "";
  }
  return result->object_path;
}

// One float input and one float output of `elements`.
inline v1::TaskCase VectorCase(int64_t elements) {
  v1::TaskCase task_case;
  task_case.set_id("c0");
  task_case.set_argument_count(1);
  for (v1::TensorDescriptor* tensor : {task_case.add_inputs(), task_case.add_outputs()}) {
    tensor->set_dtype(v1::FP32);
    tensor->add_shape(elements);
  }
  task_case.mutable_inputs(0)->set_name("x");
  task_case.mutable_outputs(0)->set_name("y");
  return task_case;
}

// y = 2 x.
inline constexpr const char* kDouble = R"(
extern "C" int ks_kernel(const ks_call* call) {
  const float* x = static_cast<const float*>(call->inputs[0].data);
  float* y = static_cast<float*>(call->outputs[0].data);
  for (int64_t i = 0; i < call->inputs[0].elements; ++i) y[i] = 2 * x[i];
  return 0;
}
)";

}  // namespace kernelsmith::worker::testing_support
