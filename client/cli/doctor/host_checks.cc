#include "client/cli/doctor/host_checks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/text/format.h"
#include "common/file_io.h"

namespace kernelsmith::client {
namespace {

constexpr absl::Duration kQuick = absl::Seconds(10);
constexpr absl::Duration kImport = absl::Seconds(60);  // the first import of torch reads a few hundred MiB
constexpr int64_t kDiskFail = int64_t{1} << 30;
constexpr int64_t kDiskWarn = int64_t{5} << 30;

std::string FirstLine(const std::string& text) { return OneLine(text.substr(0, text.find('\n')), 120); }

// The command's failure in words; empty if it succeeded.
std::string FailureOf(const absl::StatusOr<CommandResult>& run) {
  if (!run.ok()) return std::string(run.status().message());
  if (run->exit_code == 0) return "";
  return absl::StrCat("ended with code ", run->exit_code, ": ", OneLine(run->output, 200));
}

std::filesystem::path ExistingAncestor(const std::string& folder) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path;
}

Finding LoopbackFinding() {
  Finding finding{.name = "loopback port", .detail = "127.0.0.1 can be bound"};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    finding = {.name = finding.name,
               .verdict = Verdict::kFail,
               .detail = absl::StrCat("cannot bind a port on 127.0.0.1: ", std::strerror(errno)),
               .advice = "bring the loopback interface up: ip link set lo up"};
  }
  if (fd >= 0) close(fd);
  return finding;
}

Finding ClockFinding() {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  const absl::StatusOr<std::string> source =
      common::ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return JudgeClock(source.ok() ? std::string(absl::StripAsciiWhitespace(*source)) : "",
                    resolution.tv_sec * 1'000'000'000 + resolution.tv_nsec, time(nullptr));
}

}  // namespace

Finding JudgeBubblewrap(const absl::StatusOr<CommandResult>& run) {
  const std::string failure = FailureOf(run);
  if (failure.empty()) return {.name = "bubblewrap", .detail = "runs a program in namespaces of its own"};
  Finding finding{.name = "bubblewrap", .verdict = Verdict::kFail, .detail = failure};
  finding.advice =
      absl::IsNotFound(run.status())
          ? "install it: apt install bubblewrap"
          : "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, in a container also "
            "--security-opt seccomp=unconfined), or accept less isolation: kernelsmith up --isolation rlimits";
  return finding;
}

Finding JudgeCompiler(const absl::StatusOr<CommandResult>& version) {
  const std::string failure = FailureOf(version);
  if (failure.empty()) return {.name = "compiler", .detail = FirstLine(version->output)};
  return {.name = "compiler", .verdict = Verdict::kFail, .detail = failure, .advice = "install it: apt install g++"};
}

Finding JudgePython(const absl::StatusOr<CommandResult>& import) {
  const std::string failure = FailureOf(import);
  if (failure.empty()) return {.name = "python3 + torch", .detail = FirstLine(import->output)};
  return {.name = "python3 + torch",
          .verdict = Verdict::kFail,
          .detail = failure,
          .advice = "install them for /usr/bin/python3: apt install python3-torch python3-numpy python3-yaml"};
}

Finding JudgeDisk(const absl::StatusOr<int64_t>& free_bytes, const std::string& folder) {
  if (!free_bytes.ok()) {
    return {.name = "disk",
            .verdict = Verdict::kFail,
            .detail = std::string(free_bytes.status().message()),
            .advice = "name a data folder that can be read with --data"};
  }
  Finding finding{.name = "disk", .detail = absl::StrCat(FormatBytes(*free_bytes), " free for ", folder)};
  if (*free_bytes < kDiskWarn) {
    finding.verdict = *free_bytes < kDiskFail ? Verdict::kFail : Verdict::kWarn;
    finding.advice =
        "free some space, or name another data folder with --data; the coordinator takes no jobs below "
        "its watermark";
  }
  return finding;
}

Finding JudgeClock(const std::string& clock_source, int64_t resolution_ns, int64_t unix_seconds) {
  constexpr int64_t kYear2024 = 1'704'067'200;
  Finding finding{.name = "clock",
                  .detail = absl::StrCat("source ", clock_source.empty() ? "unknown" : clock_source, ", resolution ",
                                         resolution_ns, " ns, ", FormatUtc(unix_seconds * 1'000'000), " UTC")};
  if (resolution_ns > 1000) {
    finding.verdict = Verdict::kFail;
    finding.advice = "the monotonic clock is too coarse to time kernels; enable high-resolution timers";
  } else if (unix_seconds < kYear2024) {
    finding.verdict = Verdict::kWarn;
    finding.advice = "the wall clock is wrong; set it, records carry its time";
  } else if (clock_source == "hpet" || clock_source == "acpi_pm" || clock_source == "jiffies") {
    finding.verdict = Verdict::kWarn;
    finding.advice = "reading this clock is slow; boot with clocksource=tsc if the machine's is stable";
  }
  return finding;
}

Finding JudgeCores(int cores) {
  Finding finding{.name = "processors", .detail = absl::StrCat(cores)};
  if (cores < 2) {
    finding.verdict = Verdict::kWarn;
    finding.advice = "with one processor, compiling and timing disturb each other; give the machine two or more";
  }
  return finding;
}

std::vector<Finding> HostFindings(const std::string& data_folder) {
  const std::string folder = ExistingAncestor(data_folder).string();
  return {
      JudgeBubblewrap(RunCommand({"bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-all",
                                  "--die-with-parent", "true"},
                                 kQuick)),
      JudgeCompiler(RunCommand({"g++", "--version"}, kQuick)),
      JudgePython(
          RunCommand({"/usr/bin/python3", "-c",
                      "import platform, numpy, yaml, torch; print('python', platform.python_version(), 'torch', "
                      "torch.__version__, 'numpy', numpy.__version__)"},
                     kImport)),
      JudgeDisk(common::FreeDiskBytes(folder), folder),
      LoopbackFinding(),
      ClockFinding(),
      JudgeCores(static_cast<int>(std::thread::hardware_concurrency())),
  };
}

}  // namespace kernelsmith::client
