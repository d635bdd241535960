// kernelsmith-runner: loads a candidate's shared object and calls it as told over a socket. Runs inside the jail with
// system calls filtered; shares its address space with the candidate, so nothing it says is believed (README.md).
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "worker/include/kernelsmith/kernel_abi.h"
#include "worker/runner/fault_report.h"
#include "worker/runner/protocol.h"
#include "worker/runner/syscall_filter.h"

namespace kernelsmith::worker::runner {
namespace {

using KernelFunction = int (*)(const ks_call*);

extern "C" int KernelsmithEmptyKernel(const ks_call*) { return 0; }

// One case's slots: the memory, and a ready-made ks_call for every slot.
struct Pool {
  std::vector<std::string> texts;  // attribute names and values, in turn
  std::vector<ks_attribute> attributes;
  std::vector<TensorPlace> places;
  std::vector<ks_tensor> tensors;  // slot by slot, inputs then outputs
  std::vector<ks_call> calls;      // by slot
};

struct State {
  KernelFunction kernel = nullptr;
  uint32_t cpu_count = 1;
  std::vector<std::unique_ptr<Pool>> pools;
};

// One packet and the descriptors that came with it.
struct Packet {
  std::vector<char> bytes = std::vector<char>(kMaxMessageBytes);
  size_t size = 0;
  std::vector<int> fds;
};

bool Receive(Packet& packet) {
  packet.fds.clear();
  iovec part = {packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = 0;
  do {
    size = ::recvmsg(kSocket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < static_cast<ssize_t>(sizeof(Request))) return false;
  packet.size = static_cast<size_t>(size);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    packet.fds.resize((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(packet.fds.data(), CMSG_DATA(header), packet.fds.size() * sizeof(int));
  }
  return true;
}

void Send(const ReplyMessage& reply) { ::send(kSocket, &reply, sizeof reply, MSG_NOSIGNAL); }

void Say(ReplyMessage& reply, const char* text) { std::snprintf(reply.text, sizeof reply.text, "%s", text); }

ReplyMessage Load(const Packet& packet, State& state) {
  LoadRequest request;
  std::memcpy(&request, packet.bytes.data(), sizeof request);
  ReplyMessage reply;
  reply.kind = Reply::kRefused;
  if (request.version != kProtocolVersion) {
    Say(reply, "this runner speaks another protocol version; install worker and runner of one version");
    return reply;
  }
  state.cpu_count = request.cpu_count;
  if (request.path_bytes == 0) {
    state.kernel = KernelsmithEmptyKernel;
    reply.kind = Reply::kLoaded;
    return reply;
  }
  const std::string path(packet.bytes.data() + sizeof request, request.path_bytes);
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object != nullptr) state.kernel = reinterpret_cast<KernelFunction>(::dlsym(object, "ks_kernel"));
  if (state.kernel != nullptr) {
    reply.kind = Reply::kLoaded;
  } else {
    const char* const why = ::dlerror();
    Say(reply, why == nullptr ? "ks_kernel is null" : why);
  }
  return reply;
}

// Maps a block that came as a descriptor; nullptr when it cannot be.
std::byte* MapBlock(int fd, int64_t bytes, int protection) {
  void* const data = ::mmap(nullptr, static_cast<size_t>(bytes), protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

void ReadAttributes(const Packet& packet, const MapRequest& request, Pool& pool) {
  const char* text = packet.bytes.data() + packet.size - request.attribute_bytes;
  for (uint32_t i = 0; i < 2 * request.n_attributes; ++i) {
    pool.texts.emplace_back(text);
    text += pool.texts.back().size() + 1;
  }
  for (uint32_t i = 0; i < request.n_attributes; ++i) {
    pool.attributes.push_back({pool.texts[2 * i].c_str(), pool.texts[2 * i + 1].c_str()});
  }
}

void PrepareCalls(const MapRequest& request, uint32_t cpu_count, std::byte* inputs, std::byte* outputs, Pool& pool) {
  const size_t per_slot = request.n_inputs + request.n_outputs;
  pool.tensors.reserve(per_slot * request.slots);
  for (uint32_t slot = 0; slot < request.slots; ++slot) {
    for (size_t i = 0; i < per_slot; ++i) {
      const TensorPlace& place = pool.places[i];
      std::byte* const base =
          i < request.n_inputs ? inputs + slot * request.input_stride : outputs + slot * request.output_stride;
      pool.tensors.push_back({base + place.offset, place.dtype, static_cast<int32_t>(place.rank), place.shape,
                              place.strides, place.elements});
    }
  }
  for (uint32_t slot = 0; slot < request.slots; ++slot) {
    ks_call call = {};
    call.abi_version = KS_ABI_VERSION;
    call.cpu_count = cpu_count;
    call.n_inputs = request.n_inputs;
    call.n_outputs = request.n_outputs;
    call.n_attributes = request.n_attributes;
    call.inputs = pool.tensors.data() + slot * per_slot;
    call.outputs = call.inputs + request.n_inputs;
    call.attributes = pool.attributes.data();
    pool.calls.push_back(call);
  }
}

ReplyMessage Map(const Packet& packet, State& state) {
  MapRequest request;
  std::memcpy(&request, packet.bytes.data(), sizeof request);
  ReplyMessage reply;
  reply.kind = Reply::kRefused;
  const int64_t input_bytes = request.input_stride * request.slots;
  const int64_t output_bytes = request.output_stride * request.slots;
  size_t next_fd = 0;
  std::byte* inputs = nullptr;
  std::byte* outputs = nullptr;
  if (input_bytes > 0) inputs = MapBlock(packet.fds.at(next_fd++), input_bytes, PROT_READ);
  if (output_bytes > 0) outputs = MapBlock(packet.fds.at(next_fd++), output_bytes, PROT_READ | PROT_WRITE);
  for (const int fd : packet.fds) ::close(fd);
  if ((input_bytes > 0 && inputs == nullptr) || (output_bytes > 0 && outputs == nullptr)) {
    Say(reply, "the tensors cannot be mapped: the memory limit is too low for them");
    return reply;
  }
  NoteInputs(inputs, static_cast<size_t>(input_bytes));
  auto pool = std::make_unique<Pool>();
  pool->places.resize(request.n_inputs + request.n_outputs);
  std::memcpy(pool->places.data(), packet.bytes.data() + sizeof request, pool->places.size() * sizeof(TensorPlace));
  ReadAttributes(packet, request, *pool);
  PrepareCalls(request, state.cpu_count, inputs, outputs, *pool);
  state.pools.push_back(std::move(pool));
  reply.kind = Reply::kMapped;
  return reply;
}

ReplyMessage Call(const Packet& packet, const State& state) {
  CallRequest request;
  std::memcpy(&request, packet.bytes.data(), sizeof request);
  const auto* const slots = reinterpret_cast<const uint32_t*>(packet.bytes.data() + sizeof request);
  const Pool& pool = *state.pools[request.pool];
  g_running_call = {request.sequence, -1};
  ReplyMessage reply;
  reply.sequence = request.sequence;
  try {
    for (uint32_t i = 0; i < request.count; ++i) {
      g_running_call.slot = static_cast<int32_t>(slots[i]);
      reply.code = state.kernel(&pool.calls[slots[i]]);
      if (reply.code == 0) continue;
      reply.kind = Reply::kFailed;
      reply.slot = g_running_call.slot;
      return reply;
    }
    reply.kind = Reply::kDone;
    return reply;
  } catch (const std::bad_alloc& error) {
    reply.kind = Reply::kNoMemory;
    Say(reply, error.what());
  } catch (const std::exception& error) {
    reply.kind = Reply::kException;
    Say(reply, error.what());
  } catch (...) {
    reply.kind = Reply::kException;
    Say(reply, "an exception that is no std::exception");
  }
  reply.slot = g_running_call.slot;
  return reply;
}

int Serve() {
  State state;
  Packet packet;
  while (Receive(packet)) {
    Request kind;
    std::memcpy(&kind, packet.bytes.data(), sizeof kind);
    switch (kind) {
      case Request::kLoad:
        Send(Load(packet, state));
        break;
      case Request::kMap:
        Send(Map(packet, state));
        break;
      case Request::kCall:
        Send(Call(packet, state));
        break;
      case Request::kQuit:
        return 0;
    }
  }
  return 1;
}

}  // namespace
}  // namespace kernelsmith::worker::runner

int main() {
  using namespace kernelsmith::worker::runner;
  if (!InstallSyscallFilter()) {
    std::fprintf(stderr, "kernelsmith-runner: this kernel does not filter system calls\n");
    return 1;
  }
  InstallFaultHandlers();
  const int code = Serve();
  ::_exit(code);  // the candidate's destructors are not run
}
