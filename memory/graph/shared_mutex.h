// A mutex that many readers share; std::shared_mutex with clang's thread-safety annotations.
//
//   { ReaderLock lock(mutex_); return graph_.Find(id); }
//   { WriterLock lock(mutex_); graph_.Apply(fact); }
//
// A waiting writer goes before readers that come after it, so that a stream of readers cannot starve it.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "absl/base/thread_annotations.h"

namespace kernelsmith::memory {

class ABSL_LOCKABLE SharedMutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    const std::lock_guard<std::mutex> turn(turn_);
    mutex_.lock();
  }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  void LockShared() ABSL_SHARED_LOCK_FUNCTION() {
    const std::lock_guard<std::mutex> turn(turn_);
    mutex_.lock_shared();
  }
  void UnlockShared() ABSL_UNLOCK_FUNCTION() { mutex_.unlock_shared(); }

 private:
  std::mutex turn_;  // held while waiting for the lock, never while holding it
  std::shared_mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_.LockShared(); }
  ~ReaderLock() ABSL_UNLOCK_FUNCTION() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class ABSL_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~WriterLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace kernelsmith::memory
