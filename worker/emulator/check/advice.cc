#include "worker/emulator/check/advice.h"

#include "absl/strings/str_cat.h"
#include "worker/emulator/check/findings.h"
#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {
namespace {

std::string Bytes(const Finding& finding) {
  std::string bytes = absl::StrCat(SpaceName(finding.space));
  if (finding.buffer != 0) absl::StrAppend(&bytes, " buffer ", finding.buffer);
  if (finding.space == Space::kGlobal) return absl::StrCat(bytes, " (", finding.bytes, " bytes)");
  return absl::StrCat(bytes, ", bytes ", finding.offset, " to ", finding.offset + finding.bytes);
}

std::string Pair(const Finding& finding, const char* maybe) {
  const bool reads = finding.hazard == "RAW";
  const bool read = finding.hazard == "WAR";
  return absl::StrCat(PlaceText(finding.place), reads ? " reads " : " writes ", Bytes(finding), ", which ",
                      PlaceText(finding.other), maybe, read ? " be reading" : " be writing");
}

// What the author most likely forgot, by the direction of the data.
std::string QueueHint(const Finding& finding) {
  const Pipe from = finding.other.pipe, to = finding.place.pipe;
  if (finding.space != Space::kUb) return "";
  if (finding.hazard == "RAW" && ((from == Pipe::kMte2 && to != Pipe::kScalar) || to == Pipe::kMte3)) {
    return ", or pass the tensor through EnQue and DeQue";
  }
  if (finding.hazard != "RAW" && (from == Pipe::kMte3 || to == Pipe::kMte2)) {
    return ", or take the buffer from AllocTensor and give it back with FreeTensor after its last use";
  }
  return "";
}

}  // namespace

std::string RaceText(const Finding& finding, bool auto_sync_would_help) {
  const std::string from = PipeName(finding.other.pipe), to = PipeName(finding.place.pipe);
  std::string text = Pair(finding, " may still");
  if (from == to) {
    return absl::StrCat(
        text, ": a pipe starts its instructions in order but does not wait for the last one to complete; put ",
        "PipeBarrier<PIPE_", to, ">() between them",
        auto_sync_would_help ? ", or compile with --cce-auto-sync=on" : "");
  }
  return absl::StrCat(text, ": pipe ", to, " does not wait for pipe ", from,
                      "; put SetFlag and WaitFlag<HardEvent::", from, "_", to, "> between them",
                      auto_sync_would_help ? ", or compile with --cce-auto-sync=on" : "", QueueHint(finding));
}

std::string AcrossText(const Finding& finding) {
  if (finding.hazard == "WAW") {
    return absl::StrCat(
        PlaceText(finding.place), " of core ", finding.place.core, " writes ", Bytes(finding), ", which ",
        PlaceText(finding.other), " of core ", finding.other.core,
        " writes with other values: which one stays is chance; give each block bytes of its own, or use ",
        "SetAtomicAdd");
  }
  const bool reads = finding.hazard == "RAW";
  return absl::StrCat(PlaceText(finding.place), " of core ", finding.place.core, reads ? " reads " : " writes ",
                      Bytes(finding), ", which ", PlaceText(finding.other), " of core ", finding.other.core,
                      reads ? " writes" : " reads",
                      ", and no barrier orders the two: put SyncAll between them (at most as many blocks as cores), or "
                      "split the work into two launches");
}

std::string EqualValuesText(const Finding& finding) {
  return absl::StrCat(PlaceText(finding.place), " of core ", finding.place.core, " writes ", Bytes(finding), ", which ",
                      PlaceText(finding.other), " of core ", finding.other.core,
                      " writes too, with the same values: harmless, but the second write is wasted");
}

}  // namespace kernelsmith::emulator
