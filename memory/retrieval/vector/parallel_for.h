// Calls run(i) for every i below `count`, on the calling thread and up to `threads` - 1 others, and waits for all.
#pragma once

#include <cstddef>
#include <functional>

namespace kernelsmith::memory {

// Different i run at the same time. What a call throws is thrown here in the end; some calls may be left out then.
// Fewer threads are used when the system gives none, or when there is little to do.
void ParallelFor(int threads, size_t count, const std::function<void(size_t)>& run);

}  // namespace kernelsmith::memory
