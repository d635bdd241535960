#include "tests/client/example_job.h"

#include <gtest/gtest.h>

#include "google/protobuf/text_format.h"

namespace kernelsmith::client {
namespace {

template <typename Message>
Message From(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

}  // namespace

v1::JobEvent EventFrom(const std::string& text) { return From<v1::JobEvent>(text); }

v1::Job ExampleJob() {
  return From<v1::Job>(R"pb(
    id: "j-1"
    team: "local"
    spec {
      task {
        kernelbench { file_name: "softmax.py" source: "class Model: pass\n" }
        overrides { key: "N" value: "512" }
      }
    }
    state: SUCCEEDED
    stage: REFINING
    reason: "budget of 3 rounds used"
    task {
      name: "softmax"
      family: "row_reduction"
      baseline: "PyTorch 1.13.0, 2 threads"
      cases {
        id: "c0"
        inputs { name: "x" dtype: FP32 shape: 64 shape: 512 }
        outputs { name: "output" dtype: FP32 shape: 64 shape: 512 }
      }
    }
    rounds_done: 3
    rounds_budget: 3
    incumbent_round: 2
    first_correct_round: 1
    first_correct_us: 100
    best_us: 50
    baseline_us: 75
    speedup_vs_first: 2
    speedup_vs_baseline: 1.5
    last_sequence: 8
    time_use {
      wall_s: 20
      proposer_s: 1
      compile_s: 8
      reference_s: 2
      verify_s: 3
      timing_s: 5
      lock_wait_s: 0.5
      covered_s: 19.4
      overhead_ratio: 0.03
    })pb");
}

std::vector<v1::JobEvent> ExampleEvents() {
  const char* const texts[] = {
      "submitted { team: 'local' }",
      "task_resolved { task { name: 'softmax' } }",
      "round_started { round: 1 stage: DRAFTING }",
      "round_recorded { round: 1 status: PASSED latency_us: 100 best_us: 100 became_incumbent: true }",
      "round_started { round: 2 stage: REFINING start_round: 1 }",
      "round_recorded { round: 2 status: PASSED latency_us: 50 best_us: 50 became_incumbent: true }",
      "round_recorded { round: 3 status: COMPILE_ERROR best_us: 50 }",
      "job_ended { state: SUCCEEDED reason: 'budget of 3 rounds used' }",
  };
  std::vector<v1::JobEvent> events;
  for (const char* text : texts) {
    events.push_back(EventFrom(text));
    events.back().set_job_id("j-1");
    events.back().set_sequence(events.size());
  }
  return events;
}

v1::EvaluationReport ExampleReport() {
  return From<v1::EvaluationReport>(R"pb(
    status: PASSED
    summary: "correct on 1 case, 50.0 us"
    gates { gate: COMPILE passed: true }
    gates { gate: VERIFY passed: true }
    cases { case_id: "c0" status: PASSED max_abs_error: 1e-6 max_rel_error: 2e-6 }
    timings {
      case_id: "c0"
      candidate { clock: PARENT mean_us: 50 median_us: 49 p10_us: 48 p90_us: 53 cv: 0.02 samples: 30 }
      baseline { mean_us: 75 }
      against_baseline { ratio: 1.5 low: 1.45 high: 1.55 faster: true }
    }
    latency_us: 50
    baseline_us: 75
    speedup_vs_baseline: 1.5
    environment {
      target { soc: "Xeon" toolchain: "g++ 12.2.0" }
      worker_id: "h-cpu0"
      isolation: "bwrap"
      compile_flags: "-O3"
      baseline: "PyTorch 1.13.0, 2 threads"
    })pb");
}

std::vector<v1::Attempt> ExampleAttempts() {
  std::vector<v1::Attempt> attempts;
  for (int round = 1; round <= 3; ++round) {
    v1::Attempt attempt;
    attempt.set_job_id("j-1");
    attempt.set_attempt_id("j-1/" + std::to_string(round));
    attempt.set_round(round);
    attempt.set_start_round(round - 1);
    attempt.set_stage(round == 1 ? v1::DRAFTING : v1::REFINING);
    attempt.mutable_proposal()->mutable_author()->set_kind("catalog");
    attempt.mutable_proposal()->mutable_thought()->set_title("move " + std::to_string(round));
    v1::SourceFile* file = attempt.mutable_candidate()->add_files();
    file->set_name("kernel.cpp");
    file->set_content("// round " + std::to_string(round) + "\n");
    *attempt.mutable_report() = ExampleReport();
    attempt.set_became_incumbent(round < 3);
    attempts.push_back(attempt);
  }
  attempts[2].mutable_report()->set_status(v1::COMPILE_ERROR);
  return attempts;
}

}  // namespace kernelsmith::client
