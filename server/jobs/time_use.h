// Where the wall time of a job went: lengths of unions of intervals, by kind.
//
//   UnionSeconds({{0, 2'000'000}, {1'000'000, 3'000'000}});   // 3.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// Unix microseconds, half open. An interval that ends before it begins is empty.
struct Interval {
  int64_t begin_us = 0;
  int64_t end_us = 0;
};

// Seconds covered by at least one interval.
double UnionSeconds(std::vector<Interval> intervals);

// Seconds covered by both sets.
double UnionSecondsWithin(const std::vector<Interval>& intervals, const std::vector<Interval>& windows);

// Accounts for a job that ends at `ended_us`, from its events in order. The wall is what lies between the first
// RoundStarted and an end, and between an extension and the next end. Kinds: proposer (Proposed, ModelCallEnded),
// compile and screen, reference, verify, time, wait_lock and wait_card (both are lock_wait_s). Other kinds count as
// covered only.
v1::TimeUse AccountTime(const std::vector<v1::JobEvent>& events, int64_t ended_us);

}  // namespace kernelsmith::server
