// How a policy orders the pool. The pool is chosen by relevance alone; these rules only re-order it.
//
//   UtilityRank(0.7, 0.5, 0.3);               // 0.805
//   LeadsByLabel({v1::EFFECTIVE, 0, 0.8}, {v1::EFFECTIVE, 0, 0.72});  // true
#pragma once

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// s*(1 + gamma*u), SAGE. s >= 0 is the relevance, u the utility.
double UtilityRank(double s, double u, double gamma);

// s*(1 + gamma*u)*(1 + 0.1*tanh(ln(max(d, 0.01)))): utility and downstream score together. Pass d = 1 where there is
// none.
double CombinedRank(double s, double u, double d, double gamma);

// Position of an item in KOPE's order.
struct LabelPosition {
  v1::Label label = v1::LABEL_UNSPECIFIED;
  int band = 0;           // RelevanceBand
  double discounted = 0;  // d*c: downstream score times confidence
};

// 0, 1 or 2: which third of the best relevance of the pool `s` falls into. 0 is the most relevant.
int RelevanceBand(double s, double best_s);

// True if `a` stands strictly before `b`: by label bucket (effective, partial, ineffective, negative, unlabelled), then
// by relevance band, then by d*c.
bool LeadsByLabel(const LabelPosition& a, const LabelPosition& b);

}  // namespace kernelsmith::memory
