// What the cpu target is on this host: model, memory, kernel, and how steady its clock is.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/types.pb.h"
#include "worker/devices/card.h"

namespace kernelsmith::worker {

struct CpuCard {
  v1::Target target;  // architecture "cpu-x86_64", soc = CPU model, toolchain as given, driver "linux 6.1.0"
  int cpu_count = 1;  // this process may run on
  int64_t memory_bytes = 0;
};

// Reads /proc and uname. toolchain is the compiler's version string.
absl::StatusOr<CpuCard> DescribeCpuCard(const std::string& toolchain);

// The card as the daemon uses it: g++, kernelsmith-runner, and a noise floor measured while the host is quiet.
absl::StatusOr<OpenedCard> OpenCpuCard(const config::v1::WorkerConfig& config);

std::vector<CardCheckStep> TryCpuCard(const config::v1::WorkerConfig& config);

// First "model name" (x86), "Hardware" or "CPU part" line of the text of /proc/cpuinfo; "unknown" without one. Pure.
std::string CpuModelOf(absl::string_view cpuinfo);

// Relative spread, (p90 - p10) / median, of a fixed loop of about `loop_us` microseconds repeated `samples` times.
double MeasureNoiseFloor(int samples = 50, double loop_us = 1000);

}  // namespace kernelsmith::worker
