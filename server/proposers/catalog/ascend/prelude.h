// The parts of kernel.asc that do not depend on what is computed: buffers between copies and arithmetic under the three
// ways of synchronising, and transfers of tiles with tails.
#pragma once

#include <string>

#include "server/proposers/catalog/problem.h"

namespace kernelsmith::server {

// Bytes of UB that a kernel uses at most: 192 KiB less what the API may reserve.
inline constexpr int kUbRoom = 184 * 1024;

enum class Sync {
  kQueues,    // TPipe and TQue
  kFlags,     // static tensors, SetFlag and WaitFlag by hand
  kBarriers,  // static tensors, everything waits for everything
};

// Head comment, include, types.
std::string KernelHeadText(const Problem& problem, const std::string& schedule, bool integer);
// struct Ring and Order<event>(). Several buffers only with queues and flags.
std::string RingText(Sync sync, int buffers);
// CopyIn and CopyOut.
std::string CopiesText();

}  // namespace kernelsmith::server
