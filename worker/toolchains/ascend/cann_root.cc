#include "worker/toolchains/ascend/cann_root.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kLinkDepth = 1;  // folders below the root in which links are looked for

constexpr const char* kDriverLibraries = "/usr/local/Ascend/driver/lib64/driver:/usr/local/Ascend/driver/lib64/common";

std::string Environment(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? "" : value;
}

// "x86_64-linux" or "aarch64-linux": the folder of what belongs to the host's processor.
std::string HostFolder() {
  utsname name = {};
  if (::uname(&name) != 0) return "x86_64-linux";
  return absl::StrCat(name.machine, "-linux");
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

absl::StatusOr<std::string> FindFolder(const std::string& given) {
  if (!given.empty()) {
    if (IsFolder(given)) return given;
    return absl::FailedPreconditionError(absl::StrCat("the CANN root ", given, " is no folder; correct cann_root"));
  }
  for (const char* name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_INSTALL_PATH"}) {
    if (const std::string path = Environment(name); !path.empty()) {
      if (IsFolder(path)) return path;
      return absl::FailedPreconditionError(absl::StrCat(name, " names ", path, ", which is no folder; correct it"));
    }
  }
  const std::string home = Environment("HOME");
  for (const std::string& path :
       {home + "/Ascend/cann", home + "/Ascend/ascend-toolkit/latest", std::string("/usr/local/Ascend/cann"),
        std::string("/usr/local/Ascend/ascend-toolkit/latest"), std::string("/opt/Ascend/cann")}) {
    if (IsFolder(path)) return path;
  }
  return absl::FailedPreconditionError(
      "CANN was not found: set ASCEND_HOME_PATH (source its set_env.sh) or cann_root in the worker's configuration");
}

absl::StatusOr<std::string> FindFile(const std::string& root, const std::vector<std::string>& places,
                                     const std::string& what) {
  for (const std::string& place : places) {
    const std::string path = absl::StrCat(root, "/", place);
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return absl::FailedPreconditionError(absl::StrCat("CANN in ", root, " has no ", what, " (looked for ",
                                                    absl::StrJoin(places, ", "), "); install the toolkit package"));
}

}  // namespace

absl::StatusOr<CannVersion> ParseCannVersion(absl::string_view info) {
  for (const absl::string_view line : absl::StrSplit(info, '\n')) {
    const std::pair<absl::string_view, absl::string_view> entry = absl::StrSplit(line, absl::MaxSplits('=', 1));
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(entry.first), "version")) continue;
    CannVersion version;
    version.text = std::string(absl::StripAsciiWhitespace(entry.second));
    const std::vector<absl::string_view> numbers = absl::StrSplit(version.text, '.');
    if (numbers.size() >= 2 && absl::SimpleAtoi(numbers[0], &version.major) &&
        absl::SimpleAtoi(numbers[1], &version.minor)) {
      return version;
    }
  }
  return absl::InvalidArgumentError("the file names no version of the form version=9.1.0");
}

absl::StatusOr<CannRoot> FindCannRoot(const std::string& given) {
  ASSIGN_OR_RETURN(const std::string folder, FindFolder(given));
  std::error_code error;
  CannRoot root;
  root.path = fs::canonical(folder, error).string();
  const std::string host = HostFolder();
  ASSIGN_OR_RETURN(const std::string info,
                   FindFile(root.path,
                            {host + "/ascend_toolkit_install.info", "ascend_toolkit_install.info",
                             "compiler/version.info", host + "/version.info"},
                            "version file"));
  ASSIGN_OR_RETURN(const std::string text, common::ReadFile(info));
  absl::StatusOr<CannVersion> version = ParseCannVersion(text);
  if (!version.ok()) return common::Annotate(version.status(), info + ": ");
  root.version = *std::move(version);
  ASSIGN_OR_RETURN(root.compiler, FindFile(root.path,
                                           {"bin/bisheng", host + "/ccec_compiler/bin/bisheng",
                                            "compiler/ccec_compiler/bin/bisheng", "tools/ccec_compiler/bin/bisheng"},
                                           "compiler bisheng"));
  for (const std::string& sub : {std::string("/include"), "/" + host + "/include"}) {
    if (IsFolder(root.path + sub)) root.includes.push_back(root.path + sub);
  }
  std::vector<std::string> libraries;
  for (const std::string& sub : {std::string("/lib64"), "/" + host + "/lib64", std::string("/runtime/lib64")}) {
    if (IsFolder(root.path + sub)) libraries.push_back(root.path + sub);
  }
  libraries.emplace_back(kDriverLibraries);
  root.library_path = absl::StrJoin(libraries, ":");
  return root;
}

absl::StatusOr<std::string> FindSanitizer(const CannRoot& root) {
  for (const char* place : {"/bin/mssanitizer", "/tools/mssanitizer/bin/mssanitizer"}) {
    std::string path = absl::StrCat(root.path, place);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the CANN in ", root.path, " has no mssanitizer; install the toolkit's debugging tools"));
}

std::vector<std::pair<std::string, std::string>> CannEnvironment(const CannRoot& root) {
  return {{"PATH", absl::StrCat(fs::path(root.compiler).parent_path().string(), ":", root.path, "/bin:/usr/bin:/bin")},
          {"LC_ALL", "C.UTF-8"},
          {"TMPDIR", "/tmp"},
          {"HOME", "/tmp"},
          {"ASCEND_HOME_PATH", root.path},
          {"ASCEND_TOOLKIT_HOME", root.path},
          {"ASCEND_OPP_PATH", root.path + "/opp"},
          {"ASCEND_PROCESS_LOG_PATH", "/tmp/ascend-log"},
          {"LD_LIBRARY_PATH", root.library_path}};
}

std::vector<std::pair<std::string, std::string>> CannMounts(const CannRoot& root) {
  std::vector<std::pair<std::string, std::string>> mounts;
  const auto add = [&mounts](const std::string& path) {
    for (const char* shown : {"/usr/", "/opt/"}) {
      if (absl::StartsWith(path, shown)) return;
    }
    mounts.emplace_back(path, path);
  };
  add(root.path);
  // A root may be made of links, as the one in a build tree is.
  std::set<std::string> targets;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(root.path, error); at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (at.depth() >= kLinkDepth) at.disable_recursion_pending();
    if (!at->is_symlink(error)) continue;
    const std::string target = fs::canonical(at->path(), error).string();
    if (!error && !absl::StartsWith(target, root.path + "/")) targets.insert(target);
  }
  for (const std::string& target : targets) add(target);
  return mounts;
}

}  // namespace kernelsmith::worker
