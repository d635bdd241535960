// One thread that takes half of a caller's work, if it is not busy with another caller's.
//
//   SideThread side;
//   const bool aside = side.TryStart([&] { left = Left(); });
//   right = Right();
//   aside ? side.Join() : void(left = Left());
//
// Thread-safe.
#pragma once

#include <functional>
#include <thread>

#include "common/mutex.h"

namespace kernelsmith::memory {

class SideThread {
 public:
  SideThread();
  ~SideThread();
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  // False, and nothing happens, while another caller has the thread. True: `work` runs there, and the caller must call
  // Join before what `work` refers to is gone.
  bool TryStart(std::function<void()> work);

  // Waits until the work of this caller's TryStart is done, and gives the thread free.
  void Join();

 private:
  enum class State { kFree, kWaits, kDone };

  void Loop();

  common::Mutex mutex_;
  common::CondVar started_;
  common::CondVar done_;
  State state_ GUARDED_BY(mutex_) = State::kFree;
  std::function<void()> work_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace kernelsmith::memory
