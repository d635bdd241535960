// The worker's end of the protocol of kernelsmith-ascend-runner: packets out of plans, replies out of packets. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "worker/devices/ascend/launch_plan.h"
#include "worker/devices/ascend/runner_protocol.h"
#include "worker/runner/candidate_process.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {

std::string EncodeOpen(int device, absl::Duration operation_limit);
std::string EncodeLoadObject(const std::string& path);
std::string EncodeMap(const SlotPool& pool, const CheckedPlan& plan);
std::string EncodeRun(int pool, absl::Span<const int> slots, absl::Duration limit);
std::string EncodeQuitCard();

struct CardReply {
  ascend_runner::ReplyHeader header;
  std::vector<double> times_us;
  std::string text;
};

// False if the packet is none.
bool DecodeReply(const std::string& packet, CardReply* reply);

// Of a batch of `slots` calls.
DeviceTimes TimesOf(const CardReply& reply, size_t slots);

// Replaces readings of events by finer ones of the launches, if there is one for every launch.
void Refine(const std::vector<double>& launch_us, DeviceTimes* times);

}  // namespace kernelsmith::worker
