// What programs compiled by the driver call to launch, and the report of the emulated card (kse.h).
#include <algorithm>
#include <cstring>
#include <string>

#include "worker/emulator/runtime/client/calls.h"
#include "worker/emulator/runtime/client/launch.h"
#include "worker/emulator/runtime/kse.h"

using namespace kernelsmith::emulator::acl;  // NOLINT(google-build-using-namespace)

ACL_API void* kseRegisterImage(const void* elf, size_t bytes) { return AddImage(elf, bytes, false).get(); }

ACL_API void kseRegisterKernel(void* image, const void* stub, const char* name) {
  ProcessState& state = ProcessState::Get();
  kernelsmith::common::MutexLock lock(state.mutex);
  const auto found = state.images.find(image);
  if (found != state.images.end() && name != nullptr) state.kernels[stub] = {found->second, name};
}

ACL_API int kseLaunch(const void* stub, uint32_t blocks, void* stream, const kse_argument* arguments,
                      uint32_t n_arguments) {
  LaunchRequest request;
  {
    ProcessState& state = ProcessState::Get();
    kernelsmith::common::MutexLock lock(state.mutex);
    const auto found = state.kernels.find(stub);
    if (found == state.kernels.end()) {
      return Fail(kKernelLookup, "kernel launch: no kernel is registered for this function; was its library closed?");
    }
    request.kernel = found->second;
  }
  request.blocks = blocks;
  request.stream = stream;
  for (uint32_t i = 0; i < n_arguments; ++i) request.arguments.push_back({arguments[i].value, arguments[i].size});
  return Launch("kernel launch", request);
}

ACL_API size_t kseReport(int32_t device, char* buffer, size_t capacity) {
  std::shared_ptr<Card> card;
  {
    ProcessState& state = ProcessState::Get();
    kernelsmith::common::MutexLock lock(state.mutex);
    if (const auto use = state.cards.find(device); use != state.cards.end()) card = use->second.card;
  }
  std::string report;
  uint64_t last = 0;
  if (card != nullptr) {
    card->link().Wait(card->link().last_enqueued(), Deadline::max());
    report = card->link().Report(&last);
  }
  if (report.empty()) report = R"({"launches": []})";
  if (buffer != nullptr) {
    std::memcpy(buffer, report.data(), std::min(capacity, report.size()));
    if (report.size() < capacity) buffer[report.size()] = '\0';
    if (report.size() <= capacity && card != nullptr) card->link().Forget(last);
  }
  return report.size();
}
