// The winning kernel of a job with its evidence, written to a folder that explains itself.
//
//   kernel.cpp      the candidate's source files
//   report.json     v1.EvaluationReport: verdict gate by gate, errors, times with samples, environment
//   task.json       v1.TaskSource: the operator as submitted; `kernelsmith eval` accepts it
//   job.json        v1.Job: specification, resolved task, figures
//   lineage.json    the attempts that led to the kernel, and what the memory says of all attempts of the job
//   README.md       what is what, and how to check it again
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelsmith/client/client.h"
#include "kernelsmith/client/memory.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

struct KernelEvidence {
  v1::Job job;
  v1::Attempt winner;
  std::vector<v1::Attempt> chain;        // draft first, the winner last
  std::vector<v1::LineageNode> lineage;  // from the memory; empty if it could not be reached
};

// Fetches everything. FAILED_PRECONDITION if the job has no correct kernel (yet). `memory` may be null; an unreachable
// memory leaves the lineage empty.
absl::StatusOr<KernelEvidence> FetchEvidence(const Client& client, const MemoryClient* memory,
                                             const std::string& job_id);

// Creates `folder` and writes the files; an existing file of the same name is replaced.
absl::Status WriteKernelFolder(const KernelEvidence& evidence, const std::string& folder);

// The text of README.md.
std::string EvidenceReadme(const KernelEvidence& evidence);

}  // namespace kernelsmith::client
