// kernelsmith-plan OBJECT CORES: calls ks_plan of a candidate for one case and leaves what it says in shared memory.
// Runs inside a jail, away from the card; nothing it leaves behind is believed.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include "worker/devices/ascend/plan_protocol.h"
#include "worker/runner/protocol.h"

namespace kernelsmith::worker::plan {
namespace {

using PlanFunction = int (*)(const ks_call*, ks_plan*);

// The case as a candidate sees it, without data.
struct Case {
  std::vector<ks_tensor> tensors;
  std::vector<ks_attribute> attributes;
  ks_call call = {};
};

void ReadCase(const char* request, size_t bytes, uint32_t cores, Case& task) {
  runner::MapRequest header;
  std::memcpy(&header, request, sizeof header);
  const auto* const places = reinterpret_cast<const runner::TensorPlace*>(request + sizeof header);
  for (uint32_t i = 0; i < header.n_inputs + header.n_outputs; ++i) {
    const runner::TensorPlace& place = places[i];
    task.tensors.push_back(
        {nullptr, place.dtype, static_cast<int32_t>(place.rank), place.shape, place.strides, place.elements});
  }
  const char* text = request + bytes - header.attribute_bytes;
  for (uint32_t i = 0; i < header.n_attributes; ++i) {
    const char* const json = text + std::strlen(text) + 1;
    task.attributes.push_back({text, json});
    text = json + std::strlen(json) + 1;
  }
  task.call.abi_version = KS_ABI_VERSION;
  task.call.cpu_count = cores;
  task.call.n_inputs = header.n_inputs;
  task.call.n_outputs = header.n_outputs;
  task.call.n_attributes = header.n_attributes;
  task.call.inputs = task.tensors.data();
  task.call.outputs = task.tensors.data() + header.n_inputs;
  task.call.attributes = task.attributes.data();
}

void Say(Answer& answer, State state, const char* text) {
  std::snprintf(answer.text, sizeof answer.text, "%s", text == nullptr ? "unknown" : text);
  answer.state = state;
}

void* Map(int fd, size_t bytes, int protection) {
  void* const data = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  return data == MAP_FAILED ? nullptr : data;
}

int Plan(const char* object, uint32_t cores) {
  struct stat info = {};
  if (::fstat(kRequest, &info) != 0) return 2;
  const auto bytes = static_cast<size_t>(info.st_size);
  const auto* const request = static_cast<const char*>(Map(kRequest, bytes, PROT_READ));
  auto* const answer = static_cast<Answer*>(Map(kAnswer, sizeof(Answer), PROT_READ | PROT_WRITE));
  if (request == nullptr || answer == nullptr) return 2;
  void* const library = ::dlopen(object, RTLD_NOW | RTLD_LOCAL);
  const auto function = library == nullptr ? nullptr : reinterpret_cast<PlanFunction>(::dlsym(library, "ks_plan"));
  if (function == nullptr) {
    Say(*answer, State::kRefused, ::dlerror());
    return 0;
  }
  Case task;
  ReadCase(request, bytes, cores, task);
  ks_plan plan = {};
  plan.abi_version = KS_ABI_VERSION;
  try {
    answer->code = function(&task.call, &plan);
  } catch (const std::exception& error) {
    Say(*answer, State::kException, error.what());
    return 0;
  } catch (...) {
    Say(*answer, State::kException, "an exception that is no std::exception");
    return 0;
  }
  answer->plan = plan;
  if (plan.tiling != nullptr && plan.tiling_bytes <= KS_PLAN_MAX_TILING_BYTES) {
    std::memcpy(answer->tiling, plan.tiling, plan.tiling_bytes);
    answer->tiling_copied = plan.tiling_bytes;
  }
  answer->state = State::kReturned;
  return 0;
}

}  // namespace
}  // namespace kernelsmith::worker::plan

int main(int argc, char** argv) {
  const int code = argc == 3 ? kernelsmith::worker::plan::Plan(argv[1], static_cast<uint32_t>(std::atoi(argv[2]))) : 2;
  ::_exit(code);  // the candidate's destructors are not run
}
