// Options that choose items: search, conflicts and export share them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

struct FilterOptions {
  std::vector<std::string> kinds;
  std::vector<std::string> operators;
  std::vector<std::string> families;
  std::vector<std::string> levels;
  std::vector<std::string> labels;
  std::vector<std::string> stages;
  std::vector<std::string> purposes;
  std::vector<std::string> layers;
  std::vector<std::string> bottlenecks;
  std::vector<std::string> thoughts;
  std::vector<std::string> proposers;
  std::vector<std::string> models;
  std::vector<std::string> producers;
  std::vector<std::string> sessions;
  std::vector<std::string> excluded_sessions;
  std::vector<std::string> bundles;
  std::vector<std::string> names;
  std::vector<std::string> dtypes;
  std::string architecture;
  bool correct_only = false;
  bool include_retired = false;
};

void AddFilterOptions(Command& command, FilterOptions& options);
// INVALID_ARGUMENT names the option whose value is unknown.
absl::StatusOr<v1::Filter> FilterFrom(const FilterOptions& options);

// Where speed evidence counts: --architecture, --soc, --toolchain.
struct TargetOptions {
  std::string architecture;
  std::string soc;
  std::string toolchain;
};
void AddTargetOptions(Command& command, TargetOptions& options);
v1::Target TargetFrom(const TargetOptions& options);

}  // namespace kernelsmith::client
