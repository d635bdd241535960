#include "worker/toolchains/ascend/ascend_toolchain.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"
#include "worker/diagnostics/clang_messages.h"
#include "worker/diagnostics/gcc_messages.h"
#include "worker/diagnostics/printable.h"
#include "worker/screening/ascend_screen.h"
#include "worker/screening/screen.h"
#include "worker/toolchains/ascend/api_names.h"
#include "worker/toolchains/ascend/compile_line.h"
#include "worker/toolchains/ascend/kernel_list.h"
#include "worker/toolchains/ascend/launcher.h"
#include "worker/toolchains/ascend/object_symbols.h"
#include "worker/toolchains/ascend/soc_table.h"
#include "worker/toolchains/compile_cache.h"
#include "worker/toolchains/compile_jail.h"
#include "worker/toolchains/embedded_abi.h"

namespace kernelsmith::worker {
namespace {

constexpr int kMaxDiagnostics = 50;
constexpr absl::string_view kKernelFile = "kernel.asc";
constexpr absl::string_view kPlanFile = "plan.cpp";
constexpr const char* kSources = "src/";
constexpr absl::string_view kUnsupported = "UNSUPPORTED";  // begins what a toolkit says about a call that it lacks

const std::string* ContentOf(const v1::Candidate& candidate, absl::string_view name) {
  for (const v1::SourceFile& file : candidate.files()) {
    if (file.name() == name) return &file.content();
  }
  return nullptr;
}

absl::Status Check(const v1::Candidate& candidate) {
  if (candidate.kind() != v1::Candidate::ASCEND_KERNEL) {
    return common::InvalidField("candidate.kind", "is not ASCEND_KERNEL, the only one an ascend card compiles");
  }
  const bool both = ContentOf(candidate, kKernelFile) != nullptr && ContentOf(candidate, kPlanFile) != nullptr;
  if (both && candidate.files_size() == 2) return absl::OkStatus();
  return common::InvalidField("candidate.files", "must be the two files kernel.asc and plan.cpp");
}

v1::Diagnostic ErrorIn(absl::string_view file, absl::string_view text) {
  v1::Diagnostic diagnostic;
  diagnostic.set_severity(v1::Diagnostic::ERROR);
  diagnostic.set_file(std::string(file));
  diagnostic.set_text(std::string(text));
  return diagnostic;
}

// A refusal that names a missing call of the toolkit says nothing about the kernel. Moves it to the front.
bool NamesUnsupported(std::vector<v1::Diagnostic>& diagnostics) {
  for (v1::Diagnostic& d : diagnostics) {
    if (d.severity() < v1::Diagnostic::ERROR) continue;
    if (const std::string call = MissingCall(d.text()); !call.empty()) {
      d.set_text(absl::StrCat(kUnsupported, ": this toolkit lacks ", call, " (", d.text(), ")"));
    }
  }
  const auto found = std::find_if(diagnostics.begin(), diagnostics.end(), [](const v1::Diagnostic& d) {
    return d.severity() >= v1::Diagnostic::ERROR && absl::StrContains(d.text(), kUnsupported);
  });
  if (found == diagnostics.end()) return false;
  std::rotate(diagnostics.begin(), found, found + 1);
  return true;
}

void Merge(CompileResult part, CompileResult& all) {
  all.outcome = part.outcome;
  all.rule = std::move(part.rule);
  absl::StrAppend(&all.log, part.log);
  for (v1::Diagnostic& diagnostic : part.diagnostics) {
    if (all.diagnostics.size() < kMaxDiagnostics) all.diagnostics.push_back(std::move(diagnostic));
  }
  all.cache_hit = all.cache_hit && part.cache_hit;
}

class AscendToolchain final : public Toolchain {
 public:
  AscendToolchain(const AscendToolchainOptions& options, SocArchitecture architecture, CompileCache cache)
      : root_(options.root),
        architecture_(std::move(architecture)),
        version_(options.label),
        flags_(absl::StrJoin(KernelFlags(root_, architecture_), " ")),
        cache_(std::move(cache)) {}

  const std::string& version() const override { return version_; }
  const std::string& flags() const override { return flags_; }

  std::vector<v1::Diagnostic> Screen(const v1::Candidate& candidate) override {
    std::vector<v1::Diagnostic> findings;
    v1::Candidate host = candidate;
    host.clear_files();
    for (const v1::SourceFile& file : candidate.files()) {
      if (file.name() == kKernelFile) {
        findings = ScreenKernel(file);
      } else {
        *host.add_files() = file;
      }
    }
    for (v1::Diagnostic& finding : ScreenSources(host)) findings.push_back(std::move(finding));
    return findings;
  }

  // Learns what an empty kernel's object looks like.
  absl::Status Prepare() {
    const std::vector<KernelSignature> kernels = {{"ks_empty", 1}};
    ASSIGN_OR_RETURN(const CompileResult built, BuildKernel(EmptyKernelText(), kernels, CompileLimits(), std::nullopt));
    if (built.outcome != CompileOutcome::kOk) {
      return absl::FailedPreconditionError(absl::StrCat(root_.compiler,
                                                        " cannot compile an empty kernel; repair CANN in ", root_.path,
                                                        ": ", Printable(built.log, 1000)));
    }
    ASSIGN_OR_RETURN(const std::string object, common::ReadFile(built.object_path));
    ASSIGN_OR_RETURN(baseline_, ReadObjectSymbols(object));
    return absl::OkStatus();
  }

  absl::StatusOr<CompileResult> Compile(const v1::Candidate& candidate, const CompileLimits& limits,
                                        Build build) override {
    RETURN_IF_ERROR(Check(candidate));
    const absl::Time begin = absl::Now();
    CompileResult result;
    result.cache_hit = true;
    const std::string& source = *ContentOf(candidate, kKernelFile);
    absl::StatusOr<std::vector<KernelSignature>> kernels = KernelsOf(source);
    if (!kernels.ok()) {
      result.diagnostics = {ErrorIn("", kernels.status().message())};
      result.cache_hit = false;
      return result;
    }
    result.kernels = *std::move(kernels);
    ASSIGN_OR_RETURN(CompileResult part, BuildKernel(source, result.kernels, limits, build));
    result.object_path = part.object_path;
    Merge(std::move(part), result);
    if (result.outcome == CompileOutcome::kOk) {
      CompileLimits left = limits;
      left.wall = std::max(limits.wall / 4, begin + limits.wall - absl::Now());
      ASSIGN_OR_RETURN(part, BuildPlan(*ContentOf(candidate, kPlanFile), left));
      result.plan_path = part.object_path;
      Merge(std::move(part), result);
    }
    result.wall = absl::Now() - begin;
    return result;
  }

 private:
  using Compiling = std::function<absl::StatusOr<CompileResult>(const std::string& folder)>;

  // The object of the key, made by `build` in a folder of its own unless it is there.
  absl::StatusOr<CompileResult> FromCache(const std::string& key, const CompileLimits& limits, const Compiling& build) {
    ASSIGN_OR_RETURN(const FileLock lock,
                     cache_.LockKey(key, absl::Now() + TimeLimit::kStretch * limits.wall + absl::Seconds(60)));
    CompileResult result;
    if (const std::optional<std::string> path = cache_.Find(key)) {
      result.outcome = CompileOutcome::kOk;
      result.object_path = *path;
      result.cache_hit = true;
      return result;
    }
    ASSIGN_OR_RETURN(const common::TemporaryFolder folder, common::TemporaryFolder::Make("kernelsmith-compile"));
    RETURN_IF_ERROR(common::MakeFolders(absl::StrCat(folder.path(), "/", kSources)));
    ASSIGN_OR_RETURN(result, build(folder.path()));
    if (result.outcome != CompileOutcome::kOk) return result;
    ASSIGN_OR_RETURN(const std::string object, ReadCompiledObject(folder.path() + "/object.so"));
    ASSIGN_OR_RETURN(result.object_path, cache_.Store(key, object));
    return result;
  }

  // `candidate` is how one is built; the worker's own kernel has none and is not checked.
  absl::StatusOr<CompileResult> BuildKernel(const std::string& source, const std::vector<KernelSignature>& kernels,
                                            const CompileLimits& limits, std::optional<Build> candidate) {
    // A sanitized object carries more than an empty kernel's; it is run for its messages, never for a verdict.
    const bool sanitized = candidate == Build::kSanitized;
    const bool untrusted = candidate == Build::kPlain;
    const std::string launcher = LauncherText(absl::StrCat(kSources, kKernelFile), kernels);
    const std::string key = common::HashFields(sanitized ? "sanitized kernel" : "kernel", version_, root_.version.text,
                                               flags_, launcher, source);
    return FromCache(key, limits, [&](const std::string& folder) -> absl::StatusOr<CompileResult> {
      RETURN_IF_ERROR(common::WriteFileAtomically(absl::StrCat(folder, "/", kSources, kKernelFile), source));
      RETURN_IF_ERROR(common::WriteFileAtomically(folder + "/launcher.asc", launcher));
      ASSIGN_OR_RETURN(const CompilerEnd end,
                       RunCompiler({KernelCommand(root_, architecture_, "launcher.asc", "object.so", sanitized), folder,
                                    CannEnvironment(root_), CannMounts(root_)},
                                   limits));
      CompileResult result = ResultOf(end);
      result.diagnostics = ParseClangMessages(result.log, kSources, kMaxDiagnostics);
      if (result.outcome == CompileOutcome::kError && NamesUnsupported(result.diagnostics)) {
        result.outcome = CompileOutcome::kUnsupported;
      }
      if (untrusted && result.outcome == CompileOutcome::kOk) {
        CompareWithEmpty(folder + "/object.so", kernels, result);
      }
      return result;
    });
  }

  // Host code that came along with the kernels makes the object a forbidden one.
  void CompareWithEmpty(const std::string& path, const std::vector<KernelSignature>& kernels, CompileResult& result) {
    const absl::StatusOr<std::string> object = ReadCompiledObject(path);
    const absl::StatusOr<ObjectSymbols> symbols =
        object.ok() ? ReadObjectSymbols(*object) : absl::StatusOr<ObjectSymbols>(object.status());
    const std::string why =
        symbols.ok() ? ExcessOf(*symbols, baseline_, kernels) : std::string(symbols.status().message());
    if (why.empty()) return;
    result.outcome = CompileOutcome::kForbidden;
    result.rule = "host-code";
    result.diagnostics.insert(result.diagnostics.begin(), ErrorIn("", why));
  }

  absl::StatusOr<CompileResult> BuildPlan(const std::string& source, const CompileLimits& limits) {
    const std::vector<std::string> command = PlanCommand(root_, "include", "src/plan.cpp", "object.so");
    const std::string key = common::HashFields("plan", absl::StrJoin(command, " "), root_.version.text, kEmbeddedAbi,
                                               kEmbeddedPlanAbi, source);
    return FromCache(key, limits, [&](const std::string& folder) -> absl::StatusOr<CompileResult> {
      const std::string include = folder + "/include/kernelsmith";
      RETURN_IF_ERROR(common::MakeFolders(include));
      RETURN_IF_ERROR(common::WriteFileAtomically(include + "/kernel_abi.h", kEmbeddedAbi));
      RETURN_IF_ERROR(common::WriteFileAtomically(include + "/plan_abi.h", kEmbeddedPlanAbi));
      RETURN_IF_ERROR(common::WriteFileAtomically(absl::StrCat(folder, "/", kSources, kPlanFile), source));
      ASSIGN_OR_RETURN(const CompilerEnd end, RunCompiler({command, folder, {}, CannMounts(root_)}, limits));
      CompileResult result = ResultOf(end);
      result.diagnostics = ParseGccMessages(end.report.errors, kSources, kMaxDiagnostics);
      return result;
    });
  }

  static CompileResult ResultOf(const CompilerEnd& end) {
    CompileResult result;
    result.outcome = end.outcome;
    result.log = end.report.output + end.report.errors;
    result.wall = end.report.wall;
    return result;
  }

  const CannRoot root_;
  const SocArchitecture architecture_;
  const std::string version_;
  const std::string flags_;
  const CompileCache cache_;
  ObjectSymbols baseline_;  // of the empty kernel; constant after Prepare
};

}  // namespace

absl::StatusOr<std::unique_ptr<Toolchain>> MakeAscendToolchain(const AscendToolchainOptions& options) {
  ASSIGN_OR_RETURN(SocArchitecture architecture, ArchitectureOf(options.soc));
  ASSIGN_OR_RETURN(CompileCache cache, CompileCache::Open(options.cache_dir, options.cache_bytes));
  auto toolchain = std::make_unique<AscendToolchain>(options, std::move(architecture), std::move(cache));
  RETURN_IF_ERROR(toolchain->Prepare());
  return toolchain;
}

}  // namespace kernelsmith::worker
