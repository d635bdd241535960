// What carries out assignments. The loop calls Run on one thread and Prepare on another, so both may run at once, for
// different assignments.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/worker.pb.h"

namespace kernelsmith::worker {

// What an assignment came to.
struct Execution {
  struct Log {
    std::string name;     // "compiler.log"
    std::string content;  // raw bytes
  };
  v1::AssignmentState result;  // only the oneof is set
  std::vector<Log> logs;       // uploaded before the result is reported; then the report refers to them
};

class Executor {
 public:
  // For people: "compiling", "verifying case 3 of 5". May be called often.
  using Progress = std::function<void(absl::string_view activity)>;

  virtual ~Executor() = default;
  // Does ahead what does not need the card. Whether it worked shows in Run.
  virtual void Prepare(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) = 0;
  // Does everything. Soon after a stop the result is EVALUATION_CANCELLED.
  virtual Execution Run(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) = 0;
};

// The result of an assignment that was stopped.
v1::AssignmentState CancelledResult(const v1::Assignment& assignment);

// Status of a result, from its report or its inspection.
v1::EvaluationStatus StatusOfResult(const v1::AssignmentState& result);

}  // namespace kernelsmith::worker
