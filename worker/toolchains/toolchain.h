// Turns a candidate's sources into an object the target can run, inside a jail. The object is as untrusted as the
// sources.
//
// Example:
//   auto cpu = *MakeCpuToolchain({.cache_dir = dir + "/compiled"});
//   CompileResult result = *cpu->Compile(candidate, CompileLimits());
//   if (result.outcome == CompileOutcome::kOk) Run(result.object_path);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/types.pb.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

enum class CompileOutcome {
  kOk,
  kError,        // the compiler refused the source; diagnostics say why
  kTimeout,      // the limit passed
  kOutOfMemory,  // the compiler ran out of memory
  kUnsupported,  // this toolkit lacks something the source uses; diagnostics name it
  kForbidden,    // it compiles, but the object holds what no candidate may bring: rule, log
};

struct CompileLimits {
  absl::Duration wall = absl::Seconds(60);  // as TimeLimit counts it; UNAVAILABLE if the compiler was starved
  int64_t memory_bytes = int64_t{4} << 30;
};

// The object is there with kOk.
struct CompileResult : CompiledObject {
  CompileOutcome outcome = CompileOutcome::kError;
  std::vector<v1::Diagnostic> diagnostics;  // at most 50, errors first
  std::string log;                          // raw bytes of the compiler, capped
  std::string rule;                         // with kForbidden: which rule; the first diagnostic says why
  bool cache_hit = false;
  absl::Duration wall;
};

enum class Build {
  kPlain,
  kSanitized,  // with what the target's sanitizer needs; where there is none, the same as plain
};

// Thread-safe.
class Toolchain {
 public:
  virtual ~Toolchain() = default;
  // For Target.toolchain, for example "g++ 12.2.0".
  virtual const std::string& version() const = 0;
  // For Environment.compile_flags.
  virtual const std::string& flags() const = 0;
  // A cheap look at the sources before they are compiled: one ERROR with a rule for each thing that no candidate needs.
  // It explains itself and saves work; it is never the defence.
  virtual std::vector<v1::Diagnostic> Screen(const v1::Candidate& candidate) = 0;
  // INVALID_ARGUMENT if the candidate is of another kind, has no file, or a file name with a directory. Other error
  // statuses are the host's fault. A refusal by the compiler is an outcome.
  virtual absl::StatusOr<CompileResult> Compile(const v1::Candidate& candidate, const CompileLimits& limits,
                                                Build build = Build::kPlain) = 0;
};

}  // namespace kernelsmith::worker
