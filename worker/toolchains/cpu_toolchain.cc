#include "worker/toolchains/cpu_toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"
#include "worker/diagnostics/gcc_messages.h"
#include "worker/screening/screen.h"
#include "worker/toolchains/compile_cache.h"
#include "worker/toolchains/compile_jail.h"
#include "worker/toolchains/embedded_abi.h"

namespace kernelsmith::worker {
namespace {

constexpr int kMaxDiagnostics = 50;
constexpr const char* kSources = "src/";

const std::vector<std::string>& CompileFlags() {
  static const auto& flags =
      *new std::vector<std::string>{"-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", "-pthread"};
  return flags;
}

bool IsPlainName(absl::string_view name) {
  if (name.empty() || name.size() > 100 || name[0] == '.' || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isalnum(c) || absl::StrContains("_.-+", std::string(1, c)); });
}

bool IsTranslationUnit(absl::string_view name) {
  return absl::EndsWith(name, ".cpp") || absl::EndsWith(name, ".cc") || absl::EndsWith(name, ".cxx");
}

absl::Status Check(const v1::Candidate& candidate) {
  if (candidate.kind() != v1::Candidate::CPU_SOURCE) {
    return common::InvalidField("candidate.kind", "is not CPU_SOURCE, the only one a cpu card compiles");
  }
  std::set<std::string> names;
  bool has_unit = false;
  for (const v1::SourceFile& file : candidate.files()) {
    if (!IsPlainName(file.name())) {
      return common::InvalidField("candidate.files.name",
                                  "is not a plain file name: letters, digits and _ . - + without a directory");
    }
    if (!names.insert(file.name()).second) return common::InvalidField("candidate.files.name", "occurs twice");
    has_unit = has_unit || IsTranslationUnit(file.name());
  }
  return has_unit ? absl::OkStatus() : common::InvalidField("candidate.files", "has no .cpp file");
}

absl::Status WriteSources(const v1::Candidate& candidate, const std::string& folder) {
  RETURN_IF_ERROR(common::MakeFolders(absl::StrCat(folder, "/", kSources)));
  RETURN_IF_ERROR(common::MakeFolders(absl::StrCat(folder, "/include/kernelsmith")));
  RETURN_IF_ERROR(common::WriteFileAtomically(absl::StrCat(folder, "/include/kernelsmith/kernel_abi.h"), kEmbeddedAbi));
  for (const v1::SourceFile& file : candidate.files()) {
    RETURN_IF_ERROR(common::WriteFileAtomically(absl::StrCat(folder, "/", kSources, file.name()), file.content()));
  }
  return absl::OkStatus();
}

class CpuToolchain final : public Toolchain {
 public:
  CpuToolchain(std::string compiler, std::string version, std::string host, CompileCache cache)
      : compiler_(std::move(compiler)),
        version_(std::move(version)),
        flags_(absl::StrJoin(CompileFlags(), " ")),
        host_(std::move(host)),
        cache_(std::move(cache)) {}

  const std::string& version() const override { return version_; }
  const std::string& flags() const override { return flags_; }

  std::vector<v1::Diagnostic> Screen(const v1::Candidate& candidate) override { return ScreenSources(candidate); }

  absl::StatusOr<CompileResult> Compile(const v1::Candidate& candidate, const CompileLimits& limits, Build) override {
    RETURN_IF_ERROR(Check(candidate));
    const absl::Time begin = absl::Now();
    const std::string key = KeyOf(candidate);
    ASSIGN_OR_RETURN(const FileLock lock,
                     cache_.LockKey(key, begin + TimeLimit::kStretch * limits.wall + absl::Seconds(60)));
    CompileResult result;
    if (const std::optional<std::string> path = cache_.Find(key)) {
      result.outcome = CompileOutcome::kOk;
      result.object_path = *path;
      result.cache_hit = true;
      result.wall = absl::Now() - begin;
      return result;
    }
    ASSIGN_OR_RETURN(result, Build(candidate, key, limits));
    result.wall = absl::Now() - begin;
    return result;
  }

 private:
  // Everything the object depends on. -march=native makes the host's processor part of it.
  std::string KeyOf(const v1::Candidate& candidate) const {
    std::vector<std::pair<std::string, std::string>> files;
    for (const v1::SourceFile& file : candidate.files()) files.emplace_back(file.name(), file.content());
    std::sort(files.begin(), files.end());
    std::string contents;
    for (const auto& [name, content] : files) contents += common::HashFields(name, content);
    return common::HashFields(version_, flags_, host_, kEmbeddedAbi, contents);
  }

  absl::StatusOr<CompileResult> Build(const v1::Candidate& candidate, const std::string& key,
                                      const CompileLimits& limits) {
    ASSIGN_OR_RETURN(const common::TemporaryFolder folder, common::TemporaryFolder::Make("kernelsmith-compile"));
    RETURN_IF_ERROR(WriteSources(candidate, folder.path()));
    ASSIGN_OR_RETURN(const CompilerEnd end, RunCompiler({CommandFor(candidate), folder.path(), {}, {}}, limits));
    CompileResult result;
    result.outcome = end.outcome;
    result.log = end.report.output + end.report.errors;
    result.diagnostics = ParseGccMessages(end.report.errors, kSources, kMaxDiagnostics);
    if (result.outcome != CompileOutcome::kOk) return result;
    absl::StatusOr<std::string> object = ReadCompiledObject(folder.path() + "/kernel.so");
    if (!object.ok()) {
      result.outcome = CompileOutcome::kError;
      absl::StrAppend(&result.log, object.status().message());
      return result;
    }
    ASSIGN_OR_RETURN(result.object_path, cache_.Store(key, *object));
    return result;
  }

  std::vector<std::string> CommandFor(const v1::Candidate& candidate) const {
    std::vector<std::string> argv = {compiler_};
    argv.insert(argv.end(), CompileFlags().begin(), CompileFlags().end());
    // A missing symbol is the compiler's business, not the loader's.
    for (const char* flag : {"-Iinclude", "-fdiagnostics-format=json", "-fmax-errors=20", "-Wl,-z,defs",
                             "-Wl,--require-defined=ks_kernel", "-o", "kernel.so"}) {
      argv.push_back(flag);
    }
    for (const v1::SourceFile& file : candidate.files()) {
      if (IsTranslationUnit(file.name())) argv.push_back(absl::StrCat(kSources, file.name()));
    }
    return argv;
  }

  const std::string compiler_;
  const std::string version_;
  const std::string flags_;
  const std::string host_;
  const CompileCache cache_;
};

absl::StatusOr<std::string> FindCompiler(const std::string& given) {
  if (!given.empty()) return given;
  for (const char* path : {"/usr/bin/g++", "/usr/local/bin/g++"}) {
    if (::access(path, X_OK) == 0) return std::string(path);
  }
  return absl::FailedPreconditionError("there is no g++ in /usr/bin or /usr/local/bin; install it (package g++)");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Toolchain>> MakeCpuToolchain(const CpuToolchainOptions& options) {
  ASSIGN_OR_RETURN(const std::string compiler, FindCompiler(options.compiler));
  ASSIGN_OR_RETURN(const std::string number, AskCompiler({{compiler, "-dumpfullversion"}, "", {}, {}}));
  ASSIGN_OR_RETURN(const std::string native,
                   AskCompiler({{compiler, "-march=native", "-Q", "--help=target"}, "", {}, {}}));
  ASSIGN_OR_RETURN(CompileCache cache, CompileCache::Open(options.cache_dir, options.cache_bytes));
  return std::make_unique<CpuToolchain>(compiler, absl::StrCat("g++ ", number), common::Sha256Hex(native),
                                        std::move(cache));
}

}  // namespace kernelsmith::worker
