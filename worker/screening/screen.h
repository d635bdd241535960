// A cheap look at a candidate's source for what no kernel needs: processes, sockets, /proc, loaders, inline system
// calls. It explains itself and saves work; it is never the defence. Comments do not count, and string rules look into
// strings only. Pure.
//
// Example:
//   for (const v1::Diagnostic& finding : ScreenSources(candidate)) ...   // rule, line, text
#pragma once

#include <vector>

#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::worker {

// One diagnostic of severity ERROR per finding, in order of file and line; empty when clean.
std::vector<v1::Diagnostic> ScreenSources(const v1::Candidate& candidate);

}  // namespace kernelsmith::worker
