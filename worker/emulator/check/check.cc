#include "worker/emulator/check/check.h"

#include "worker/emulator/check/analysis.h"
#include "worker/emulator/check/findings.h"

namespace kernelsmith::emulator {
namespace {

// What the executor saw itself. Its records name the place; the first access, if any, the bytes.
void AddExecutorFinding(const TraceReader& trace, const Entry& entry, Findings& findings) {
  const Record& record = *entry.record;
  Findings::Occurrence occurrence{.check = Check(record.a), .error = record.b != 0, .record = trace.IndexOf(&record)};
  if (!entry.accesses.empty()) {
    const Access& access = entry.accesses.front();
    occurrence.space = access.space;
    occurrence.buffer = access.buffer;
    occurrence.offset = access.offset;
    occurrence.bytes = uint64_t{access.repeats - 1} * access.repeat_stride +
                       uint64_t{access.runs - 1} * access.run_stride + access.run_bytes;
  }
  findings.Add(occurrence, [&](const Finding&) { return Printable(trace.text(record.c)); });
}

}  // namespace

std::vector<Finding> CheckTrace(const TraceReader& trace, const v1::Soc& soc, const CheckOptions& options) {
  Findings findings(trace, options.max_findings);
  for (const Entry& entry : trace) {
    if (entry.record->kind == Kind::kFinding) AddExecutorFinding(trace, entry, findings);
  }
  Analysis(trace, soc, options, findings).Run();
  return findings.Take();
}

}  // namespace kernelsmith::emulator
