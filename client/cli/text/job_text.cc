#include "client/cli/text/job_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/text/format.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

std::string TensorText(const v1::TensorDescriptor& tensor) {
  return absl::StrCat(FormatEnum(v1::DType_Name(tensor.dtype())), " ",
                      tensor.shape().empty() ? "scalar" : absl::StrJoin(tensor.shape(), "x"));
}

void AddTimeUse(const v1::Job& job, Table& table) {
  const v1::TimeUse& use = job.time_use();
  const std::pair<const char*, double> kinds[] = {
      {"  proposer", use.proposer_s()}, {"  compile", use.compile_s()}, {"  reference", use.reference_s()},
      {"  verify", use.verify_s()},     {"  timing", use.timing_s()},   {"  lock wait", use.lock_wait_s()},
  };
  table.Add({"wall time", FormatSeconds(use.wall_s()), ""});
  for (const auto& [name, seconds] : kinds) table.Add({name, FormatSeconds(seconds), ""});
  table.Add({"  overhead", FormatPercent(use.overhead_ratio()), "of the wall time is covered by none of these"});
}

}  // namespace

std::string JobName(const v1::Job& job) { return job.spec().name().empty() ? job.task().name() : job.spec().name(); }

std::string TaskShape(const v1::TaskSpec& task) {
  if (task.cases().empty()) return task.family();
  std::vector<std::string> inputs;
  for (const auto& tensor : task.cases(0).inputs()) inputs.push_back(TensorText(tensor));
  std::vector<std::string> outputs;
  for (const auto& tensor : task.cases(0).outputs()) outputs.push_back(TensorText(tensor));
  return absl::StrCat(FormatEnum(task.family()), ", ", absl::StrJoin(inputs, ", "), " -> ",
                      absl::StrJoin(outputs, ", "));
}

std::string JobSummary(const v1::Job& job) {
  Table table({}, {Align::kLeft, Align::kRight, Align::kLeft});
  table.Add({"job", job.id(), OneLine(JobName(job), 100)});
  table.Add({"state", FormatEnum(v1::JobState_Name(job.state())), OneLine(job.reason(), 100)});
  if (job.has_task()) table.Add({"task", "", TaskShape(job.task())});
  if (job.first_correct_round() > 0) {
    table.Add(
        {"first correct", FormatMicros(job.first_correct_us()), absl::StrCat("round ", job.first_correct_round())});
    table.Add({"best", FormatMicros(job.best_us()), absl::StrCat("round ", job.incumbent_round())});
    table.Add({"speed-up", FormatRatio(job.speedup_vs_first()), "against the first correct kernel"});
  } else {
    table.Add({"first correct", "-", "no correct kernel"});
  }
  if (job.baseline_us() > 0) {
    const std::string baseline = job.task().baseline().empty() ? "the baseline" : job.task().baseline();
    table.Add({"", FormatRatio(job.speedup_vs_baseline()),
               absl::StrCat("against ", baseline, " (", FormatMicros(job.baseline_us()), ")")});
  }
  table.Add({"rounds", absl::StrCat(job.rounds_done()), absl::StrCat("of ", job.rounds_budget())});
  if (job.model_requests() > 0) {
    table.Add({"model requests", absl::StrCat(job.model_requests()), absl::StrCat(job.tokens_used(), " tokens")});
  }
  if (job.evaluations_retried() > 0) {
    table.Add({"repeated", absl::StrCat(job.evaluations_retried()), "evaluations, after infrastructure failures"});
  }
  if (job.has_time_use()) AddTimeUse(job, table);
  return table.Render();
}

std::string JobList(const std::vector<v1::Job>& jobs) {
  Table table({"job", "name", "state", "round", "best", "vs first", "vs baseline", "submitted (UTC)", "reason"},
              {Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  for (const v1::Job& job : jobs) {
    table.Add({job.id(), OneLine(JobName(job), 30), FormatEnum(v1::JobState_Name(job.state())),
               absl::StrCat(job.rounds_done(), "/", job.rounds_budget()), FormatMicros(job.best_us()),
               FormatRatio(job.speedup_vs_first()), FormatRatio(job.speedup_vs_baseline()),
               FormatUtc(job.submitted_unix_us()), OneLine(job.reason(), 60)});
  }
  return table.Render();
}

}  // namespace kernelsmith::client
