// The reference with the real Python and PyTorch, in its jail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <list>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "worker/reference/probes.h"
#include "worker/reference/reference_pool.h"
#include "worker/reference/variant_store.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TimeLimit& Soon() {
  static std::list<TimeLimit> limits;
  return limits.emplace_back(absl::Seconds(120));
}

v1::TaskSource File(const std::string& source) {
  v1::TaskSource task;
  task.mutable_kernelbench()->set_file_name("3_Sample_.py");
  task.mutable_kernelbench()->set_source("import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n" +
                                         source);
  return task;
}

// A model with this forward, one input x of N rows and 16 columns.
v1::TaskSource Forward(const std::string& expression, const std::string& input = "torch.randn(N, 16)") {
  return File(absl::StrCat("N = 8\nclass Model(nn.Module):\n    def forward(self, x):\n        return ", expression,
                           "\n\ndef get_inputs():\n    return [", input,
                           "]\n\ndef get_init_inputs():\n    return []\n"));
}

absl::StatusOr<std::unique_ptr<Reference>> Start(const v1::TaskSource& task) {
  return Reference::Start(task, ReferenceOptions(), Soon());
}

std::vector<float> Floats(absl::Span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(ReferenceTest, ResolvesShapesParametersAttributesAndTheGraph) {
  auto reference = Start(File(R"(
ROWS = 4
class Model(nn.Module):
    def __init__(self, features, eps=1e-3):
        super().__init__()
        self.norm = nn.LayerNorm(features, eps=eps)
    def forward(self, x, scale: float):
        return torch.relu(self.norm(x)) * scale

def get_inputs():
    return [torch.randn(ROWS, 32), 0.5]

def get_init_inputs():
    return [32]
)"));
  ASSERT_TRUE(reference.ok()) << reference.status();
  const v1::TaskSpec& spec = (*reference)->spec();
  EXPECT_EQ(spec.name(), "sample");
  EXPECT_EQ(spec.family(), "row_reduction");
  const v1::TaskCase& task_case = spec.cases(0);
  ASSERT_EQ(task_case.inputs_size(), 3);
  EXPECT_EQ(task_case.argument_count(), 1);
  EXPECT_EQ(task_case.inputs(1).name(), "norm.weight");
  EXPECT_THAT(task_case.outputs(0).shape(), ElementsAre(4, 32));
  EXPECT_EQ(task_case.attributes().at("scale"), "0.5");
  EXPECT_EQ(task_case.attributes().at("features"), "32");
  std::vector<std::string> operations;
  for (const v1::OpNode& node : spec.graph()) operations.push_back(node.op());
  EXPECT_THAT(operations, ElementsAre("input", "parameter", "parameter", "layer_norm", "relu", "mul", "output"));
  EXPECT_THAT(spec.graph(3).inputs(), ElementsAre("x", "norm.weight", "norm.bias"));
  EXPECT_EQ(spec.graph(3).attributes().at("eps"), "0.001");
}

TEST(ReferenceTest, SpellingsOfOneOperationGiveOneName) {
  struct Case {
    const char* expression;
    const char* op;
    const char* family;
  };
  for (const Case& entry :
       {Case{"F.softmax(x, dim=-1)", "softmax", "row_reduction"}, Case{"x.softmax(-1)", "softmax", "row_reduction"},
        Case{"F.gelu(x, approximate='tanh')", "gelu", "elementwise"}, Case{"x @ x.t()", "matmul", "matmul"}}) {
    auto reference = Start(Forward(entry.expression));
    ASSERT_TRUE(reference.ok()) << reference.status();
    const auto& graph = (*reference)->spec().graph();
    EXPECT_EQ(graph.at(graph.size() - 2).op(), entry.op) << entry.expression;
    EXPECT_EQ((*reference)->spec().family(), entry.family) << entry.expression;
  }
}

TEST(ReferenceTest, OverridesReplaceConstantsAndUnknownNamesAreErrors) {
  v1::TaskSource task = Forward("x + 1");
  (*task.mutable_overrides())["N"] = "3";
  auto reference = Start(task);
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_THAT((*reference)->spec().cases(0).inputs(0).shape(), ElementsAre(3, 16));
  (*task.mutable_overrides())["M"] = "3";
  EXPECT_THAT(std::string(Start(task).status().message()), HasSubstr("known are: N"));
  task.clear_overrides();
  (*task.mutable_overrides())["N"] = "__import__('os')";
  EXPECT_THAT(std::string(Start(task).status().message()), HasSubstr("no Python literal"));
}

TEST(ReferenceTest, EveryMistakeInATaskSaysWhatAndWhere) {
  struct Case {
    v1::TaskSource task;
    const char* says;
  };
  const Case cases[] = {
      {File("def broken(:\n"), "3_Sample_.py:4: invalid syntax"},
      {File("class Model(nn.Module):\n    pass\n"), "does not define get_inputs"},
      {Forward("undefined_name(x)"), "NameError"},
      {Forward("x.add_(1)"), "changes its input 'x' in place"},
      {Forward("'text'"), "must return a tensor"},
      {Forward("x", "torch.zeros(0, 4)"), "no elements"},
      {Forward("x", "torch.zeros(4).to(torch.complex64)"), "element type"},
      {Forward("torch.zeros(1 << 40)"), "memory"},
  };
  for (const Case& entry : cases) {
    const auto reference = Start(entry.task);
    EXPECT_FALSE(reference.ok()) << entry.says;
    EXPECT_THAT(std::string(reference.status().message()), HasSubstr(entry.says));
  }
}

TEST(ReferenceTest, APrintingExitingOrHangingTaskIsReported) {
  const auto exits = Start(File("import os\nprint('x' * 100000)\nos._exit(3)\n"));
  EXPECT_TRUE(absl::IsInvalidArgument(exits.status())) << "the task's doing, not the host's";
  EXPECT_THAT(std::string(exits.status().message()), HasSubstr("exited with code 3"));
  const auto leaves = Start(File("import sys\nsys.exit('no more')\n"));
  EXPECT_TRUE(absl::IsInvalidArgument(leaves.status()));
  EXPECT_THAT(std::string(leaves.status().message()), HasSubstr("SystemExit: no more"));
  TimeLimit limit(absl::Seconds(8));
  const auto hangs = Reference::Start(File("while True: pass\n"), ReferenceOptions(), limit);
  EXPECT_TRUE(absl::IsDeadlineExceeded(hangs.status())) << hangs.status();
  EXPECT_GT(limit.used(), absl::Milliseconds(100)) << "importing PyTorch alone takes longer";
}

TEST(ReferenceTest, TheSameSeedGivesTheSameBytesAndParametersAreRedrawn) {
  auto reference = *Start(File(R"(
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.register_buffer("running_var", torch.ones(3))
    def forward(self, x):
        return self.linear(x) / torch.sqrt(self.running_var)

def get_inputs():
    return [torch.randn(2, 4)]

def get_init_inputs():
    return []
)"));
  const v1::TaskCase& task_case = reference->spec().cases(0);
  ASSERT_EQ(task_case.inputs_size(), 4);
  const PackedTensors a = *reference->Draw(task_case, 11, Soon());
  const PackedTensors b = *reference->Draw(task_case, 11, Soon());
  const PackedTensors c = *reference->Draw(task_case, 12, Soon());
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Floats(a.Bytes(i)), Floats(b.Bytes(i))) << i;
    EXPECT_NE(Floats(a.Bytes(i)), Floats(c.Bytes(i))) << i;
  }
  ASSERT_EQ(task_case.inputs(1).name(), "running_var");
  for (const float value : Floats(c.Bytes(1))) EXPECT_GT(value, 0);
}

TEST(ReferenceTest, ExpectedValuesComeFromTheDoublePrecisionOracle) {
  auto reference = *Start(Forward("torch.softmax(x * 3, dim=1)"));
  const v1::TaskCase& task_case = reference->spec().cases(0);
  const PackedTensors inputs = *reference->Draw(task_case, 5, Soon());
  PackedTensors rounded;
  const Expected expected = *reference->Expect(task_case, inputs, Soon(), {}, &rounded);
  const std::vector<float> x = Floats(inputs.Bytes(0));
  const std::vector<float> y = Floats(expected.values.Bytes(0));
  for (int r = 0; r < 8; ++r) {
    double sum = 0;
    for (int c = 0; c < 16; ++c) sum += std::exp(3.0 * x[static_cast<size_t>(r * 16 + c)]);
    for (int c = 0; c < 16; ++c) {
      const size_t i = static_cast<size_t>(r * 16 + c);
      EXPECT_NEAR(y[i], std::exp(3.0 * x[i]) / sum, 1e-7);
    }
  }
  EXPECT_GT(expected.numbers[0].rms, 0);
  EXPECT_LT(expected.numbers[0].error, 1e-6);
  EXPECT_EQ(expected.note, "");
}

TEST(ReferenceTest, HalfTypesAreComputedInSinglePrecisionAndRounded) {
  for (const v1::DType dtype : {v1::FP16, v1::BF16}) {
    v1::TaskSource task = Forward("torch.softmax(F.gelu(x @ x.t()), dim=1)");
    task.set_dtype(dtype);
    auto reference = Start(task);
    ASSERT_TRUE(reference.ok()) << reference.status();
    const v1::TaskCase& task_case = (*reference)->spec().cases(0);
    EXPECT_EQ(task_case.inputs(0).dtype(), dtype);
    EXPECT_EQ(task_case.outputs(0).dtype(), dtype);
    EXPECT_THAT((*reference)->spec().baseline(), HasSubstr("fp32 compute"));
    const auto findings = ProbeTask(**reference, Soon());
    ASSERT_TRUE(findings.ok()) << findings.status();
    EXPECT_EQ(findings->refused, "");
  }
}

TEST(ReferenceTest, IntegersAreExact) {
  auto reference = *Start(Forward("x * 3 + 1", "torch.randint(-1000, 1000, (N, 16), dtype=torch.int32)"));
  const v1::TaskCase& task_case = reference->spec().cases(0);
  EXPECT_EQ(task_case.outputs(0).dtype(), v1::INT32);
  const PackedTensors inputs = *reference->Draw(task_case, 5, Soon());
  const Expected expected = *reference->Expect(task_case, inputs, Soon());
  int32_t x = 0;
  int32_t y = 0;
  std::memcpy(&x, inputs.Bytes(0).data() + 40, 4);
  std::memcpy(&y, expected.values.Bytes(0).data() + 40, 4);
  EXPECT_EQ(y, 3 * x + 1);
}

TEST(ReferenceTest, ProbesRefuseTasksThatProveNothing) {
  struct Case {
    v1::TaskSource task;
    const char* probe;
  };
  const Case cases[] = {
      {Forward("x * 2"), ""},
      {Forward("torch.relu(x - 100)"), "zeros-pass"},
      {Forward("torch.softmax(x.sum(dim=1, keepdim=True), dim=1)"), "constant-passes"},
      {Forward("torch.relu(x)", "torch.rand(N, 16)"), "input-copy-passes"},
      {File("class Model(nn.Module):\n    def forward(self, x, y):\n        return x * 2 + 0 * y.shape[0]\n"
            "def get_inputs():\n    return [torch.randn(8, 16), torch.randn(8, 16)]\n"
            "def get_init_inputs():\n    return []\n"),
       "input-without-effect"},
      {File("calls = [0]\nclass Model(nn.Module):\n    def forward(self, x):\n        calls[0] += 1\n"
            "        return x * calls[0]\n"
            "def get_inputs():\n    return [torch.randn(8, 16)]\ndef get_init_inputs():\n    return []\n"),
       "not-deterministic"},
  };
  for (const Case& entry : cases) {
    auto reference = Start(entry.task);
    ASSERT_TRUE(reference.ok()) << reference.status();
    const auto findings = ProbeTask(**reference, Soon());
    ASSERT_TRUE(findings.ok()) << findings.status();
    EXPECT_THAT(findings->refused, ::testing::StartsWith(entry.probe));
    if (*entry.probe == '\0') {
      EXPECT_EQ(findings->refused, "");
    }
  }
}

TEST(ReferenceTest, NativeFoldersBindAxesPerCase) {
  v1::TaskSource task;
  const std::string folder = std::string(KERNELSMITH_SOURCE_DIR) + "/configs/tasks/rms_norm_native";
  for (const char* name : {"task.yaml", "reference.py", "description.md"}) {
    v1::SourceFile* file = task.mutable_native()->add_files();
    file->set_name(name);
    file->set_content(*common::ReadFile(absl::StrCat(folder, "/", name)));
  }
  (*task.mutable_overrides())["B"] = "16";
  auto reference = Start(task);
  ASSERT_TRUE(reference.ok()) << reference.status();
  const v1::TaskSpec& spec = (*reference)->spec();
  EXPECT_EQ(spec.name(), "rms_norm");
  ASSERT_EQ(spec.cases_size(), 3);
  EXPECT_THAT(spec.cases(0).inputs(0).shape(), ElementsAre(16, 1024));
  EXPECT_THAT(spec.cases(1).inputs(0).shape(), ElementsAre(67, 1000));
  EXPECT_TRUE(spec.cases(2).hidden());
  EXPECT_TRUE(spec.cases(0).timed());
  EXPECT_FALSE(spec.cases(1).timed());
  EXPECT_THAT(spec.description(), HasSubstr("Root-mean-square"));
  const auto findings = ProbeTask(**reference, Soon());
  ASSERT_TRUE(findings.ok()) << findings.status();
  EXPECT_EQ(findings->refused, "");

  for (const auto& [from, to, says] :
       {std::tuple{"name: rms_norm", "name: rms_norm\ncolour: red", "unknown field 'colour'"},
        std::tuple{"dtype: fp32", "dtype: fp8", "unknown dtype 'fp8'"},
        std::tuple{"shape: [B, H]}\nattributes", "shape: [B, 7]}\nattributes", "declares [16, 7]"},
        std::tuple{"[B, H]}", "[B, Q]}", "'Q' is no"}}) {
    v1::TaskSource broken = task;
    std::string* text = broken.mutable_native()->mutable_files(0)->mutable_content();
    const size_t at = text->find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text->replace(at, std::string(from).size(), to);
    EXPECT_THAT(std::string(Start(broken).status().message()), HasSubstr(says));
  }
}

TEST(ReferenceTest, TheBaselineRunsOnTheSlotsOfAPool) {
  auto reference = *Start(Forward("torch.softmax(x, dim=1)", "torch.randn(64, 256)"));
  auto pool = *SlotPool::Create(reference->spec().cases(0), 4);
  ASSERT_TRUE(reference->OpenBaseline(*pool, Soon()).ok());
  const absl::StatusOr<absl::Duration> wall = reference->RunBaseline({0, 3, 1, 2}, Soon());
  ASSERT_TRUE(wall.ok()) << wall.status();
  EXPECT_GT(*wall, absl::ZeroDuration());
  EXPECT_TRUE(reference->RunEmptyBaseline({0, 1}, Soon()).ok());
  EXPECT_FALSE(reference->RunBaseline({4}, Soon()).ok());
  EXPECT_TRUE(reference->CloseBaseline(Soon()).ok());
}

TEST(ReferencePoolTest, AProcessServesTheNextEvaluationUnlessItDied) {
  ReferencePool pool(ReferenceOptions(), 1);
  const v1::TaskSource task = Forward("x * 2");
  ReferenceProcess* first = nullptr;
  {
    auto lease = pool.Acquire(task, Soon());
    ASSERT_TRUE(lease.ok()) << lease.status();
    first = &(*lease)->process();
  }
  {
    auto lease = pool.Acquire(task, Soon());
    ASSERT_TRUE(lease.ok());
    EXPECT_EQ(&(*lease)->process(), first);
    (*lease)->process().Kill();
    EXPECT_TRUE(absl::IsUnavailable((*lease)->CloseBaseline(Soon())));
  }
  auto lease = pool.Acquire(task, Soon());
  ASSERT_TRUE(lease.ok());
  EXPECT_TRUE((*lease)->CloseBaseline(Soon()).ok());
}

TEST(VariantStoreTest, AsksTheReferenceOnceAndReadsTheCacheAfterwards) {
  std::string folder = absl::StrCat(::testing::TempDir(), "/store-XXXXXX");
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  auto reference = *Start(Forward("x * 2"));
  int asked = 0;
  auto ask = [&]() -> absl::StatusOr<Reference*> {
    ++asked;
    return reference.get();
  };
  const v1::TaskCase& task_case = reference->spec().cases(0);
  const VariantKey key{reference->spec().hash(), "c0", 0, 7};
  std::vector<float> first;
  for (const int64_t memory : {1 << 20, 0}) {  // the second store finds it on disk only
    VariantStore store(VariantCache(folder, 1 << 20), memory);
    for (int i = 0; i < 2; ++i) {
      const auto variant = store.Get(task_case, key, "secret", ask, Soon());
      ASSERT_TRUE(variant.ok()) << variant.status();
      if (first.empty()) first = Floats((*variant)->inputs.Bytes(0));
      EXPECT_EQ(Floats((*variant)->inputs.Bytes(0)), first);
    }
  }
  EXPECT_EQ(asked, 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kernelsmith::worker
