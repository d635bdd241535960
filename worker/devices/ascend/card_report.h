// What an emulated card tells about launches (runtime/kse.h), as findings and facts. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// Findings of all launches of a report. Where a launch could not be recorded whole, a note says so. A text that is no
// report gives no findings. `prefix`, the folder of the sources, is cut from file names and texts.
std::vector<v1::Finding> ParseCardReport(absl::string_view json, absl::string_view prefix);

// Microseconds of every launch of a report, in order: the simulated clock itself, of which events show whole ticks.
std::vector<double> LaunchTimes(absl::string_view json);

// A card as its runner describes it.
struct CardFacts {
  std::string soc;  // "Ascend910B3"
  int devices = 0;
  int aic_cores = 0;
  int aiv_cores = 0;
  int64_t memory_bytes = 0;
  std::string driver;
  std::string label;  // "emulated-cann 0.1.0"; empty on a real card

  bool emulated() const { return !label.empty(); }
};

// UNAVAILABLE if the text is no description.
absl::StatusOr<CardFacts> ParseCardFacts(absl::string_view json);

}  // namespace kernelsmith::worker
