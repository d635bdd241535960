#include "client/cli/up/cann.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultSoc = "Ascend910B3";

}  // namespace

absl::StatusOr<std::string> FindEmulatedCann(const std::string& programs) {
  std::error_code error;
  for (const char* place : {"/../emulated-cann", "/../libexec/kernelsmith/emulated-cann"}) {
    const fs::path root = fs::weakly_canonical(programs + place, error);
    if (!error && fs::exists(root / "bin/bisheng", error)) return root.string();
  }
  return absl::NotFoundError(absl::StrCat("there is no emulated CANN beside ", programs));
}

absl::Status ChooseCann(const std::string& programs, config::v1::WorkerConfig& worker) {
  const absl::StatusOr<std::string> emulated = FindEmulatedCann(programs);
  if (worker.cann_root().empty()) {
    const char* given = std::getenv("ASCEND_HOME_PATH");
    if (given != nullptr && *given != 0) {
      worker.set_cann_root(given);
    } else if (emulated.ok()) {
      worker.set_cann_root(*emulated);
    } else {
      return absl::FailedPreconditionError(absl::StrCat("no CANN for ascend cards: ASCEND_HOME_PATH is not set, and ",
                                                        emulated.status().message(),
                                                        "; source CANN's set_env.sh, or install the emulated one"));
    }
  }
  std::error_code error;
  const bool is_emulated = emulated.ok() && fs::equivalent(worker.cann_root(), *emulated, error);
  if (is_emulated && worker.emulated_soc().empty()) worker.set_emulated_soc(kDefaultSoc);
  return absl::OkStatus();
}

}  // namespace kernelsmith::client
