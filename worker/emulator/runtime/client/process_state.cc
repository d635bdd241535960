#include "worker/emulator/runtime/client/process_state.h"

#include <pthread.h>

#include <atomic>

namespace kernelsmith::emulator::acl {
namespace {

std::atomic<ProcessState*> g_state = nullptr;

std::weak_ptr<Context>& Mine() {
  thread_local std::weak_ptr<Context> mine;
  return mine;
}

}  // namespace

ProcessState& ProcessState::Get() {
  // Never destroyed: kernels' images unregister nothing, and other threads may still be here at exit.
  static ProcessState* const first = [] {
    ProcessState* state = new ProcessState;
    g_state.store(state);
    InstallForkHandlers();
    return state;
  }();
  (void)first;
  return *g_state.load(std::memory_order_acquire);
}

void ProcessState::InstallForkHandlers() {
  ::pthread_atfork([]() ABSL_NO_THREAD_SAFETY_ANALYSIS { g_state.load()->mutex.Lock(); },
                   []() ABSL_NO_THREAD_SAFETY_ANALYSIS { g_state.load()->mutex.Unlock(); },
                   []() ABSL_NO_THREAD_SAFETY_ANALYSIS {
                     ProcessState* const parents = g_state.load();  // stays as it is: its locks may be taken
                     for (auto& [number, use] : parents->cards) use.card->link().AbandonAfterFork();
                     ProcessState* const mine = new ProcessState;
                     mine->initialized = parents->initialized;
                     mine->images = parents->images;
                     mine->kernels = parents->kernels;
                     mine->next_image = parents->next_image;
                     g_state.store(mine);
                     Mine().reset();
                   });
}

std::shared_ptr<Context> CurrentContext() { return Mine().lock(); }
void SetCurrentContext(const std::shared_ptr<Context>& context) { Mine() = context; }

std::shared_ptr<Stream> FindStream(void* handle) {
  if (handle == nullptr) {
    const std::shared_ptr<Context> context = CurrentContext();
    return context == nullptr ? nullptr : context->default_stream;
  }
  ProcessState& state = ProcessState::Get();
  common::MutexLock lock(state.mutex);
  const auto found = state.streams.find(handle);
  return found == state.streams.end() ? nullptr : found->second;
}

std::shared_ptr<Event> FindEvent(void* handle) {
  ProcessState& state = ProcessState::Get();
  common::MutexLock lock(state.mutex);
  const auto found = state.events.find(handle);
  return found == state.events.end() ? nullptr : found->second;
}

}  // namespace kernelsmith::emulator::acl
