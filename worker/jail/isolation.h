// Which isolation this host allows, and the command line that puts a program into it.
//
//   kBwrapUid    root: bubblewrap without a user namespace, then setpriv to a user id no one else has. Root itself
//   would
//                be exempt from the limit on processes.
//   kBwrapUser   an ordinary user: bubblewrap with a user namespace, in which the limit on processes is counted anew.
//   kRlimits     bubblewrap cannot run: limits only (and, for root, a user id of its own). Weak: for development.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "worker/jail/jail.h"
#include "worker/jail/launch.h"

namespace kernelsmith::worker {

enum class Isolation { kBwrapUid, kBwrapUser, kRlimits };

// For reports, for example "bwrap(uid,pid,net,ipc,uts,cgroup,mount)+rlimits".
const char* IsolationName(Isolation isolation);

// The user id of a jail, different for every jail of the host that may run at once: 2^30 + 64 * process id + turn.
uid_t JailUid(pid_t worker, int turn);

// Descriptors inside the child that bubblewrap and the gate use, chosen to be free in the specification.
struct JailDescriptors {
  int status = -1;  // bubblewrap reports the pid of the jail's init here
  int gate = -1;    // the program says a line here when the jail is complete, and starts when it hears one. If it hears
                    // the end instead, because the worker died meanwhile, it ends
};
// INVALID_ARGUMENT if the specification leaves no descriptor below 10 free: the gate is a shell, which knows no others.
absl::StatusOr<JailDescriptors> ChooseDescriptors(const JailSpec& spec);

// What to execute. INVALID_ARGUMENT or NOT_FOUND for a specification that cannot work. Pure but for looking at which
// folders and files exist.
absl::StatusOr<LaunchPlan> PlanJail(const JailSpec& spec, Isolation isolation, uid_t uid,
                                    const JailDescriptors& descriptors);

}  // namespace kernelsmith::worker
