#include "worker/devices/ascend/runner_messages.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace kernelsmith::worker {
namespace {

using ascend_runner::Buffer;

template <typename Structure>
void AppendTo(std::string& packet, const Structure& structure) {
  packet.append(reinterpret_cast<const char*>(&structure), sizeof structure);
}

Buffer BufferOf(const SlotPool::Placement& placement) {
  return {placement.offset, placement.layout.buffer_bytes,
          placement.layout.storage_offset * placement.layout.element_bytes};
}

}  // namespace

std::string EncodeOpen(int device, absl::Duration operation_limit) {
  ascend_runner::OpenRequest request;
  request.device = device;
  request.operation_limit_s = static_cast<uint32_t>(std::max<int64_t>(1, absl::ToInt64Seconds(operation_limit)));
  std::string packet;
  AppendTo(packet, request);
  return packet;
}

std::string EncodeLoadObject(const std::string& path) {
  ascend_runner::LoadRequest request;
  request.path_bytes = static_cast<uint32_t>(path.size());
  std::string packet;
  AppendTo(packet, request);
  return packet + path;
}

std::string EncodeMap(const SlotPool& pool, const CheckedPlan& plan) {
  ascend_runner::MapRequest request;
  request.slots = static_cast<uint32_t>(pool.slots());
  request.n_inputs = static_cast<uint32_t>(pool.inputs());
  request.n_outputs = static_cast<uint32_t>(pool.outputs());
  request.n_launches = static_cast<uint32_t>(plan.launches.size());
  request.tiling_bytes = static_cast<uint32_t>(plan.tiling.size());
  request.input_stride = pool.input_stride();
  request.output_stride = pool.output_stride();
  request.workspace_bytes = plan.workspace_bytes;
  request.zeroed_bytes = plan.zeroed_bytes;
  std::string packet;
  AppendTo(packet, request);
  for (const SlotPool::Placement& placement : pool.input_placements()) AppendTo(packet, BufferOf(placement));
  for (const SlotPool::Placement& placement : pool.output_placements()) AppendTo(packet, BufferOf(placement));
  for (const PlannedLaunch& planned : plan.launches) {
    AppendTo(packet,
             ascend_runner::Launch{planned.kernel, planned.blocks, static_cast<uint32_t>(planned.arguments.size()), 0});
    for (const PlannedArgument& argument : planned.arguments) {
      AppendTo(packet, ascend_runner::Argument{argument.kind, 0, argument.value});
    }
  }
  return packet + plan.tiling;
}

std::string EncodeRun(int pool, absl::Span<const int> slots, absl::Duration limit) {
  ascend_runner::RunRequest request;
  request.pool = static_cast<uint32_t>(pool);
  request.count = static_cast<uint32_t>(slots.size());
  request.limit_ms = static_cast<int32_t>(
      std::clamp<int64_t>(absl::ToInt64Milliseconds(limit), 1, std::numeric_limits<int32_t>::max()));
  std::string packet;
  AppendTo(packet, request);
  for (const int slot : slots) AppendTo(packet, static_cast<uint32_t>(slot));
  return packet;
}

std::string EncodeQuitCard() {
  std::string packet;
  AppendTo(packet, ascend_runner::Request::kQuit);
  return packet;
}

bool DecodeReply(const std::string& packet, CardReply* reply) {
  if (packet.size() < sizeof reply->header) return false;
  std::memcpy(&reply->header, packet.data(), sizeof reply->header);
  const size_t doubles = size_t{reply->header.doubles} * sizeof(double);
  if (packet.size() != sizeof reply->header + doubles + reply->header.text_bytes) return false;
  reply->times_us.resize(reply->header.doubles);
  if (doubles > 0) std::memcpy(reply->times_us.data(), packet.data() + sizeof reply->header, doubles);
  reply->text = packet.substr(sizeof reply->header + doubles);
  return true;
}

DeviceTimes TimesOf(const CardReply& reply, size_t slots) {
  const auto middle = reply.times_us.begin() + static_cast<ptrdiff_t>(std::min(slots, reply.times_us.size()));
  return {{reply.times_us.begin(), middle}, {middle, reply.times_us.end()}, reply.header.batch_us};
}

void Refine(const std::vector<double>& launch_us, DeviceTimes* times) {
  if (launch_us.size() != times->launch_us.size() || times->call_us.empty()) return;
  times->launch_us = launch_us;
  const auto per_call = static_cast<ptrdiff_t>(launch_us.size() / times->call_us.size());
  for (size_t call = 0; call < times->call_us.size(); ++call) {
    const auto first = launch_us.begin() + static_cast<ptrdiff_t>(call) * per_call;
    times->call_us[call] = std::accumulate(first, first + per_call, 0.0);
  }
}

}  // namespace kernelsmith::worker
