#include "worker/toolchains/ascend/soc_table.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {
namespace {

struct Row {
  absl::string_view prefix;  // of the SoC's name; the first that fits counts
  absl::string_view name;
  absl::string_view npu_arch;
  absl::string_view cce_arch;
};

constexpr Row kRows[] = {
    {"Ascend910B", "ascend-a2", "dav-2201", "dav-c220"},   {"Ascend910_93", "ascend-a3", "dav-2201", "dav-c220"},
    {"Ascend950", "ascend-950", "dav-3510", "dav-c310"},   {"Ascend310P", "ascend-310p", "dav-2002", "dav-m200"},
    {"Ascend310B", "ascend-310b", "dav-3002", "dav-m300"}, {"Ascend910", "ascend-910", "dav-1001", "dav-c100"},
};

}  // namespace

absl::StatusOr<SocArchitecture> ArchitectureOf(absl::string_view soc) {
  for (const Row& row : kRows) {
    if (!absl::StartsWith(soc, row.prefix)) continue;
    return SocArchitecture{std::string(row.name), std::string(row.npu_arch), std::string(row.cce_arch)};
  }
  return absl::UnimplementedError(
      absl::StrCat("no compiler architecture is known for SoC '", soc, "'; add it to worker/toolchains/ascend"));
}

}  // namespace kernelsmith::worker
