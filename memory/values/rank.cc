#include "memory/values/rank.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kernelsmith::memory {
namespace {

int BucketOf(v1::Label label) {
  switch (label) {
    case v1::EFFECTIVE:
      return 0;
    case v1::PARTIAL:
      return 1;
    case v1::INEFFECTIVE:
      return 2;
    case v1::NEGATIVE:
      return 3;
    default:
      return 4;
  }
}

}  // namespace

double UtilityRank(double s, double u, double gamma) { return s * (1.0 + gamma * u); }

double CombinedRank(double s, double u, double d, double gamma) {
  return UtilityRank(s, u, gamma) * (1.0 + 0.1 * std::tanh(std::log(std::max(d, 0.01))));
}

int RelevanceBand(double s, double best_s) {
  if (best_s <= 0 || s >= best_s * (2.0 / 3.0)) return 0;
  return s >= best_s * (1.0 / 3.0) ? 1 : 2;
}

bool LeadsByLabel(const LabelPosition& a, const LabelPosition& b) {
  return std::make_tuple(BucketOf(a.label), a.band, -a.discounted) <
         std::make_tuple(BucketOf(b.label), b.band, -b.discounted);
}

}  // namespace kernelsmith::memory
