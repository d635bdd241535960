// Where CANN is installed, which version it is, and which of its files the worker needs. The emulated CANN has the same
// layout, so nothing here asks which one it is.
//
// Example:
//   CannRoot root = *FindCannRoot(config.cann_root());
//   spec.env.emplace_back("LD_LIBRARY_PATH", root.library_path);
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

struct CannVersion {
  std::string text;  // "9.1.0", "8.1.RC1"
  int major = 0;
  int minor = 0;

  // The compiler takes .asc files with --npu-arch: from 8.5 on, and so does the emulated one, which counts from 0.
  bool takes_asc() const { return major == 0 || major > 8 || (major == 8 && minor >= 5); }
};

struct CannRoot {
  std::string path;  // canonical
  CannVersion version;
  std::string compiler;               // bisheng
  std::vector<std::string> includes;  // folders a host program may include from
  std::string library_path;           // LD_LIBRARY_PATH: its libraries, then the driver's
};

// Of the text of ascend_toolkit_install.info (version=...) or version.info (Version=...). INVALID_ARGUMENT without one.
absl::StatusOr<CannVersion> ParseCannVersion(absl::string_view info);

// `given`, else ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME, then the usual places. FAILED_PRECONDITION says what is missing.
absl::StatusOr<CannRoot> FindCannRoot(const std::string& given);

// Its mssanitizer. FAILED_PRECONDITION if the toolkit has none.
absl::StatusOr<std::string> FindSanitizer(const CannRoot& root);

// What a program that uses CANN needs around it: the environment, and the root itself unless jails show it anyway.
std::vector<std::pair<std::string, std::string>> CannEnvironment(const CannRoot& root);
std::vector<std::pair<std::string, std::string>> CannMounts(const CannRoot& root);

}  // namespace kernelsmith::worker
