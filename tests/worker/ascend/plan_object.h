// Plans for tests: compiled by this host's g++, as the toolchain does it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::worker::testing_support {

// Path of the shared object, in `folder`.
inline std::string CompilePlan(const std::string& folder, const std::string& name, const std::string& source) {
  const std::string base = absl::StrCat(folder, "/", name);
  EXPECT_TRUE(
      common::WriteFileAtomically(base + ".cpp", absl::StrCat("#include <kernelsmith/plan_abi.h>\n", source)).ok());
  const std::string command = absl::StrCat("g++ -std=c++20 -shared -fPIC -I", KERNELSMITH_SOURCE_DIR,
                                           "/worker/include -o ", base, ".so ", base, ".cpp");
  EXPECT_EQ(std::system(command.c_str()), 0);
  return base + ".so";
}

// y = f(x) over floats, launched once with the number of elements as tiling.
inline std::string OneLaunch(const std::string& kernel) {
  return absl::StrCat(R"(
static int32_t tiling[8];
extern "C" int ks_plan(const ks_call* call, ks_plan* plan) {
  if (call->inputs[0].data != nullptr) return 77;
  tiling[0] = static_cast<int32_t>(call->inputs[0].shape[0]);
  tiling[1] = static_cast<int32_t>(call->cpu_count);
  plan->tiling = tiling;
  plan->tiling_bytes = sizeof tiling;
  ks_launch* launch = ks_add_launch(plan, ")",
                      kernel, R"(", 8);
  ks_add_input(launch, 0);
  ks_add_output(launch, 0);
  ks_add_tiling(launch, 0);
  return 0;
}
)");
}

inline v1::TaskCase FloatCase(int64_t elements) {
  v1::TaskCase task_case;
  task_case.set_id("c0");
  task_case.set_argument_count(1);
  for (v1::TensorDescriptor* tensor : {task_case.add_inputs(), task_case.add_outputs()}) {
    tensor->set_dtype(v1::FP32);
    tensor->add_shape(elements);
  }
  task_case.mutable_inputs(0)->set_name("x");
  task_case.mutable_outputs(0)->set_name("y");
  (*task_case.mutable_attributes())["eps"] = "1e-5";
  return task_case;
}

}  // namespace kernelsmith::worker::testing_support
