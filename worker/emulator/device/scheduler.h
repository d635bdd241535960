// Runs the cores of a launch as fibers of one thread: deterministic round robin, switching where a core waits or has
// run for a while. A fiber can be left for good in the middle of foreign code; its stack is then never touched again.
//
// Example:
//   Scheduler scheduler(cores, [&](uint32_t core) { ... scheduler.Wait([&] { return flag; }, "a flag"); ... });
//   scheduler.Run();
//   if (scheduler.hung()) ...
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kernelsmith::emulator {

class Core;

class Scheduler {
 public:
  // `body` runs once per slot, each on its own stack.
  Scheduler(uint32_t slots, std::function<void(uint32_t)> body);
  ~Scheduler();

  // Returns when every body has returned or left, or when all that are left wait for something that does not come.
  void Run();

  // From within a body. ------------------------------------------------------------------------------------------
  // Lets the others run.
  void Yield();
  // Comes back when `ready` is true. `what` completes "core 3 waits for <what>".
  void Wait(std::function<bool()> ready, std::string what);
  // Ends the body here.
  [[noreturn]] void Leave();
  // Whether the bytes are on the stack of the running body.
  bool OnStack(uintptr_t address, size_t bytes) const {
    return address >= stack_begin_ && address + bytes <= stack_end_ && address + bytes >= address;
  }

  // After Run. -----------------------------------------------------------------------------------------------------
  struct Waiting {
    Core* core;  // that was current in the body
    std::string what;
  };
  bool hung() const { return !waiting_.empty(); }
  const std::vector<Waiting>& waiting() const { return waiting_; }

 private:
  struct Slot;

  void Resume(Slot& slot);

  std::function<void(uint32_t)> body_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Slot* running_ = nullptr;
  boost::context::fiber main_;
  uintptr_t stack_begin_ = 0;
  uintptr_t stack_end_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace kernelsmith::emulator
