#include "client/cli/up/daemon.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/process/child.h"
#include "client/cli/text/format.h"
#include "common/backoff.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

constexpr absl::Duration kQuickDeath = absl::Seconds(10);
constexpr size_t kTailBytes = 2000;

// The address in a port file; empty while the daemon has not written it.
std::string ReadAddress(const std::string& path) {
  const absl::StatusOr<std::string> text = common::ReadFile(path);
  return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : "";
}

}  // namespace

absl::Duration RestartDelay(absl::Duration lifetime, int quick_deaths, absl::BitGenRef random) {
  const common::BackoffPolicy policy{.initial = absl::Milliseconds(100), .cap = absl::Seconds(5)};
  return common::BackoffDelay(policy, lifetime >= kQuickDeath ? 1 : quick_deaths + 1, random);
}

Daemon::Daemon(DaemonSpec spec, UpFolders folders) : spec_(std::move(spec)), folders_(std::move(folders)) {}

absl::Status Daemon::Start(absl::Time now) {
  unlink(folders_.Port(spec_.name).c_str());
  unlink(folders_.MetricsPort(spec_.name).c_str());
  RETURN_IF_ERROR(common::WriteFileAtomically(folders_.Config(spec_.name), spec_.config(addresses_)));
  ASSIGN_OR_RETURN(pid_, SpawnChild({.arguments = {spec_.program, "--config", folders_.Config(spec_.name)},
                                     .output_file = log_file()}));
  group_ = pid_;
  started_at_ = now;
  ++restarts_;
  return common::WriteFileAtomically(folders_.Pid(spec_.name), absl::StrCat(pid_, "\n"));
}

bool Daemon::LearnAddresses() {
  const std::string metrics = ReadAddress(folders_.MetricsPort(spec_.name));
  const std::string grpc = spec_.serves_grpc ? ReadAddress(folders_.Port(spec_.name)) : addresses_.grpc;
  if (metrics.empty() || grpc.empty()) return false;
  addresses_ = {.grpc = grpc, .metrics = metrics};
  return true;
}

void Daemon::Ended(int wait_status, absl::Time now, absl::BitGenRef random) {
  const absl::Duration lifetime = now - started_at_;
  restart_at_ = now + RestartDelay(lifetime, quick_deaths_, random);
  quick_deaths_ = lifetime >= kQuickDeath ? 0 : quick_deaths_ + 1;
  last_end_ = DescribeWait(wait_status);
  pid_ = 0;
  unlink(folders_.Pid(spec_.name).c_str());
  KillGroup();
}

void Daemon::Signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

void Daemon::KillGroup() const {
  if (group_ > 0) kill(-group_, SIGKILL);
}

std::string Daemon::LogTail() const {
  const absl::StatusOr<std::string> text = common::ReadFile(log_file());
  if (!text.ok()) return "";
  return Printable(text->size() > kTailBytes ? text->substr(text->size() - kTailBytes) : *text);
}

}  // namespace kernelsmith::client
