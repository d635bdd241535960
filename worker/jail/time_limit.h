// How long a program in a jail may take on a machine that may be busy with others.
//
// A program that is waited for is looked at twice a second. When it is ready to go on, and the machine has more to run
// than processors, the time since the last look counts only as far as the program got processor time in it; else it
// counts in full. So a program that sleeps or has the machine to itself has its limit and no more, and a busy host
// makes it slower, not worse. Twenty times the limit end the wait in any case. Time in which this process itself stood
// still (the host was suspended, the worker was stopped) does not count.
//
// Example:
//   TimeLimit limit(absl::Seconds(60));
//   const bool answered = AwaitWithin(limit, *jail, [&](absl::Time until) { return connection.PollUntil(until); });
//   if (!answered && limit.starved()) ...        // nobody's fault but the host's
#pragma once

#include <algorithm>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kernelsmith::worker {

class JailedProcess;

// What the processes of a jail got of the machine, at one moment.
struct ProcessorUse {
  absl::Duration used;   // processor time since their start
  bool ready = false;    // one of their threads runs or is ready to
  bool crowded = false;  // the machine has more to run than processors
};

// Knows no clock. For one program; a second one may follow it under the same limit.
class TimeLimit {
 public:
  static constexpr int kStretch = 20;  // at most this many times the limit

  explicit TimeLimit(absl::Duration limit) : limit_(std::max(limit, absl::ZeroDuration())) {}

  // A wait begins. `used` is what the program used before; it counts the first time only.
  void Enter(absl::Time now, absl::Duration used);
  bool entered() const { return entered_; }
  // Look again after this time at the latest.
  absl::Duration Slice() const;
  // True while the program may go on. Called after every slice.
  bool Look(absl::Time now, const ProcessorUse& use);
  // The wait is over; what passed since the last look counts in full.
  void Leave(absl::Time now) { counted_ += Step(now); }

  absl::Duration limit() const { return limit_; }
  absl::Duration elapsed() const { return elapsed_; }
  // The part of it that counts.
  absl::Duration counted() const { return counted_; }
  absl::Duration left() const { return std::max(limit_ - counted_, absl::ZeroDuration()); }
  // Most that can be left.
  absl::Duration longest_left() const { return std::max(kStretch * limit_ - elapsed_, absl::ZeroDuration()); }
  // Processor time at the last look.
  absl::Duration used() const { return used_; }
  // The wait ended though the program was ready and did not get its limit in processor time.
  bool starved() const { return starved_; }

 private:
  absl::Duration Step(absl::Time now);

  absl::Duration limit_;
  bool entered_ = false;
  bool starved_ = false;
  absl::Time last_;
  absl::Duration elapsed_;
  absl::Duration counted_;
  absl::Duration used_before_;
  absl::Duration used_;
};

// Calls done(until) again and again until it returns true, or the limit is over (false). done waits at most until that
// time.
bool AwaitWithin(TimeLimit& limit, JailedProcess& jail, absl::FunctionRef<bool(absl::Time)> done);

// "got 1.2s of processor time in 300s; the host is overloaded": the end of a sentence.
std::string StarvedText(const TimeLimit& limit);

// From /proc/stat: more is ready to run than there are processors. False if it cannot be told.
bool MachineIsCrowded();
// How many tasks run or are ready to, by the text of /proc/stat; 0 if it does not say. Pure.
int RunnableOf(absl::string_view proc_stat);

}  // namespace kernelsmith::worker
