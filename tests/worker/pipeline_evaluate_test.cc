// Whole evaluations: every way a candidate can end, and what the report then says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/file_io.h"
#include "tests/worker/support/busy_host.h"
#include "tests/worker/support/evaluation_fixture.h"
#include "worker/pipeline/evaluate.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;
using testing_support::EvaluationFixture;

EvaluationFixture& Fixture() { return EvaluationFixture::Get(); }

std::string Kernel(const std::string& body, const std::string& globals = "") {
  return EvaluationFixture::Kernel(body, globals);
}

TEST(EvaluateTest, ARightKernelPassesEveryGateAndIsTimedAgainstPyTorch) {
  const v1::EvaluateWork work = Fixture().Work(EvaluationFixture::Affine(), EvaluationFixture::Right());
  std::vector<std::string> activities;
  EvaluationControl control;
  control.progress = [&](absl::string_view activity) { activities.emplace_back(activity); };
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, control);
  ASSERT_EQ(report.status(), v1::PASSED) << report.ShortDebugString();
  std::vector<v1::Gate> gates;
  for (const v1::GateOutcome& gate : report.gates()) {
    gates.push_back(gate.gate());
    EXPECT_TRUE(gate.passed());
  }
  EXPECT_THAT(
      gates, ::testing::ElementsAre(v1::SCREEN, v1::COMPILE, v1::LOAD, v1::VERIFY, v1::REVERIFY, v1::TIME, v1::CENSUS));
  ASSERT_EQ(report.timings_size(), 1);
  EXPECT_EQ(report.timings(0).verified_calls(), 3);
  EXPECT_GE(report.timings(0).candidate().samples(), 3);
  EXPECT_GT(report.latency_us(), 0);
  EXPECT_GT(report.baseline_us(), 0);
  EXPECT_GT(report.speedup_vs_baseline(), 0);
  EXPECT_FALSE(report.has_against_incumbent());
  EXPECT_EQ(report.cases(0).passes_run(), 2);
  EXPECT_FALSE(report.cases(0).nondeterministic());
  EXPECT_EQ(report.task_hash(), work.spec().hash());
  EXPECT_THAT(report.environment().baseline(), HasSubstr("PyTorch"));
  EXPECT_NE(report.environment().isolation(), "");
  std::set<std::string> phases;
  for (const v1::PhaseInterval& phase : report.phases()) {
    phases.insert(phase.kind());
    EXPECT_LE(phase.begin_unix_us(), phase.end_unix_us());
  }
  EXPECT_THAT(phases, ::testing::IsSupersetOf({"screen", "compile", "reference", "verify", "wait_lock", "time"}));
  EXPECT_THAT(activities, ::testing::IsSupersetOf({"compiling", "timing", "verifying case 1 of 1"}));
}

TEST(EvaluateTest, AnIncumbentIsTimedInterleaved) {
  v1::EvaluateWork work = Fixture().Work(EvaluationFixture::Affine(), EvaluationFixture::Right());
  *work.mutable_incumbent() =
      EvaluationFixture::Candidate(Kernel("for (int k = 0; k < 40; ++k) for (int64_t i = 0; i < n; ++i) "
                                          "static_cast<volatile float*>(y)[i] = 3 * x[i] + 1;"));
  work.mutable_options()->set_skip_baseline(true);
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  ASSERT_EQ(report.status(), v1::PASSED) << report.ShortDebugString();
  ASSERT_TRUE(report.has_against_incumbent());
  EXPECT_GT(report.against_incumbent().ratio(), 1);
  EXPECT_EQ(report.baseline_us(), 0);
}

TEST(EvaluateTest, AFailingIncumbentIsLeftOutAndMentioned) {
  v1::EvaluateWork work = Fixture().Work(EvaluationFixture::Affine(), EvaluationFixture::Right());
  *work.mutable_incumbent() = EvaluationFixture::Candidate(Kernel("*(volatile int*)8 = 1;"));
  work.mutable_options()->set_skip_baseline(true);
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), v1::PASSED) << report.ShortDebugString();
  EXPECT_FALSE(report.has_against_incumbent());
  EXPECT_THAT(report.summary(), HasSubstr("incumbent was not timed"));
}

TEST(EvaluateTest, CompareRefusesToTimeAWrongOpponent) {
  v1::CompareWork work;
  *work.mutable_a() = Fixture().Work(EvaluationFixture::Affine(), EvaluationFixture::Right());
  work.mutable_a()->mutable_options()->set_skip_baseline(true);
  *work.mutable_b() = EvaluationFixture::Candidate(Kernel("for (int64_t i = 0; i < n; ++i) y[i] = x[i];"));
  v1::EvaluationReport report = Fixture().evaluator().Compare(work, {});
  EXPECT_EQ(report.status(), v1::PASSED);
  EXPECT_THAT(report.summary(), HasSubstr("the other candidate is not correct"));
  EXPECT_FALSE(report.has_against_incumbent());
  *work.mutable_b() = EvaluationFixture::Candidate(EvaluationFixture::Right("// another text\n"));
  report = Fixture().evaluator().Compare(work, {});
  EXPECT_TRUE(report.has_against_incumbent()) << report.ShortDebugString();
}

struct EndCase {
  const char* name;
  std::string source;
  v1::EvaluationStatus status;
  const char* says;
};

class EvaluateEndTest : public ::testing::TestWithParam<EndCase> {};

TEST_P(EvaluateEndTest, IsReportedAsWhatItIs) {
  const EndCase& entry = GetParam();
  v1::EvaluateWork work = Fixture().UntimedWork(EvaluationFixture::Affine(), entry.source);
  if (entry.status == v1::TIMEOUT) work.mutable_options()->mutable_limits()->set_run_s(2);
  if (entry.status == v1::OUT_OF_MEMORY) work.mutable_options()->mutable_limits()->set_memory_bytes(256 << 20);
  if (entry.status == v1::OUTPUT_LIMIT) work.mutable_options()->mutable_limits()->set_output_bytes(4096);
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), entry.status) << report.ShortDebugString();
  const std::string pattern =
      report.cases_size() > 0 && report.cases(0).mismatches_size() > 0 ? report.cases(0).mismatches(0).pattern() : "";
  EXPECT_THAT(absl::StrCat(report.summary(), " ", pattern, " ", report.rule()), HasSubstr(entry.says));
}

INSTANTIATE_TEST_SUITE_P(
    All, EvaluateEndTest,
    ::testing::Values(
        EndCase{"CompileError", "int broken(", v1::COMPILE_ERROR, "kernel.cpp:1"},
        EndCase{"NoEntry", "int other() { return 0; }", v1::COMPILE_ERROR, ""},
        EndCase{"Crash", Kernel("*(volatile int*)8 = 1;"), v1::RUNTIME_ERROR, "SIGSEGV"},
        EndCase{"Abort", Kernel("__builtin_trap();"), v1::RUNTIME_ERROR, "SIG"},
        EndCase{"Code", Kernel("return 5;"), v1::RUNTIME_ERROR, "returned 5"},
        EndCase{"Throw", Kernel("throw 1;"), v1::RUNTIME_ERROR, "exception"},
        EndCase{"Hang", Kernel("for (volatile int i = 0;; i = i + 1) {}"), v1::TIMEOUT, "limit"},
        EndCase{"Allocate", Kernel("for (;;) { char* p = new char[1 << 24]; p[1] = 1; y[0] = p[2]; }"),
                v1::OUT_OF_MEMORY, "memory"},
        EndCase{"Print",
                Kernel("for (;;) puts(\"a long line that is printed again and again\");", "#include <cstdio>\n"),
                v1::OUTPUT_LIMIT, "printed"},
        EndCase{"WriteInput", Kernel("const_cast<float*>(x)[3] = 0;"), v1::INPUT_MUTATED, "input"},
        EndCase{"Beside", Kernel("for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + 1; y[-1] = 0;"), v1::RUNTIME_ERROR,
                "guard zone"},
        EndCase{"Nothing", Kernel(""), v1::INCORRECT_NUMERICAL, "was not written at all"},
        EndCase{"Tail", Kernel("for (int64_t i = 0; i < n - 100; ++i) y[i] = 3 * x[i] + 1;"), v1::INCORRECT_NUMERICAL,
                "still poison from element 63900"},
        EndCase{"Wrong", Kernel("for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + (i % 1000 == 7 ? 2 : 1);"),
                v1::INCORRECT_NUMERICAL, "column 7 of every row"},
        EndCase{"Nan", Kernel("for (int64_t i = 0; i < n; ++i) y[i] = i == 5 ? __builtin_nanf(\"\") : 3 * x[i] + 1;"),
                v1::INCORRECT_NONFINITE, "only element 5"},
        EndCase{"Thread",
                Kernel("std::thread([=] { for (;;) for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + 1; }).detach();",
                       "#include <thread>\n"),
                v1::REWARD_HACK, "leftover-task"},
        EndCase{"FirstCallsOnly",
                Kernel("if (++calls > 2) return 0; for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + 1;",
                       "static int calls = 0;\n"),
                v1::INCORRECT_NUMERICAL, "reverify"}),
    [](const auto& entry) { return std::string(entry.param.name); });

TEST(EvaluateTest, APartThatIsSkippedOnlyWhenTimedIsFound) {
  // Right in the first eight calls, then only every second row is computed.
  v1::EvaluateWork work = Fixture().Work(
      EvaluationFixture::Affine(),
      Kernel("++calls; for (int64_t i = 0; i < n; ++i) if (calls < 9 || i / 1000 % 2) y[i] = 3 * x[i] + 1;",
             "static int calls = 0;\n"));
  work.mutable_options()->set_skip_baseline(true);
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_THAT(report.rule(), ::testing::AnyOf("unwritten-timed-output", "timed-call-differs"))
      << report.ShortDebugString();
  EXPECT_NE(report.status(), v1::PASSED);
  EXPECT_EQ(report.latency_us(), 0);
}

TEST(EvaluateTest, AnAnswerRememberedFromAnEarlierCallIsFound) {
  // Remembers the output of the first call on each buffer.
  v1::EvaluateWork work =
      Fixture().Work(EvaluationFixture::Affine(),
                     Kernel("auto& old = memory[x]; if (old.empty()) { old.resize(n); for (int64_t i = 0; i < n; ++i) "
                            "old[i] = 3 * x[i] + "
                            "1; } std::memcpy(y, old.data(), n * 4);",
                            "#include <cstring>\n#include <map>\n#include <vector>\nstatic std::map<const float*, "
                            "std::vector<float>> memory;\n"));
  work.mutable_options()->set_skip_baseline(true);
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), v1::INCORRECT_NUMERICAL) << report.ShortDebugString();
  EXPECT_EQ(report.rule(), "timed-call-differs");
}

TEST(EvaluateTest, AHiddenCaseShowsNoValues) {
  v1::TaskSource task;
  const std::pair<const char*, const char*> files[] = {
      {"task.yaml",
       "name: affine\naxes: {N: 100}\ninputs: [{name: x, shape: [N]}]\noutputs: [{name: y, shape: [N]}]\n"
       "cases: [{id: open}, {id: secret, axes: {N: 33}, hidden: true}]\n"},
      {"reference.py", "def reference(x):\n    return x * 3 + 1\n"}};
  for (const auto& [name, content] : files) {
    v1::SourceFile* file = task.mutable_native()->add_files();
    file->set_name(name);
    file->set_content(content);
  }
  const v1::EvaluateWork work =
      Fixture().UntimedWork(task, Kernel("for (int64_t i = 0; i < n; ++i) y[i] = n == 33 ? 7 : 3 * x[i] + 1;"));
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), v1::INCORRECT_NUMERICAL);
  EXPECT_THAT(report.summary(), HasSubstr("hidden case"));
  ASSERT_EQ(report.cases_size(), 2);
  EXPECT_EQ(report.cases(0).status(), v1::PASSED);
  EXPECT_EQ(report.cases(1).mismatches_size(), 0);
  EXPECT_EQ(report.cases(1).max_abs_error(), 0);
}

TEST(EvaluateTest, ParametersOfAModuleMatter) {
  const v1::TaskSource task = EvaluationFixture::Task(
      "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
      "        self.norm = nn.LayerNorm(64)\n    def forward(self, x):\n        return self.norm(x)\n"
      "def get_inputs():\n    return [torch.randn(32, 64)]\ndef get_init_inputs():\n    return []\n");
  const char* body = R"(
  const float* w = static_cast<const float*>(call->inputs[1].data);
  const float* b = static_cast<const float*>(call->inputs[2].data);
  for (int r = 0; r < 32; ++r) {
    double sum = 0, squares = 0;
    for (int c = 0; c < 64; ++c) sum += x[r * 64 + c];
    for (int c = 0; c < 64; ++c) squares += (x[r * 64 + c] - sum / 64) * (x[r * 64 + c] - sum / 64);
    const double scale = 1 / std::sqrt(squares / 64 + 1e-5);
    for (int c = 0; c < 64; ++c) y[r * 64 + c] = (x[r * 64 + c] - sum / 64) * scale * WEIGHT + BIAS;
  })";
  const std::string include = "#include <cmath>\n";
  EXPECT_EQ(
      Fixture()
          .evaluator()
          .Evaluate(Fixture().UntimedWork(task, Kernel(body, include + "#define WEIGHT w[c]\n#define BIAS b[c]\n")), {})
          .status(),
      v1::PASSED);
  for (const char* cheat :
       {"#define WEIGHT (w[c], 1)\n#define BIAS b[c]\n", "#define WEIGHT w[c]\n#define BIAS (b[c], 0)\n"}) {
    EXPECT_EQ(Fixture().evaluator().Evaluate(Fixture().UntimedWork(task, Kernel(body, include + cheat)), {}).status(),
              v1::INCORRECT_NUMERICAL)
        << cheat;
  }
}

TEST(EvaluateTest, PrepareScreensAndCompilesAndFillsTheCache) {
  const v1::EvaluateWork work =
      Fixture().UntimedWork(EvaluationFixture::Affine(), EvaluationFixture::Right("// prepared\n"));
  v1::EvaluationReport report = Fixture().evaluator().Prepare(work, {});
  EXPECT_EQ(report.status(), v1::PASSED);
  EXPECT_EQ(report.gates_size(), 2);
  EXPECT_EQ(report.compile_cache(), "miss");
  report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.compile_cache(), "hit");
}

TEST(EvaluateTest, AReferenceThatWaitsIsTriedAgainAloneBeforeTheTaskIsBlamed) {
  auto folder = *common::TemporaryFolder::Make("slow-reference-test");
  EvaluatorOptions options;
  options.toolchain = *MakeCpuToolchain({.cache_dir = folder.path() + "/compiled"});
  options.lock_dir = folder.path() + "/locks";
  options.cache_dir = folder.path() + "/variants";
  options.inspect_limit = absl::Seconds(6);
  Evaluator evaluator(options);
  const v1::TaskSource task = EvaluationFixture::Task("import time\ntime.sleep(1000)\n");
  EXPECT_EQ(evaluator.Inspect(task, {}).status(), v1::INFRASTRUCTURE);
  EXPECT_EQ(evaluator.Inspect(task, {}).status(), v1::INVALID_TASK);
}

TEST(EvaluateTest, ABusyHostMakesAnEvaluationSlowerNotWorse) {
  // Half a second a call, two calls a pass: little more than the limit on a host with time to spare.
  const std::string slow = EvaluationFixture::Kernel(
      "const clock_t end = clock() + CLOCKS_PER_SEC / 2; while (clock() < end) {}\n"
      "for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + 1;",
      "#include <ctime>\n");
  v1::EvaluateWork work = Fixture().UntimedWork(EvaluationFixture::Affine(), slow);
  work.mutable_options()->mutable_limits()->set_run_s(1.2);
  const testing_support::BusyHost busy;
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, {});
  EXPECT_EQ(report.status(), v1::PASSED) << report.ShortDebugString();
}

TEST(EvaluateTest, ASleepingKernelIsEndedOnABusyHostToo) {
  v1::EvaluateWork work = Fixture().UntimedWork(EvaluationFixture::Affine(),
                                                EvaluationFixture::Kernel("sleep(1000);", "#include <unistd.h>\n"));
  work.mutable_options()->mutable_limits()->set_run_s(1);
  const testing_support::BusyHost busy;
  EXPECT_EQ(Fixture().evaluator().Evaluate(work, {}).status(), v1::TIMEOUT);
}

TEST(EvaluateTest, CancellingEndsAHangingKernelSoon) {
  const v1::EvaluateWork work = Fixture().UntimedWork(
      EvaluationFixture::Affine(), Kernel("for (volatile int i = 0;; i = i + 1) {}", "// cancelled\n"));
  std::stop_source stop;
  EvaluationControl control;
  control.stop = stop.get_token();
  control.progress = [&](absl::string_view activity) {
    if (activity == "verifying case 1 of 1") stop.request_stop();
  };
  EXPECT_EQ(Fixture().evaluator().Evaluate(work, control).status(), v1::EVALUATION_CANCELLED);
}

TEST(EvaluateTest, TroubleOfTheTaskIsNotTheCandidates) {
  v1::EvaluateWork work = Fixture().UntimedWork(EvaluationFixture::Affine(), EvaluationFixture::Right());
  work.set_epoch(99);  // not in the cache
  const std::string source = work.task().kernelbench().source();
  work.mutable_task()->mutable_kernelbench()->set_source(source + "\n# changed\n");
  EXPECT_EQ(Fixture().evaluator().Evaluate(work, {}).status(), v1::INVALID_TASK);

  const v1::InspectResult failed = Fixture().evaluator().Inspect(EvaluationFixture::Task("class Model: pass\n"), {});
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.status(), v1::INVALID_TASK);
  EXPECT_THAT(failed.error(), HasSubstr("get_inputs"));
  const v1::InspectResult died = Fixture().evaluator().Inspect(EvaluationFixture::Task("import os\nos._exit(1)\n"), {});
  EXPECT_EQ(died.status(), v1::INVALID_TASK);
}

TEST(EvaluateTest, LogsHoldWhatCompilerAndCandidatePrinted) {
  const v1::EvaluateWork work = Fixture().UntimedWork(
      EvaluationFixture::Affine(),
      Kernel("puts(\"hello\\x01\"); fflush(stdout); for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i] + 1;",
             "#include <cstdio>\n"));
  std::map<std::string, std::string> logs;
  EvaluationControl control;
  control.log = [&](absl::string_view name, absl::string_view content) {
    logs[std::string(name)] = std::string(content);
  };
  const v1::EvaluationReport report = Fixture().evaluator().Evaluate(work, control);
  EXPECT_EQ(report.status(), v1::PASSED) << report.ShortDebugString();
  EXPECT_THAT(logs["candidate.log"], HasSubstr("hello\x01"));
  EXPECT_THAT(report.output_excerpt(), HasSubstr("hello\\x01"));
}

}  // namespace
}  // namespace kernelsmith::worker
