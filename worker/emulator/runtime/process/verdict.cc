#include "worker/emulator/runtime/process/verdict.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {
namespace {

constexpr size_t kMaxFindings = 50;
constexpr const char* kEnds[] = {"done", "fault", "timeout", "hang", "assert", "unknown_kernel"};
constexpr const char* kPipeKeys[kPipes] = {"scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe"};

// Texts of the trace come from untrusted code.
std::string Printable(absl::string_view text) {
  std::string printable(text);
  for (char& c : printable) {
    if (c < ' ' || c > '~') c = '?';
  }
  return printable;
}

// "aiv 3"; "aiv 3.1" if the block has several vector cores.
std::string Label(const CoreName& core, bool mixed) {
  std::string label = absl::StrCat(core.kind == CoreKind::kAic ? "aic " : "aiv ", core.block);
  if (mixed && core.kind == CoreKind::kAiv) absl::StrAppend(&label, ".", core.sub_block);
  return label;
}

bool IsMixed(const LaunchFacts& facts) {
  return std::any_of(facts.cores.begin(), facts.cores.end(), [](const CoreName& core) { return core.sub_block > 0; });
}

bool UsesCube(const LaunchFacts& facts) {
  return std::any_of(facts.cores.begin(), facts.cores.end(),
                     [](const CoreName& core) { return core.kind == CoreKind::kAic; });
}

const Finding* FirstError(const LaunchFacts& facts) {
  for (const Finding& finding : facts.findings) {
    if (finding.error) return &finding;
  }
  return nullptr;
}

// The card's own words for a fault, with the bit of its error register. The bits are this emulator's own, but for the
// one of a vector access outside UB, which public reports show.
void DescribeError(const LaunchFacts& facts, Fault& fault) {
  const Finding* const error = FirstError(facts);
  if (facts.end == LaunchEnd::kTimeout || facts.end == LaunchEnd::kHang) {
    fault.error_bits = 0;
    fault.error_string = "timeout or trap error.";
  } else if (facts.end == LaunchEnd::kAssert) {
    fault.error_bits = 0x1;
    fault.error_string = "timeout or trap error.";
  } else if (error != nullptr && error->check == Check::kMisaligned) {
    fault.error_bits = 0x10;
    fault.error_string = "Illegal instruction, which is usually caused by unaligned UUB addresses.";
  } else if (error != nullptr && error->check == Check::kOutOfBounds && error->space != Space::kGlobal) {
    fault.error_bits = 0x4000000000000000;
    fault.error_string = "VEC instruction error: the ub address out of bounds.";
  } else {
    fault.error_bits = 0x800000;
    fault.error_string = "The DDR address of the MTE instruction is out of range.";
  }
}

nlohmann::json FindingJson(const LaunchFacts& facts, const Finding& finding, bool mixed) {
  const auto core = [&](const Place& place) {
    return place.core < facts.cores.size() ? Label(facts.cores[place.core], mixed) : absl::StrCat("core ", place.core);
  };
  nlohmann::json json = {
      {"severity", finding.error ? "error" : "note"},
      {"check", CheckName(finding.check)},
      {"operation", Printable(finding.place.operation)},
      {"pipe", PipeName(finding.place.pipe)},
      {"buffer", finding.space == Space::kNone ? "" : SpaceName(finding.space)},
      {"buffer_index", finding.buffer},
      {"offset", finding.offset},
      {"bytes", finding.bytes},
      {"core", core(finding.place)},
      {"file", Printable(finding.place.file)},
      {"line", finding.place.line},
      {"text", Printable(finding.text)},
      {"count", finding.count},
      {"hazard", Printable(finding.hazard)},
      {"other_operation", Printable(finding.other.operation)},
      {"other_file", Printable(finding.other.file)},
      {"other_line", finding.other.line},
      {"other_pipe", finding.other.line == 0 ? "" : PipeName(finding.other.pipe)},
      {"other_core", finding.other.line == 0 ? "" : core(finding.other)},
  };
  return json;
}

}  // namespace

std::string PlainKernelName(const std::string& name) {
  int status = -1;
  char* demangled = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string plain = status == 0 ? demangled : name;
  std::free(demangled);
  // "void add<half>(half*)" becomes "add<half>".
  int depth = 0;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '<') ++depth;
    if (plain[i] == '>') --depth;
    if (plain[i] == '(' && depth == 0) plain.resize(i);
  }
  if (status == 0 && plain.compare(0, 5, "void ") == 0) plain.erase(0, 5);
  return plain;
}

LaunchFacts ExamineLaunch(const Launch& launch, const ExecutorEnd& end, absl::Span<const std::byte> trace,
                          const v1::Soc& soc) {
  LaunchFacts facts;
  facts.kernel = launch.kernel;
  facts.blocks = launch.blocks;
  facts.auto_sync = launch.auto_sync;
  facts.end = end.end;
  facts.message = Printable(end.message);
  const absl::StatusOr<TraceReader> reader = TraceReader::Open(trace);
  if (!reader.ok()) {
    if (facts.end == LaunchEnd::kDone) {
      facts.end = LaunchEnd::kFault;
      facts.message = absl::StrCat("the kernel damaged its own trace: ", Printable(reader.status().message()));
    }
    return facts;
  }
  facts.truncated = reader->truncated();
  facts.cores.resize(reader->cores());
  for (const Entry& entry : *reader) {
    if (entry.record->kind != Kind::kLaunch || entry.record->core >= facts.cores.size()) continue;
    facts.cores[entry.record->core] = {static_cast<CoreKind>(entry.record->c), entry.record->a, entry.record->b};
  }
  facts.findings = CheckTrace(*reader, soc, {.auto_sync = launch.auto_sync, .max_findings = kMaxFindings});
  absl::StatusOr<LaunchTime> time = TimeTrace(*reader, soc, {.auto_sync = launch.auto_sync});
  if (time.ok()) {
    facts.us = time->total_us;
    facts.times = std::move(time->cores);
  } else if (facts.message.empty()) {
    facts.message = Printable(time.status().message());
  }
  return facts;
}

std::optional<LaunchFailure> FailureOf(const LaunchFacts& facts, uint32_t device, uint32_t stream, uint64_t task,
                                       int client_pid, const std::string& time) {
  if (facts.end == LaunchEnd::kDone) return std::nullopt;
  if (facts.end == LaunchEnd::kUnknownKernel) {
    constexpr int kKernelLookup = 507027;
    return LaunchFailure{
        kKernelLookup,
        ErrorText("EE9999", client_pid, time, absl::StrCat("kernel launch: ", facts.message, " [", facts.kernel, "]"))};
  }
  Fault fault;
  if (facts.end == LaunchEnd::kTimeout || facts.end == LaunchEnd::kHang) fault.kind = FaultKind::kTimeout;
  fault.cube = UsesCube(facts);
  fault.device = device;
  fault.stream = stream;
  fault.task = task;
  fault.kernel = PlainKernelName(facts.kernel);
  fault.explanation = facts.message;
  DescribeError(facts, fault);
  if (const Finding* const error = FirstError(facts); error != nullptr) {
    fault.core = error->place.core;
    absl::StrAppend(&fault.explanation, fault.explanation.empty() ? "" : "; ", CheckName(error->check), " in ",
                    Printable(error->place.operation), " at ", Printable(error->place.file), ":", error->place.line,
                    ": ", Printable(error->text));
  }
  return LaunchFailure{FaultCode(fault), FaultText(fault, client_pid, time)};
}

std::string ReportOf(const LaunchFacts& facts) {
  const bool mixed = IsMixed(facts);
  nlohmann::json cores = nlohmann::json::array();
  for (const CoreTime& time : facts.times) {
    nlohmann::json pipes = nlohmann::json::object();
    for (int pipe = 0; pipe < kPipes; ++pipe) {
      if (time.busy_us[pipe] > 0) pipes[kPipeKeys[pipe]] = time.busy_us[pipe];
    }
    cores.push_back({{"core", Label({time.kind, time.block, time.sub_block}, mixed)},
                     {"us", time.total_us},
                     {"pipes", pipes},
                     {"bytes_read", time.bytes_read},
                     {"bytes_written", time.bytes_written}});
  }
  nlohmann::json findings = nlohmann::json::array();
  for (const Finding& finding : facts.findings) findings.push_back(FindingJson(facts, finding, mixed));
  const nlohmann::json launch = {
      {"kernel", PlainKernelName(facts.kernel)},
      {"blocks", facts.blocks},
      {"us", facts.us},
      {"end", kEnds[static_cast<size_t>(facts.end)]},
      {"message", facts.message},
      {"truncated", facts.truncated},
      {"auto_sync", facts.auto_sync},
      {"cores", cores},
      {"findings", findings},
  };
  return launch.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace kernelsmith::emulator
