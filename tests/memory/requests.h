// Requests as the coordinator would send them, for tests to vary.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory::testing {

constexpr char kProducer[] = "coordinator-1";

inline v1::Target HomeTarget() {
  v1::Target target;
  target.set_architecture("cpu-x86_64");
  target.set_soc("TestCpu");
  target.set_toolchain("g++ 12.2.0");
  target.set_driver("linux 6.1");
  return target;
}

// A correct root attempt of softmax with a journal.
inline v1::RecordAttemptRequest Attempt(const std::string& id, const std::string& prev = "", double speedup = 1.0) {
  v1::RecordAttemptRequest request;
  request.set_producer(kProducer);
  request.set_attempt_id(id);
  request.set_prev_attempt_id(prev);
  *request.mutable_target() = HomeTarget();
  request.mutable_author()->set_kind("catalog");
  v1::Case& source = *request.mutable_case_();
  source.set_operator_name("softmax");
  source.set_family("row_reduction");
  source.set_level("L1");
  source.mutable_scene()->set_shape_signature("4096x1024");
  source.mutable_scene()->set_dtype(v1::FP32);
  source.set_purpose(v1::SPEED);
  source.mutable_thought()->set_id("vector-exp");
  source.mutable_thought()->set_title("vectorised exponential");
  source.mutable_thought()->set_layer(v1::INSTRUCTION);
  source.mutable_thought()->set_bottleneck("compute-bound");
  (*source.mutable_thought()->mutable_parameters())["threads"] = std::string("2");
  source.set_hypothesis("the exponential dominates");
  source.set_code_before("int a;\nint b;\n");
  source.set_code_after("int a;\nint c;\n");
  source.set_status(v1::PASSED);
  source.set_feedback("all cases passed");
  source.set_latency_us(100 / (speedup > 0 ? speedup : 1));
  source.set_clock(v1::PARENT);
  source.set_speedup(speedup);
  source.set_session("job-1");
  source.set_step(1);
  source.set_stage(v1::REFINING);
  request.mutable_journal()->set_strategy("replace the scalar exponential");
  request.mutable_journal()->set_interpretation("it paid off");
  return request;
}

inline v1::RecordAttemptRequest FailedAttempt(const std::string& id, const std::string& prev = "") {
  v1::RecordAttemptRequest request = Attempt(id, prev, 0);
  request.mutable_case_()->set_status(v1::COMPILE_ERROR);
  request.mutable_case_()->set_latency_us(0);
  request.mutable_case_()->set_feedback("error EZ9999: undeclared identifier DataCopyPad");
  return request;
}

inline v1::AssembleContextRequest Context(const std::string& attempt_id, const std::string& query = "softmax") {
  v1::AssembleContextRequest request;
  request.set_producer(kProducer);
  request.set_attempt_id(attempt_id);
  v1::RequiredBlock& specification = *request.add_required();
  specification.set_name("specification");
  specification.set_text("Write a softmax.");
  specification.set_stable(true);
  v1::RequiredBlock& feedback = *request.add_required();
  feedback.set_name("feedback");
  feedback.set_text("The last attempt was slow.");
  request.mutable_budget()->set_window(32'000);
  request.set_query(query);
  *request.mutable_target() = HomeTarget();
  request.set_operator_name("softmax");
  request.set_family("row_reduction");
  request.set_stage(v1::REFINING);
  return request;
}

// States every included item of `context`, adopting the first `adopted` ones.
inline v1::RecordAdoptionRequest Adoption(const v1::AssembleContextResponse& context, int adopted) {
  v1::RecordAdoptionRequest request;
  request.set_retrieval_id(context.retrieval_id());
  for (const v1::RankedItem& item : context.items()) {
    v1::AdoptionRecord& record = *request.add_records();
    record.set_item_id(item.item().id());
    record.set_state(request.records_size() <= adopted ? v1::ADOPTED : v1::NOT_ADOPTED);
    record.set_reason("fits");
  }
  return request;
}

inline v1::CompleteStageRequest FinishedStage(const std::string& id, const std::vector<std::string>& retrieval_ids) {
  v1::CompleteStageRequest request;
  request.set_producer(kProducer);
  request.set_stage_id(id);
  request.set_stage(v1::REFINING);
  request.set_operator_name("softmax");
  request.set_task_hash("task");
  *request.mutable_target() = HomeTarget();
  for (const std::string& retrieval : retrieval_ids) request.add_retrieval_ids(retrieval);
  request.set_passed(true);
  request.set_first_us(1000);
  request.set_best_us(600);
  return request;
}

}  // namespace kernelsmith::memory::testing
