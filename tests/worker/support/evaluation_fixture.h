// An Evaluator with the real toolchain, the real jail and the real PyTorch, on small tasks.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "worker/devices/cpu_card.h"
#include "worker/pipeline/evaluate.h"
#include "worker/reference/task_identity.h"
#include "worker/toolchains/cpu_toolchain.h"

namespace kernelsmith::worker::testing_support {

// One per test program: references and compiled objects are shared by its tests.
class EvaluationFixture {
 public:
  static EvaluationFixture& Get() {
    static EvaluationFixture& fixture = *new EvaluationFixture();
    return fixture;
  }

  static v1::TaskSource Task(const std::string& body) {
    v1::TaskSource source;
    source.mutable_kernelbench()->set_file_name("sample.py");
    source.mutable_kernelbench()->set_source(
        absl::StrCat("import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n", body));
    return source;
  }

  // y = 3 x + 1 over 64 x 1000 floats.
  static v1::TaskSource Affine() {
    return Task(
        "class Model(nn.Module):\n    def forward(self, x):\n        return x * 3 + 1\n"
        "def get_inputs():\n    return [torch.randn(64, 1000)]\ndef get_init_inputs():\n    return []\n");
  }

  // A kernel whose body sees x, y and n of Affine().
  static std::string Kernel(const std::string& body, const std::string& globals = "") {
    return absl::StrCat("#include <kernelsmith/kernel_abi.h>\n", globals, R"(
extern "C" int ks_kernel(const ks_call* call) {
  const float* x = static_cast<const float*>(call->inputs[0].data);
  float* y = static_cast<float*>(call->outputs[0].data);
  const int64_t n = call->outputs[0].elements;
  (void)x; (void)y; (void)n;
)",
                        body, "\n  return 0;\n}\n");
  }
  static std::string Right(const std::string& globals = "") {
    return Kernel("for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + 1;", globals);
  }

  static v1::Candidate Candidate(const std::string& source) {
    v1::Candidate candidate;
    candidate.set_kind(v1::Candidate::CPU_SOURCE);
    v1::SourceFile* file = candidate.add_files();
    file->set_name("kernel.cpp");
    file->set_content(source);
    return candidate;
  }

  v1::EvaluateWork Work(const v1::TaskSource& task, const std::string& source) {
    v1::EvaluateWork work;
    *work.mutable_task() = task;
    v1::TaskSpec& spec = specs_[TaskHash(task)];
    if (spec.hash().empty()) {
      v1::InspectResult inspected = evaluator_->Inspect(task, {});
      EXPECT_TRUE(inspected.ok()) << inspected.error();
      spec = inspected.spec();
    }
    *work.mutable_spec() = spec;
    *work.mutable_candidate() = Candidate(source);
    work.set_input_secret(std::string(32, 's'));
    work.set_epoch(1);
    work.mutable_options()->mutable_limits()->set_run_s(30);
    return work;
  }

  // Verified but not timed.
  v1::EvaluateWork UntimedWork(const v1::TaskSource& task, const std::string& source) {
    v1::EvaluateWork work = Work(task, source);
    work.mutable_options()->set_skip_timing(true);
    return work;
  }

  Evaluator& evaluator() { return *evaluator_; }
  const std::string& folder() const { return folder_; }

 private:
  EvaluationFixture() {
    folder_ = absl::StrCat(::testing::TempDir(), "/evaluation-XXXXXX");
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    EvaluatorOptions options;
    options.toolchain = *MakeCpuToolchain({.cache_dir = folder_ + "/compiled"});
    const CpuCard card = *DescribeCpuCard(options.toolchain->version());
    options.target = card.target;
    options.cpu_count = card.cpu_count;
    options.lock_dir = folder_;
    options.cache_dir = folder_ + "/variants";
    options.card_id = "cpu0";
    options.runner_path = std::string(KERNELSMITH_BIN_DIR) + "/kernelsmith-runner";
    options.timing_cap = absl::Seconds(1);
    evaluator_ = std::make_unique<Evaluator>(options);
  }

  std::string folder_;
  std::map<std::string, v1::TaskSpec> specs_;  // by task hash: a task is probed once
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace kernelsmith::worker::testing_support
