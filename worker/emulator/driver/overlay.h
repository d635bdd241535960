// Presents rewritten copies of the author's files to clang under their own names, by a file of clang's -ivfsoverlay.
// Looks at the main file and at whatever it includes from folders of the author (beside the including file, -I,
// -iquote, -isystem), as far as it exists, without following conditions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/emulator/driver/specifiers.h"

namespace kernelsmith::emulator {

// What is to be known of rewritten files when reading clang's diagnostics.
struct Rewriting {
  std::vector<std::pair<std::string, KernelName>> kernels;  // of the file at this absolute path
  std::map<std::string, std::string> lines;                 // as clang read them -> as the author wrote them
};

struct Overlay {
  std::string path;  // empty: nothing had to be rewritten
  Rewriting rewriting;
};

// `clang_options` as in Options::clang. Files are written into `folder`. Errors: NOT_FOUND when `main` cannot be read.
absl::StatusOr<Overlay> WriteOverlay(const std::string& main, const std::vector<std::string>& clang_options,
                                     const std::string& toolkit_root, const std::string& folder);

}  // namespace kernelsmith::emulator
