#include "worker/toolchains/compile_jail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr int64_t kMaxObjectBytes = int64_t{64} << 20;

JailSpec InJail(CompilerRun run) {
  JailSpec spec;
  spec.argv = std::move(run.argv);
  spec.env = std::move(run.env);
  if (spec.env.empty()) spec.env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C.UTF-8"}, {"TMPDIR", "/tmp"}};
  spec.work_dir = std::move(run.folder);
  spec.read_only = std::move(run.read_only);
  return spec;
}

CompileOutcome OutcomeOf(const ExitReport& report) {
  switch (report.kind) {
    case ExitKind::kDeadline:
      return CompileOutcome::kTimeout;
    case ExitKind::kMemoryLimit:
      return CompileOutcome::kOutOfMemory;
    case ExitKind::kExited:
      return report.code == 0 ? CompileOutcome::kOk : CompileOutcome::kError;
    default:
      return CompileOutcome::kError;
  }
}

}  // namespace

absl::StatusOr<CompilerEnd> RunCompiler(CompilerRun run, const CompileLimits& limits) {
  JailSpec spec = InJail(std::move(run));
  spec.limits.memory_bytes = limits.memory_bytes;
  spec.limits.file_bytes = kMaxObjectBytes;
  spec.limits.output_bytes = int64_t{4} << 20;
  ASSIGN_OR_RETURN(const std::unique_ptr<JailedProcess> process, JailedProcess::Start(spec));
  CompilerEnd end;
  TimeLimit limit(limits.wall);
  end.report = process->Wait(limit);
  if (end.report.kind == ExitKind::kStarved) return absl::UnavailableError("the compiler " + StarvedText(limit));
  end.outcome = OutcomeOf(end.report);
  return end;
}

absl::StatusOr<std::string> AskCompiler(CompilerRun run) {
  const std::string question = absl::StrJoin(run.argv, " ");
  ASSIGN_OR_RETURN(const std::unique_ptr<JailedProcess> process, JailedProcess::Start(InJail(std::move(run))));
  const ExitReport report = process->Wait(TimeLimit(absl::Seconds(30)));
  if (report.kind != ExitKind::kExited || report.code != 0) {
    return absl::FailedPreconditionError(absl::StrCat("'", question, "' fails: ", report.errors.substr(0, 200)));
  }
  return std::string(absl::StripAsciiWhitespace(report.output));
}

absl::StatusOr<std::string> ReadCompiledObject(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return absl::NotFoundError(absl::StrCat(path, " was not made"));
  struct stat info = {};
  const bool sound = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= kMaxObjectBytes;
  ::close(fd);
  if (!sound) return absl::NotFoundError(absl::StrCat(path, " is no ordinary file of at most 64 MiB"));
  return common::ReadFile(path);
}

}  // namespace kernelsmith::worker
