#include "worker/emulator/device/scheduler.h"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstdlib>
#include <utility>

#include "worker/emulator/device/core.h"

namespace kernelsmith::emulator {
namespace {

namespace context = boost::context;

// A card gives 32 KiB; x86 code of the same source needs more.
constexpr size_t kStackBytes = 512 * 1024;

}  // namespace

struct Scheduler::Slot {
  uint32_t number;
  context::fiber fiber;
  uintptr_t stack_begin = 0;
  uintptr_t stack_end = 0;
  Core* core = nullptr;
  std::function<bool()> ready;  // empty: can run
  std::string what;
  bool done = false;
};

Scheduler::Scheduler(uint32_t slots, std::function<void(uint32_t)> body) : body_(std::move(body)) {
  for (uint32_t i = 0; i < slots; ++i) {
    auto slot = std::make_unique<Slot>();
    slot->number = i;
    context::protected_fixedsize_stack allocator(kStackBytes);
    context::stack_context stack = allocator.allocate();
    slot->stack_end = reinterpret_cast<uintptr_t>(stack.sp);
    slot->stack_begin = slot->stack_end - stack.size;
    slot->fiber = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), allocator,
                                 [this, to = slot.get()](context::fiber&& main) {
                                   main_ = std::move(main);
                                   body_(to->number);
                                   to->done = true;
                                   return std::move(main_);
                                 });
    slots_.push_back(std::move(slot));
  }
}

// A fiber that was left or still waits holds frames of foreign code that cannot be unwound: it is abandoned.
Scheduler::~Scheduler() {
  for (std::unique_ptr<Slot>& slot : slots_) {
    if (slot->fiber) new context::fiber(std::move(slot->fiber));
  }
}

void Scheduler::Resume(Slot& slot) {
  running_ = &slot;
  stack_begin_ = slot.stack_begin;
  stack_end_ = slot.stack_end;
  Core::SetCurrent(slot.core);
  slot.fiber = std::move(slot.fiber).resume();
  slot.core = Core::CurrentOrNull();
  Core::SetCurrent(nullptr);
  running_ = nullptr;
}

void Scheduler::Run() {
  bool alive = true;
  while (alive) {
    alive = false;
    bool progress = false;
    for (std::unique_ptr<Slot>& slot : slots_) {
      if (slot->done) continue;
      alive = true;
      if (slot->ready) {
        if (!slot->ready()) continue;
        slot->ready = nullptr;
      }
      progress = true;
      Resume(*slot);
    }
    if (alive && !progress) {
      for (std::unique_ptr<Slot>& slot : slots_) {
        if (!slot->done) waiting_.push_back({slot->core, slot->what});
      }
      return;
    }
  }
}

void Scheduler::Yield() { main_ = std::move(main_).resume(); }

void Scheduler::Wait(std::function<bool()> ready, std::string what) {
  if (ready()) return;
  running_->ready = std::move(ready);
  running_->what = std::move(what);
  Yield();
}

void Scheduler::Leave() {
  running_->done = true;
  Yield();
  std::abort();
}

}  // namespace kernelsmith::emulator
