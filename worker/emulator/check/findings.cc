#include "worker/emulator/check/findings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {
namespace {

// Errors must not be crowded out by notes that came first, so more are kept than are shown.
constexpr size_t kKept = 8;

}  // namespace

std::string Printable(std::string_view text) {
  constexpr size_t kMax = 200;
  std::string line;
  for (const char c : text.substr(0, kMax)) line += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kMax) line += "...";
  return line;
}

std::string PlaceText(const Place& place) {
  std::string where = place.operation.empty() ? "an instruction" : place.operation;
  if (place.line == 0) return where;
  return absl::StrCat(where, " (", place.file.empty() ? "line " : place.file + ":", place.line, ")");
}

Place Findings::PlaceOf(uint32_t record) const {
  if (record == kNoRecord) return {};
  const Record& r = *trace_.At(record).record;
  return {.operation = Printable(trace_.text(r.operation)),
          .file = Printable(trace_.text(r.file)),
          .line = r.line,
          .pipe = r.pipe,
          .core = r.core};
}

uint64_t Findings::PlaceKey(uint32_t record) const {
  if (record == kNoRecord) return 0;
  const Record& r = *trace_.At(record).record;
  return ((uint64_t{r.file} << 16 | (r.operation & 0xffff)) << 32 | r.line) + 1;
}

void Findings::Add(const Occurrence& occurrence, const std::function<std::string(const Finding&)>& text) {
  const uint32_t what = (uint32_t(occurrence.check) * 2 + occurrence.error) * 256 + uint32_t(occurrence.space);
  const Key key(what, PlaceKey(occurrence.record), PlaceKey(occurrence.other), occurrence.hazard);
  if (const auto found = index_.find(key); found != index_.end()) {
    ++findings_[found->second].count;
    return;
  }
  if (findings_.size() >= max_ * kKept) return;
  index_[key] = findings_.size();
  Finding& finding = findings_.emplace_back();
  finding.check = occurrence.check;
  finding.error = occurrence.error;
  finding.place = PlaceOf(occurrence.record);
  finding.other = PlaceOf(occurrence.other);
  finding.space = occurrence.space;
  finding.buffer = occurrence.buffer;
  finding.offset = occurrence.offset;
  finding.bytes = occurrence.bytes;
  finding.hazard = occurrence.hazard;
  finding.text = text(finding);
}

std::vector<Finding> Findings::Take() {
  std::stable_partition(findings_.begin(), findings_.end(), [](const Finding& finding) { return finding.error; });
  if (findings_.size() > max_) findings_.resize(max_);
  return std::move(findings_);
}

}  // namespace kernelsmith::emulator
