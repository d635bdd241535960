// What a launch that is over means: the error code ACL knows it by, and the report. Pure functions of the executor's
// end and its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/emulator/check/check.h"
#include "worker/emulator/runtime/error_text.h"
#include "worker/emulator/runtime/process/executor_process.h"
#include "worker/emulator/soc/soc.pb.h"
#include "worker/emulator/time/time.h"
#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator {

struct CoreName {
  CoreKind kind = CoreKind::kAiv;
  uint32_t block = 0;
  uint32_t sub_block = 0;
};

struct LaunchFacts {
  std::string kernel;  // mangled
  uint32_t blocks = 0;
  bool auto_sync = true;
  LaunchEnd end = LaunchEnd::kDone;
  std::string message;
  bool truncated = false;
  double us = 0;                // simulated, 0 if it could not be told
  std::vector<CoreName> cores;  // by Record::core
  std::vector<CoreTime> times;
  std::vector<Finding> findings;
};

// Reads the trace, unless it is damaged: then a launch that says it is done has failed, for only foreign code damages
// it.
LaunchFacts ExamineLaunch(const Launch& launch, const ExecutorEnd& end, absl::Span<const std::byte> trace,
                          const v1::Soc& soc);

// Whether, and how, ACL reports the launch as failed. Findings alone do not stop a card.
struct LaunchFailure {
  int code = 0;
  std::string text;
};
std::optional<LaunchFailure> FailureOf(const LaunchFacts& facts, uint32_t device, uint32_t stream, uint64_t task,
                                       int client_pid, const std::string& time);

// One element of "launches" as kse.h describes it: JSON on one line, printable ASCII.
std::string ReportOf(const LaunchFacts& facts);

// "add" of a mangled "_Z3addPDh"; the name itself if it is not mangled.
std::string PlainKernelName(const std::string& name);

}  // namespace kernelsmith::emulator
