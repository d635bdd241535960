// The ascend target from source to verdict, the same on every card: the emulated one by default, a real one where
// ASCEND_HOME_PATH names its CANN (docs/ascend.md). What only an emulated card can see is skipped on a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "worker/devices/ascend/self_check.h"
#include "worker/devices/card.h"
#include "worker/pipeline/evaluate.h"
#include "worker/reference/task_identity.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Changes = std::vector<std::pair<const absl::string_view, std::string>>;

class Fixture {
 public:
  static Fixture& Get() {
    static Fixture& fixture = *new Fixture();
    return fixture;
  }

  const OpenedCard& card() const { return card_; }
  bool emulated() const { return card_.state.emulated(); }
  Evaluator& evaluator() { return *evaluator_; }

  // y = 2 x + 1 over 64 x 1000 floats.
  static v1::TaskSource Task() {
    v1::TaskSource source;
    source.mutable_kernelbench()->set_file_name("affine.py");
    source.mutable_kernelbench()->set_source(
        "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return x * 2 "
        "+ "
        "1\ndef get_inputs():\n    return [torch.randn(64, 1000)]\ndef get_init_inputs():\n    return []\n");
    return source;
  }

  // The worked example with replacements in both files, each of which must occur.
  static v1::Candidate Example(const Changes& changes = {}) {
    v1::Candidate candidate = ExampleCandidate();
    for (const auto& [from, to] : changes) {
      bool found = false;
      for (v1::SourceFile& file : *candidate.mutable_files()) {
        found = found || file.content().find(std::string(from)) != std::string::npos;
        file.set_content(absl::StrReplaceAll(file.content(), {{from, to}}));
      }
      EXPECT_TRUE(found) << from;
    }
    return candidate;
  }

  v1::EvaluateWork Work(const v1::Candidate& candidate) {
    v1::EvaluateWork work;
    *work.mutable_task() = Task();
    *work.mutable_spec() = spec_;
    *work.mutable_candidate() = candidate;
    work.set_input_secret(std::string(32, 's'));
    work.set_epoch(1);
    work.mutable_options()->mutable_limits()->set_run_s(120);
    return work;
  }

  v1::EvaluationReport Untimed(const v1::Candidate& candidate) {
    v1::EvaluateWork work = Work(candidate);
    work.mutable_options()->set_skip_timing(true);
    return evaluator_->Evaluate(work, {});
  }

 private:
  Fixture() {
    std::string folder = absl::StrCat(::testing::TempDir(), "/ascend-conformance-XXXXXX");
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    config::v1::WorkerConfig config;
    config.set_card_kind("ascend");
    const char* real = getenv("ASCEND_HOME_PATH");
    config.set_cann_root(real != nullptr && *real != 0 ? real : EMULATED_CANN);
    config.set_data_dir(folder);
    config.set_compile_cache_bytes(int64_t{1} << 30);
    absl::StatusOr<OpenedCard> card = OpenCard(config);
    if (!card.ok()) {
      ADD_FAILURE() << card.status();
      exit(1);
    }
    card_ = *std::move(card);
    EvaluatorOptions options;
    options.toolchain = card_.toolchain;
    options.runtime = card_.runtime;
    options.target = card_.state.target();
    options.emulated = card_.state.emulated();
    options.cpu_count = 2;
    options.lock_dir = folder;
    options.cache_dir = folder + "/variants";
    evaluator_ = std::make_unique<Evaluator>(options);
    const v1::InspectResult inspected = evaluator_->Inspect(Task(), {});
    EXPECT_TRUE(inspected.ok()) << inspected.error();
    spec_ = inspected.spec();
  }

  OpenedCard card_;
  std::unique_ptr<Evaluator> evaluator_;
  v1::TaskSpec spec_;
};

const v1::Finding* FindingOf(const v1::EvaluationReport& report, const std::string& check) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.check() == check) return &finding;
  }
  return nullptr;
}

TEST(AscendConformanceTest, TheSanitizerRunsBesideTheVerdictAndItsMessagesAreFindings) {
  Fixture& fixture = Fixture::Get();
  if (!fixture.card().runtime->CanSanitize().ok()) GTEST_SKIP() << fixture.card().runtime->CanSanitize();
  v1::EvaluateWork work = fixture.Work(Fixture::Example());
  work.mutable_options()->set_skip_timing(true);
  work.mutable_options()->set_sanitize(true);
  std::string messages;
  EvaluationControl control;
  control.log = [&](absl::string_view name, absl::string_view content) {
    if (name == "sanitizer.log") messages = std::string(content);
  };
  const v1::EvaluationReport clean = fixture.evaluator().Evaluate(work, control);
  EXPECT_EQ(clean.status(), v1::PASSED) << clean.summary();
  EXPECT_THAT(clean.summary(), Not(HasSubstr("not sanitized")));
  EXPECT_THAT(messages, HasSubstr("Sanitizer finished on kernel affine"));
  EXPECT_THAT(messages, Not(HasSubstr("====== ERROR")));

  // The last block copies a tile too much.
  *work.mutable_candidate() =
      Fixture::Example({{"DataCopyPad(y_[at], y, copy)", "DataCopyPad(y_[at + 4096], y, copy)"}});
  const v1::EvaluationReport beside = fixture.evaluator().Evaluate(work, control);
  EXPECT_NE(beside.status(), v1::PASSED);
  EXPECT_THAT(messages, HasSubstr("====== ERROR: illegal write"));
  const bool told = std::any_of(beside.findings().begin(), beside.findings().end(), [](const v1::Finding& finding) {
    return finding.severity() == v1::Finding::ERROR && finding.check() == "out_of_bounds" &&
           finding.text().find("illegal write") != std::string::npos && finding.line() > 0;
  });
  EXPECT_TRUE(told) << beside.DebugString();
}

TEST(AscendConformanceTest, TheCardSaysWhatItIs) {
  const v1::CardState& state = Fixture::Get().card().state;
  EXPECT_THAT(state.target().soc(), HasSubstr("Ascend"));
  EXPECT_THAT(state.target().architecture(), HasSubstr("ascend-"));
  EXPECT_THAT(state.target().toolchain(), HasSubstr("cann "));
  EXPECT_EQ(state.health(), v1::HEALTHY);
  EXPECT_GT(Fixture::Get().card().runtime->cores(), 1);
  EXPECT_THAT(Fixture::Get().card().toolchain->flags(), HasSubstr("--cce-auto-sync=on"));
}

TEST(AscendConformanceTest, TheExamplePassesEveryGateAndIsTimedByTheCardsClock) {
  const v1::EvaluationReport report = Fixture::Get().evaluator().Evaluate(Fixture::Get().Work(Fixture::Example()), {});
  ASSERT_EQ(report.status(), v1::PASSED) << report.DebugString();
  ASSERT_EQ(report.timings_size(), 1);
  const v1::Timing& timing = report.timings(0).candidate();
  const bool emulated = Fixture::Get().emulated();
  EXPECT_EQ(timing.clock(), emulated ? v1::SIMULATED : v1::DEVICE_EVENT);
  EXPECT_GT(timing.mean_us(), 0);
  EXPECT_GT(timing.batch_us(), 0);
  if (emulated) {
    EXPECT_EQ(timing.samples(), 2);
  }
  EXPECT_EQ(report.timings(0).verified_calls(), 3);
  if (emulated) {
    EXPECT_EQ(report.baseline_us(), 0);
    EXPECT_THAT(report.environment().baseline(), HasSubstr("none: an emulated card has no PyTorch baseline"));
  }
  EXPECT_EQ(report.environment().emulated(), emulated);
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.severity(), v1::Finding::ERROR) << finding.DebugString();
  }
}

TEST(AscendConformanceTest, MoreBlocksThanNeededAreSlowerThanTheExampleOnOneCore) {
  v1::EvaluateWork work = Fixture::Get().Work(Fixture::Example());
  *work.mutable_incumbent() = Fixture::Example({{"call->cpu_count - 1) / call->cpu_count", "0) / 1"}});
  const v1::EvaluationReport report = Fixture::Get().evaluator().Evaluate(work, {});
  ASSERT_EQ(report.status(), v1::PASSED) << report.DebugString();
  ASSERT_TRUE(report.has_against_incumbent()) << report.summary();
  EXPECT_GT(report.against_incumbent().ratio(), 1);
  EXPECT_TRUE(report.against_incumbent().faster());
}

struct EndCase {
  const char* name;
  Changes changes;
  v1::EvaluationStatus status;
  const char* says;
};

class AscendEndTest : public ::testing::TestWithParam<EndCase> {};

TEST_P(AscendEndTest, IsReportedAsWhatItIs) {
  const EndCase& entry = GetParam();
  v1::EvaluateWork work = Fixture::Get().Work(Fixture::Example(entry.changes));
  work.mutable_options()->set_skip_timing(true);
  const v1::EvaluationReport report = Fixture::Get().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), entry.status) << report.ShortDebugString();
  EXPECT_THAT(absl::StrCat(report.summary(), " ", report.rule()), HasSubstr(entry.says));
}

INSTANTIATE_TEST_SUITE_P(
    All, AscendEndTest,
    ::testing::Values(
        EndCase{"Wrong", {{"Adds(y, y, 1.0f, n)", "Adds(y, y, 1.5f, n)"}}, v1::INCORRECT_NUMERICAL, "verify"},
        EndCase{"Unwritten",
                {{"at < count_; at += tile_", "at < count_ - tile_; at += tile_"}},
                v1::INCORRECT_NUMERICAL,
                "verify"},
        EndCase{"CompileError",
                {{"AscendC::Muls(y, x, 2.0f, n)", "AscendC::Muls(y, x, 2.0f, )"}},
                v1::COMPILE_ERROR,
                "kernel.asc:"},
        EndCase{"PlanCompileError",
                {{"plan->tiling = tiling;", "plan->tilling = tiling;"}},
                v1::COMPILE_ERROR,
                "plan.cpp:"},
        EndCase{"PlanReturns", {{"return 0;\n}", "return 9;\n}"}}, v1::RUNTIME_ERROR, "ks_plan returned 9"},
        EndCase{"PlanCrashes", {{"plan->tiling = tiling;", "plan->tiling = (void*)8;"}}, v1::RUNTIME_ERROR, "SIGSEGV"},
        EndCase{"PlanNamesNoKernel", {{"\"affine\"", "\"afine\""}}, v1::RUNTIME_ERROR, "it has affine"},
        EndCase{"PlanForgetsAnArgument",
                {{"  ks_add_tiling(launch, 0);\n", ""}},
                v1::RUNTIME_ERROR,
                "gives 2 arguments; the kernel has 3"},
        EndCase{"Main", {{"class Affine {", "int main() { return 0; }\nclass Affine {"}}, v1::REWARD_HACK, "host-code"},
        EndCase{"HostFunction",
                {{"class Affine {", "int helper(int x) { return x; }\nclass Affine {"}},
                v1::REWARD_HACK,
                "host-code"},
        EndCase{"Constructor",
                {{"class Affine {", "struct S { S(); int x; };\nS::S() { x = 1; }\nS s;\nclass Affine {"}},
                v1::REWARD_HACK,
                "host-code"},
        EndCase{"InputWritten",
                {{"DataCopyPad(y_[at], y, copy)", "DataCopyPad(x_[at], y, copy)"}},
                v1::INPUT_MUTATED,
                "input"}),
    [](const auto& entry) { return std::string(entry.param.name); });

TEST(AscendConformanceTest, AnEndlessKernelIsEnded) {
  v1::EvaluateWork work = Fixture::Get().Work(Fixture::Example(
      {{"for (int32_t at = 0; at < count_; at += tile_) {",
        "for (volatile int32_t i = 0; count_ > 0; i = i + 1) {}\n    for (int32_t at = 0; at < count_; at "
        "+= tile_) {"}}));
  work.mutable_options()->set_skip_timing(true);
  work.mutable_options()->mutable_limits()->set_run_s(20);
  const v1::EvaluationReport report = Fixture::Get().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), v1::TIMEOUT) << report.ShortDebugString();
}

TEST(AscendConformanceTest, AWorkspaceCarriesResultsFromOneLaunchToTheNext) {
  const v1::EvaluationReport report = Fixture::Get().Untimed(Fixture::Example(
      {{"  ks_add_output(launch, 0);\n  ks_add_tiling(launch, 0);",
        "  plan->workspace_bytes = (uint64_t)total * 4;\n  plan->zeroed_bytes = 64;\n  ks_add_workspace(launch, 0);\n  "
        "ks_add_tiling(launch, 0);\n  launch = ks_add_launch(plan, \"copy\", 1);\n  ks_add_workspace(launch, 0);\n  "
        "ks_add_output(launch, 0);\n  ks_add_tiling(launch, 0);"},
       {"extern \"C\" __global__ __aicore__ void affine",
        "extern \"C\" __global__ __aicore__ void copy(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {\n"
        "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);\n  AscendC::TPipe pipe;\n"
        "  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;\n"
        "  pipe.InitBuffer(queue, 1, 8192);\n"
        "  AscendC::GlobalTensor<float> from;\n  AscendC::GlobalTensor<float> to;\n"
        "  const int32_t total = *(__gm__ int32_t*)tiling;\n"
        "  from.SetGlobalBuffer((__gm__ float*)x, total);\n  to.SetGlobalBuffer((__gm__ float*)y, total);\n"
        "  for (int32_t at = 0; at < total; at += 2048) {\n"
        "    const int32_t n = total - at < 2048 ? total - at : 2048;\n"
        "    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(n * 4), 0, 0, 0};\n"
        "    AscendC::DataCopyPadExtParams<float> pad{false, 0, 0, 0};\n"
        "    AscendC::LocalTensor<float> tile = queue.AllocTensor<float>();\n"
        "    AscendC::DataCopyPad(tile, from[at], copy, pad);\n    queue.EnQue(tile);\n"
        "    tile = queue.DeQue<float>();\n    AscendC::DataCopyPad(to[at], tile, copy);\n"
        "    queue.FreeTensor(tile);\n  }\n}\n\nextern \"C\" __global__ __aicore__ void affine"}}));
  EXPECT_EQ(report.status(), v1::PASSED) << report.ShortDebugString();
}

TEST(AscendConformanceTest, PrepareFillsTheCacheThatEvaluateUses) {
  const v1::EvaluateWork work = Fixture::Get().Work(Fixture::Example({{"// y = 2 x + 1.", "// Prepared."}}));
  EXPECT_EQ(Fixture::Get().evaluator().Prepare(work, {}).compile_cache(), "miss");
  EXPECT_EQ(Fixture::Get().evaluator().Prepare(work, {}).compile_cache(), "hit");
}

// What only an emulated card can see.
class EmulatedCardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Fixture::Get().emulated()) GTEST_SKIP() << "a real card does not look for this";
  }
};

TEST_F(EmulatedCardTest, ARaceFailsTheCandidateThoughItsNumbersAreRight) {
  const v1::EvaluationReport report = Fixture::Get().Untimed(Fixture::Example(
      {{"in_.EnQue(x);", ""},
       {"AscendC::LocalTensor<float> x = in_.DeQue<float>();", "AscendC::LocalTensor<float> x = current_;"},
       {"AscendC::DataCopyPad(x, x_[at], copy, pad);",
        "AscendC::DataCopyPad(x, x_[at], copy, pad);\n    current_ = x;"},
       {"int32_t count_ = 0;", "AscendC::LocalTensor<float> current_;\n  int32_t count_ = 0;"}}));
  EXPECT_EQ(report.status(), v1::RACE) << report.ShortDebugString();
  const v1::Finding* race = FindingOf(report, "race");
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->severity(), v1::Finding::ERROR);
  EXPECT_EQ(race->file(), "kernel.asc");
  EXPECT_GT(race->line(), 1);
  EXPECT_FALSE(race->operation().empty());
  EXPECT_THAT(report.summary(), HasSubstr("kernel.asc:"));
}

TEST_F(EmulatedCardTest, AWriteBesideAnOutputIsNamedWithItsLine) {
  const v1::EvaluationReport report =
      Fixture::Get().Untimed(Fixture::Example({{"y_.SetGlobalBuffer((__gm__ float*)y + begin, count_);",
                                                "y_.SetGlobalBuffer((__gm__ float*)y + begin + 64, count_);"}}));
  EXPECT_EQ(report.status(), v1::RUNTIME_ERROR) << report.ShortDebugString();
  EXPECT_NE(FindingOf(report, "out_of_bounds"), nullptr);
}

TEST_F(EmulatedCardTest, ABufferThatDoesNotFitIsACapacityFinding) {
  const v1::EvaluationReport report =
      Fixture::Get().Untimed(Fixture::Example({{"tiling[2] = 8192;", "tiling[2] = 32768;"}}));
  EXPECT_EQ(report.status(), v1::RUNTIME_ERROR) << report.ShortDebugString();
  EXPECT_NE(FindingOf(report, "capacity"), nullptr);
}

TEST_F(EmulatedCardTest, TwoEvaluationsGiveTheSameTime) {
  const v1::EvaluateWork work = Fixture::Get().Work(Fixture::Example());
  const double first = Fixture::Get().evaluator().Evaluate(work, {}).latency_us();
  EXPECT_GT(first, 0);
  EXPECT_DOUBLE_EQ(Fixture::Get().evaluator().Evaluate(work, {}).latency_us(), first);
}

TEST_F(EmulatedCardTest, ACallThatTheToolkitLacksIsUnsupportedAndNamed) {
  const v1::EvaluationReport missing = Fixture::Get().Untimed(
      Fixture::Example({{"AscendC::Muls(y, x, 2.0f, n);", "AscendC::Histograms(y, x, 2.0f, n);"}}));
  EXPECT_EQ(missing.status(), v1::UNSUPPORTED) << missing.ShortDebugString();
  EXPECT_THAT(missing.summary(), HasSubstr("this toolkit lacks Histograms"));
  const v1::EvaluationReport report = Fixture::Get().Untimed(Fixture::Example(
      {{"extern \"C\" __global__ __aicore__ void affine", "extern \"C\" __global__ __cube__ void affine"}}));
  EXPECT_EQ(report.status(), v1::UNSUPPORTED) << report.ShortDebugString();
  EXPECT_THAT(report.summary(), HasSubstr("UNSUPPORTED"));
}

}  // namespace
}  // namespace kernelsmith::worker
