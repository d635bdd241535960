#include "memory/retrieval/vector/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace kernelsmith::memory {
namespace {

constexpr size_t kShare = 16;  // taken at a time; less than two shares are not worth a thread

}  // namespace

void ParallelFor(int threads, size_t count, const std::function<void(size_t)>& run) {
  std::atomic<size_t> taken = 0;
  const auto work = [&](std::exception_ptr& failure) {
    try {
      for (size_t begin = taken.fetch_add(kShare); begin < count; begin = taken.fetch_add(kShare)) {
        for (size_t i = begin; i < std::min(begin + kShare, count); ++i) run(i);
      }
    } catch (...) {
      failure = std::current_exception();
      taken = count;
    }
  };
  const size_t helpers = count < 2 * kShare ? 0 : static_cast<size_t>(std::max(threads, 1)) - 1;
  std::vector<std::exception_ptr> failures(helpers + 1);
  std::vector<std::thread> others;
  others.reserve(helpers);
  try {
    for (size_t t = 0; t < helpers; ++t) others.emplace_back(work, std::ref(failures[t]));
  } catch (const std::system_error&) {
    // The threads that there are, at least this one, do all of it.
  }
  work(failures.back());
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace kernelsmith::memory
