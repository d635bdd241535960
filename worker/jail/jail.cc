#include "worker/jail/jail.h"

#include <unistd.h>

#include "absl/time/clock.h"
#include "worker/jail/isolation.h"
#include "worker/jail/running_jail.h"

namespace kernelsmith::worker {
namespace {

bool Works(Isolation isolation) {
  JailSpec spec;
  spec.argv = {"/usr/bin/true"};
  absl::StatusOr<std::unique_ptr<JailedProcess>> jail = StartJail(isolation, spec);
  if (!jail.ok()) return false;
  const ExitReport report = (*jail)->Wait(TimeLimit(absl::Seconds(20)));
  return report.kind == ExitKind::kExited && report.code == 0;
}

Isolation Probe() {
  if (::geteuid() == 0 && Works(Isolation::kBwrapUid)) return Isolation::kBwrapUid;
  return Works(Isolation::kBwrapUser) ? Isolation::kBwrapUser : Isolation::kRlimits;
}

Isolation Obtained() {
  static const Isolation isolation = Probe();
  return isolation;
}

}  // namespace

absl::StatusOr<std::unique_ptr<JailedProcess>> JailedProcess::Start(const JailSpec& spec) {
  return StartJail(Obtained(), spec);
}

const std::string& ObtainedIsolation() {
  static const std::string& name = *new std::string(IsolationName(Obtained()));
  return name;
}

}  // namespace kernelsmith::worker
