#include "worker/emulator/driver/cards.h"

#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {
namespace {

struct Family {
  std::string_view prefix;
  std::string_view arch;
};

// In the order of tests: a longer prefix stands before a shorter one it begins with.
constexpr std::array<Family, 8> kFamilies = {{{"Ascend910B", "dav-2201"},
                                              {"Ascend910_93", "dav-2201"},
                                              {"Ascend910_95", "dav-3510"},
                                              {"Ascend950", "dav-3510"},
                                              {"Ascend910P", "dav-1001"},
                                              {"Ascend910A", "dav-1001"},
                                              {"Ascend310P", "dav-2002"},
                                              {"Ascend310B", "dav-3002"}}};

absl::Status Unsupported(const std::string& what) {
  return absl::UnimplementedError(absl::StrCat(what, ": the emulated card is dav-2201 with vector cores"));
}

}  // namespace

absl::Status CheckArch(const std::string& arch) {
  if (arch == "dav-2201" || arch == "dav-c220" || arch == "dav-c220-vec") return absl::OkStatus();
  for (std::string_view known : {"dav-c220-cube", "dav-1001", "dav-2002", "dav-3002", "dav-3510", "dav-m200",
                                 "dav-m300", "dav-c100", "dav-c310", "dav-c310-vec", "dav-c310-cube"}) {
    if (arch == known) return Unsupported(absl::StrCat("architecture '", arch, "' is not supported"));
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown architecture '", arch, "'; the emulated card is dav-2201"));
}

absl::StatusOr<std::string> ArchOfSoc(const std::string& soc) {
  for (const Family& family : kFamilies) {
    if (!std::string_view(soc).starts_with(family.prefix)) continue;
    if (family.arch == "dav-2201") return std::string(family.arch);
    return Unsupported(absl::StrCat("card '", soc, "' (", std::string(family.arch), ") is not supported"));
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown card '", soc, "'; an example is Ascend910B3"));
}

}  // namespace kernelsmith::emulator
