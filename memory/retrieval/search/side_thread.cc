#include "memory/retrieval/search/side_thread.h"

#include <pthread.h>

#include <utility>

namespace kernelsmith::memory {

SideThread::SideThread() : thread_([this] { Loop(); }) {}

SideThread::~SideThread() {
  {
    const common::MutexLock lock(mutex_);
    stopping_ = true;
    started_.NotifyOne();
  }
  thread_.join();
}

bool SideThread::TryStart(std::function<void()> work) {
  const common::MutexLock lock(mutex_);
  if (state_ != State::kFree) return false;
  state_ = State::kWaits;
  work_ = std::move(work);
  started_.NotifyOne();
  return true;
}

void SideThread::Join() {
  const common::MutexLock lock(mutex_);
  while (state_ != State::kDone) done_.Wait(mutex_);
  state_ = State::kFree;
}

void SideThread::Loop() {
  pthread_setname_np(pthread_self(), "memory-side");
  while (true) {
    std::function<void()> work;
    {
      const common::MutexLock lock(mutex_);
      while (state_ != State::kWaits && !stopping_) started_.Wait(mutex_);
      if (stopping_) return;
      work = std::exchange(work_, nullptr);
    }
    work();
    const common::MutexLock lock(mutex_);
    state_ = State::kDone;
    done_.NotifyOne();
  }
}

}  // namespace kernelsmith::memory
