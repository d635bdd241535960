// Collects gates and phase intervals of one evaluation into its report.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// An interval from construction to destruction.
class Phase {
 public:
  using Intervals = google::protobuf::RepeatedPtrField<v1::PhaseInterval>;
  Phase(absl::string_view kind, Intervals* intervals, const common::Clock& clock = common::Clock::Real())
      : kind_(kind), intervals_(intervals), clock_(clock), begin_(clock.UnixMicros()) {}
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  ~Phase() {
    v1::PhaseInterval* interval = intervals_->Add();
    interval->set_kind(kind_);
    interval->set_begin_unix_us(begin_);
    interval->set_end_unix_us(clock_.UnixMicros());
  }

 private:
  const std::string kind_;
  Intervals* const intervals_;
  const common::Clock& clock_;
  const int64_t begin_;
};

// What a step of the pipeline concluded.
struct Verdict {
  v1::EvaluationStatus status = v1::PASSED;
  std::string detail;  // one sentence
  std::string rule;    // with REWARD_HACK and SUSPECT
  int signal = 0;      // with RUNTIME_ERROR

  bool passed() const { return status == v1::PASSED; }
};

// Appends the outcome of a gate; a failed one decides status, summary, rule and signal of the report.
void RecordGate(v1::Gate gate, const Verdict& verdict, absl::Duration took, v1::EvaluationReport& report);

}  // namespace kernelsmith::worker
