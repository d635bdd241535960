#include "worker/pipeline/finding_log.h"

#include <algorithm>

namespace kernelsmith::worker {
namespace {

bool Same(const v1::Finding& a, const v1::Finding& b) {
  return a.severity() == b.severity() && a.check() == b.check() && a.operation() == b.operation() &&
         a.buffer() == b.buffer() && a.file() == b.file() && a.line() == b.line();
}

}  // namespace

void FindingLog::Add(absl::Span<const v1::Finding> findings) {
  for (const v1::Finding& finding : findings) {
    const auto known =
        std::find_if(findings_.begin(), findings_.end(), [&](const v1::Finding& f) { return Same(f, finding); });
    const int count = std::max(1, finding.count());
    if (known != findings_.end()) {
      known->set_count(known->count() + count);
    } else {
      findings_.push_back(finding);
      findings_.back().set_count(count);
    }
  }
}

void FindingLog::CopyTo(google::protobuf::RepeatedPtrField<v1::Finding>& report) const {
  for (const bool errors : {true, false}) {
    for (const v1::Finding& finding : findings_) {
      if ((finding.severity() == v1::Finding::ERROR) != errors) continue;
      if (report.size() < kMaxFindings) *report.Add() = finding;
    }
  }
}

}  // namespace kernelsmith::worker
