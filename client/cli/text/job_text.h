// Jobs as text: the closing table, one line in a list, states.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

// The table at the end of a job: first correct, best, speed-ups, rounds, seconds by kind.
std::string JobSummary(const v1::Job& job);

// `kernelsmith jobs`.
std::string JobList(const std::vector<v1::Job>& jobs);

// "element-wise fp32 4096x1024": shapes of the first case.
std::string TaskShape(const v1::TaskSpec& task);

// The job's name, else its task's, as somebody wrote it: not safe for a terminal.
std::string JobName(const v1::Job& job);

}  // namespace kernelsmith::client
