// A candidate's compiled kernels on an Ascend card, real or emulated: kernelsmith-ascend-runner in a jail with the
// card's device nodes, told what the plan says.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/devices/ascend/card_report.h"
#include "worker/devices/device_runtime.h"
#include "worker/toolchains/ascend/cann_root.h"

namespace kernelsmith::worker {

struct AscendCardOptions {
  CannRoot root;
  int device = 0;
  std::vector<std::string> device_nodes;
  std::string emulated_soc;                                 // told to an emulated CANN; a real one does not look
  std::string runner_path;                                  // empty: beside this program, or in ../bin or ../libexec
  std::string plan_path;                                    // likewise
  int cores = 1;                                            // told to plans
  absl::Duration operation_limit = absl::Seconds(30);       // of one launch, by the runtime's own clock
  std::function<void(const std::string&)> on_card_trouble;  // an error that is the card's. May be empty
};

// Opens the card without a candidate and asks what it is. UNAVAILABLE with what the runtime says and what to do.
absl::StatusOr<CardFacts> DescribeAscendCard(const AscendCardOptions& options);

// Errors and `exit` as for CandidateProcess::Create; UNAVAILABLE for trouble with card or installation.
absl::StatusOr<std::unique_ptr<CandidateProcess>> StartAscendProcess(const AscendCardOptions& options,
                                                                     const RunSpec& spec, ExitReport* exit);

}  // namespace kernelsmith::worker
