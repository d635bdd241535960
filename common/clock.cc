#include "common/clock.h"

#include "absl/time/clock.h"

namespace kernelsmith::common {
namespace {

class SystemClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace

const Clock& Clock::Real() {
  static const SystemClock* const clock = new SystemClock;
  return *clock;
}

}  // namespace kernelsmith::common
