// Reference processes that outlive an evaluation: starting Python and PyTorch takes longer than most kernels' checks.
//
// Example:
//   ReferencePool pool(options, 2);
//   auto lease = *pool.Acquire(source, limit);
//   lease->Draw(...);            // the process goes back to the pool with the lease, unless it died
#pragma once

#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/mutex.h"
#include "worker/reference/reference.h"

namespace kernelsmith::worker {

// Thread-safe.
class ReferencePool {
 public:
  class Lease {
   public:
    Lease() = default;
    Lease(ReferencePool* pool, std::string hash, std::unique_ptr<Reference> reference)
        : pool_(pool), hash_(std::move(hash)), reference_(std::move(reference)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { Return(); }
    Reference* operator->() const { return reference_.get(); }
    Reference& operator*() const { return *reference_; }
    Reference* get() const { return reference_.get(); }

   private:
    void Return();
    ReferencePool* pool_ = nullptr;
    std::string hash_;
    std::unique_ptr<Reference> reference_;
  };

  // Keeps at most `idle` processes that nobody uses.
  ReferencePool(ReferenceOptions options, int idle) : options_(std::move(options)), idle_limit_(idle) {}

  // An idle process of this task, else a new one. Errors are those of Reference::Start.
  absl::StatusOr<Lease> Acquire(const v1::TaskSource& source, TimeLimit& limit, std::stop_token stop = {});
  // Ends all idle processes.
  void Clear();

 private:
  struct Idle {
    std::string hash;
    std::unique_ptr<Reference> reference;
  };
  void Return(std::string hash, std::unique_ptr<Reference> reference);

  const ReferenceOptions options_;
  const int idle_limit_;
  common::Mutex mutex_;
  std::list<Idle> idle_ GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace kernelsmith::worker
