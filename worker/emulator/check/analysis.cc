#include "worker/emulator/check/analysis.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "worker/emulator/check/advice.h"
#include "worker/emulator/check/rules.h"
#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {
namespace {

constexpr uint64_t kMaxLocalBytes = 1 << 24;

const char* HazardName(Hazard hazard) {
  switch (hazard) {
    case Hazard::kRaw:
      return "RAW";
    case Hazard::kWar:
      return "WAR";
    default:
      return "WAW";
  }
}

// True if global memory held the bytes [begin, end) of this write already.
bool WritesEqualValues(const Record& record, const Access& access, uint64_t begin, uint64_t end) {
  if (record.kind != Kind::kMove && record.kind != Kind::kScalarStore) return false;
  if (record.c >= record.work) return true;
  const bool plain = access.runs == 1 && access.repeats == 1 && access.run_bytes == record.work;
  return plain && (end - access.offset <= record.c || access.offset + access.run_bytes - begin <= record.d);
}

}  // namespace

Analysis::Analysis(const TraceReader& trace, const v1::Soc& soc, const CheckOptions& options, Findings& findings)
    : trace_(trace),
      auto_sync_(options.auto_sync),
      findings_(findings),
      order_(trace.cores(), static_cast<uint32_t>(soc.aiv_cores() + soc.aic_cores())),
      pairing_(trace, findings),
      history_(trace),
      cores_(trace.cores()),
      kinds_(trace.cores(), CoreKind::kAiv),
      runs_left_(options.max_runs) {}

void Analysis::Run() {
  for (const Entry& entry : trace_) Step(entry);
  pairing_.Finish();
  if (incomplete_) {
    findings_.Add({.check = Check::kTimeout, .error = false}, [](const Finding&) {
      return std::string(
          "the launch makes too many scattered accesses to analyse: part of it was not checked for races; check a "
          "smaller "
          "shape");
    });
  }
}

void Analysis::Step(const Entry& entry) {
  const Record& record = *entry.record;
  const uint16_t core = record.core;
  order_.Enter(core);
  switch (record.kind) {
    case Kind::kLaunch:
      kinds_[core] = CoreKind(record.c);
      order_.Launch(core, kinds_[core]);
      break;
    case Kind::kEnd: {
      pairing_.End(core, order_.LeftFlags(core));
      order_.End(core);
      cores_[core] = {};
      if (lines_.empty()) break;
      for (const CacheLines::Dirty& dirty : lines_.Leave(core)) {
        findings_.Add({.check = Check::kStaleCache,
                       .record = dirty.record,
                       .space = Space::kGlobal,
                       .offset = dirty.line,
                       .bytes = CacheLines::kLineBytes},
                      [](const Finding& finding) {
                        return absl::StrCat(
                            PlaceText(finding.place),
                            " stores to global memory through the data cache, and the kernel ends without ",
                            "writing the line back: call DataCacheCleanAndInvalid on it");
                      });
      }
      break;
    }
    case Kind::kCompute:
    case Kind::kMove:
    case Kind::kScalarLoad:
    case Kind::kScalarStore:
      Instruction(entry);
      break;
    case Kind::kSetFlag:
      if (!order_.SetFlag(core, record.pipe, Pipe(record.a), record.b, trace_.IndexOf(&record)))
        pairing_.SetTwice(record);
      break;
    case Kind::kWaitFlag:
      if (!order_.WaitFlag(core, Pipe(record.a), record.pipe, record.b)) pairing_.WaitWithoutSet(record);
      break;
    case Kind::kBarrier:
      pairing_.Barrier(record, order_.Barrier(core, record.pipe));
      break;
    case Kind::kAllocate:
    case Kind::kFree:
    case Kind::kEnQue:
    case Kind::kDeQue:
      pairing_.Queue(record);
      break;
    case Kind::kSyncAll:
      order_.SyncAll(core, record.a == 1, record.b);
      break;
    case Kind::kSyncSet:
      order_.SyncSet(core, record.pipe, record.a);
      break;
    case Kind::kSyncWait:
      order_.SyncWait(core, record.a);
      break;
    case Kind::kCacheClean:
      if (!lines_.empty()) lines_.Clean(core, entry.accesses);
      break;
    case Kind::kAtomicMode:
    case Kind::kFinding:
      break;
  }
}

void Analysis::Instruction(const Entry& entry) {
  const Record& record = *entry.record;
  for (const Access& access : entry.accesses) {
    if (access.kind == AccessKind::kRead) Touch(record, access, false);
  }
  for (const Access& access : entry.accesses) {
    if (access.kind == AccessKind::kWrite || access.kind == AccessKind::kAtomic) Touch(record, access, true);
  }
}

bool Analysis::Spend(const Access& access) {
  const uint64_t runs = uint64_t{access.runs} * access.repeats;
  if (runs == 1) return true;
  if (runs > runs_left_) {
    incomplete_ = true;
    return false;
  }
  runs_left_ -= runs;
  return true;
}

void Analysis::Touch(const Record& record, const Access& access, bool write) {
  if (!Spend(access)) return;
  const Stamp now = order_.Touch(record.core, record.pipe, trace_.IndexOf(&record), access.kind == AccessKind::kAtomic);
  const auto found = [&](Hazard hazard, const Stamp& earlier, uint64_t begin, uint64_t end) {
    if (earlier.record != now.record) Conflict(record, access, now, hazard, earlier, begin, end);
  };
  if (access.space == Space::kGlobal) {
    Cache(record, access, write);
    ForEachRun(access, [&](uint64_t begin, uint64_t end) {
      if (!global_.Touch(begin, end, now, write, history_, found)) incomplete_ = true;
    });
    return;
  }
  std::unique_ptr<Page>& page = cores_[record.core].local[size_t(access.space)];
  if (page == nullptr) page = std::make_unique<Page>(kMaxLocalBytes);
  ForEachRun(access, [&](uint64_t begin, uint64_t end) {
    if (end > kMaxLocalBytes) return;
    page->Touch(static_cast<uint32_t>(begin), static_cast<uint32_t>(end), now, write, history_, found);
  });
}

void Analysis::Cache(const Record& record, const Access& access, bool write) {
  // Scalar writes that bypass the cache say so by their name.
  const bool stores = write && record.kind == Kind::kScalarStore && access.kind == AccessKind::kWrite &&
                      trace_.text(record.operation) != "WriteGmByPassDCache";
  if (!stores && (write || lines_.empty())) return;
  ForEachRun(access, [&](uint64_t begin, uint64_t end) {
    const CacheLines::Dirty* dirty = stores ? lines_.Store(record.core, begin, end, trace_.IndexOf(&record))
                                            : lines_.Stale(record.core, record.pipe, begin, end);
    if (dirty == nullptr) return;
    findings_.Add({.check = Check::kStaleCache,
                   .record = trace_.IndexOf(&record),
                   .other = dirty->record,
                   .space = Space::kGlobal,
                   .offset = begin,
                   .bytes = end - begin,
                   .hazard = stores ? "WAW" : "RAW"},
                  [&](const Finding& finding) {
                    return stores ? absl::StrCat(PlaceText(finding.place), " of core ", finding.place.core, " and ",
                                                 PlaceText(finding.other), " of core ", finding.other.core,
                                                 " store into the same 64-byte line, each in its own data cache: one ",
                                                 "overwrites the other; give each block lines of its own")
                                  : absl::StrCat(PlaceText(finding.place), " reads global memory that ",
                                                 PlaceText(finding.other),
                                                 " wrote through its data cache and that is not written back; call ",
                                                 "DataCacheCleanAndInvalid after the store");
                  });
  });
}

bool Analysis::Guaranteed(const Record& record, const Stamp& earlier) {
  const Guarantee guarantee = GuaranteeBetween(earlier.pipe, record.pipe);
  if (guarantee == Guarantee::kHardware) return true;
  if (guarantee == Guarantee::kNone || !auto_sync_ || kinds_[record.core] != CoreKind::kAiv) return false;
  const Record& before = *trace_.At(earlier.record).record;
  for (const Record* scalar : {&before, &record}) {
    if (scalar->pipe != Pipe::kScalar) continue;
    if (seen_scalar_.size() <= scalar->operation) seen_scalar_.resize(scalar->operation + 1);
    uint8_t& seen = seen_scalar_[scalar->operation];
    if (seen == 0) seen = CompilerSeesScalar(trace_.text(scalar->operation)) ? 1 : 2;
    if (seen == 2) return false;
  }
  order_.Edge(record.core, earlier.pipe, record.pipe);
  return true;
}

void Analysis::Conflict(const Record& record, const Access& access, const Stamp& now, Hazard hazard,
                        const Stamp& earlier, uint64_t begin, uint64_t end) {
  if (order_.Ordered(earlier, record.core, record.pipe) || (earlier.atomic && now.atomic)) return;
  const bool across = earlier.core != record.core;
  if (!across && Guaranteed(record, earlier)) return;
  Findings::Occurrence occurrence{.check = Check::kRace,
                                  .record = now.record,
                                  .other = earlier.record,
                                  .space = access.space,
                                  .buffer = access.buffer,
                                  .offset = begin,
                                  .bytes = end - begin,
                                  .hazard = HazardName(hazard)};
  if (hazard == Hazard::kWaw && access.space == Space::kGlobal && !now.atomic && !earlier.atomic &&
      WritesEqualValues(record, access, begin, end)) {
    occurrence.check = Check::kRedundant;
    occurrence.error = false;
    findings_.Add(occurrence, EqualValuesText);
    return;
  }
  if (across) {
    occurrence.check = hazard == Hazard::kWaw ? Check::kConflict : Check::kUnordered;
    findings_.Add(occurrence, AcrossText);
    return;
  }
  const bool would_help = !auto_sync_ && kinds_[record.core] == CoreKind::kAiv &&
                          GuaranteeBetween(earlier.pipe, record.pipe) == Guarantee::kCompiler;
  findings_.Add(occurrence, [&](const Finding& finding) { return RaceText(finding, would_help); });
}

}  // namespace kernelsmith::emulator
