// Compiles one kernel source file: device and host pass at the same time, the device image linked and handed to the
// host pass, which embeds it.
//
//   source -> overlay -+-> device pass -> object -> ld.lld -> image (checked) --+
//                      +-> host pass: parses meanwhile, then reads the image ---+-> host object
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/emulator/driver/folder.h"
#include "worker/emulator/driver/options.h"

namespace kernelsmith::emulator {

// With -dc the device object is put beside the host code as it is, and relocatable.h makes an image of all of them.

// Programs and the toolkit the driver belongs to.
struct Toolchain {
  std::string clang;
  std::string lld;
  std::string root;  // bin/, include/, lib64/

  // From /proc/self/exe, PATH and what was found when this was built.
  static absl::StatusOr<Toolchain> Find();
  std::string IncludeFolder() const { return root + "/include"; }
};

struct LinkedImage {
  std::string bytes;       // empty: the link failed
  std::string complaints;  // of the linker
};

// The image of device objects. `support_library`: the compiler's own, or empty.
absl::StatusOr<LinkedImage> LinkImage(const Toolchain& toolchain, const Options& options,
                                      const std::vector<std::string>& objects, const std::string& support_library,
                                      const TemporaryFolder& folder);

// Prints what may not be in an image, as errors of `source`. True: nothing.
bool AcceptImage(const std::string& image, const std::string& source);

// Prints diagnostics. Returns the compiler's exit code; with 0 the object is at `object` (empty: check only). Errors
// are the driver's own.
absl::StatusOr<int> CompileAsc(const Toolchain& toolchain, const Options& options, const std::string& source,
                               const std::string& object, const TemporaryFolder& folder);

// Host code: clang++ as it is, with the toolkit's headers. `action` is -c, -fsyntax-only or, for -E and relatives,
// empty.
absl::StatusOr<int> CompileHost(const Toolchain& toolchain, const Options& options, const Input& input,
                                const std::string& object);

// The command line, on standard error, under -v.
void ShowCommand(const Options& options, const std::vector<std::string>& argv);

}  // namespace kernelsmith::emulator
