#include "worker/jail/time_limit.h"

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "worker/jail/jail.h"

namespace kernelsmith::worker {
namespace {

constexpr absl::Duration kSlice = absl::Milliseconds(500);
constexpr absl::Duration kShortestSlice = absl::Milliseconds(10);
constexpr absl::Duration kLongestStep = absl::Seconds(2);  // beyond it this process itself stood still

}  // namespace

absl::Duration TimeLimit::Step(absl::Time now) {
  const absl::Duration step = std::clamp(now - last_, absl::ZeroDuration(), kLongestStep);
  last_ = now;
  elapsed_ += step;
  return step;
}

void TimeLimit::Enter(absl::Time now, absl::Duration used) {
  last_ = now;
  if (!entered_) used_before_ = used;
  entered_ = true;
}

absl::Duration TimeLimit::Slice() const {
  if (limit_ == absl::ZeroDuration()) return limit_;
  return counted_ >= limit_ ? kSlice : std::clamp(limit_ - counted_, kShortestSlice, kSlice);
}

bool TimeLimit::Look(absl::Time now, const ProcessorUse& use) {
  const absl::Duration step = Step(now);
  const absl::Duration got = std::max(use.used - used_before_ - used_, absl::ZeroDuration());
  used_ += got;
  const bool hungry = use.ready && use.crowded;
  counted_ += hungry ? std::min(step, got) : step;
  if (elapsed_ >= kStretch * limit_) {
    starved_ = hungry && used_ < limit_;
    return false;
  }
  return counted_ < limit_ || (hungry && used_ < limit_);
}

bool AwaitWithin(TimeLimit& limit, JailedProcess& jail, absl::FunctionRef<bool(absl::Time)> done) {
  limit.Enter(absl::Now(), limit.entered() ? absl::ZeroDuration() : jail.Use().used);
  while (true) {
    if (done(absl::Now() + limit.Slice())) {
      limit.Leave(absl::Now());
      return true;
    }
    ProcessorUse use = jail.Use();
    use.crowded = MachineIsCrowded();
    if (!limit.Look(absl::Now(), use)) return false;
  }
}

std::string StarvedText(const TimeLimit& limit) {
  const auto text = [](absl::Duration time) {
    return absl::FormatDuration(absl::Trunc(time, absl::Milliseconds(100)));
  };
  return absl::StrCat("got ", text(limit.used()), " of processor time in ", text(limit.elapsed()),
                      "; the host is overloaded");
}

int RunnableOf(absl::string_view proc_stat) {
  constexpr absl::string_view kName = "procs_running ";
  for (const absl::string_view line : absl::StrSplit(proc_stat, '\n')) {
    int runnable = 0;
    if (absl::StartsWith(line, kName) && absl::SimpleAtoi(line.substr(kName.size()), &runnable)) return runnable;
  }
  return 0;
}

bool MachineIsCrowded() {
  const auto text = common::ReadFile("/proc/stat");
  constexpr int kReader = 1;  // whoever reads it runs
  return text.ok() && RunnableOf(*text) - kReader > ::sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace kernelsmith::worker
