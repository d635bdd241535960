#include "memory/graph/learned_values.h"

#include <algorithm>

#include "memory/values/q_value.h"
#include "memory/values/utility.h"

namespace kernelsmith::memory {

UtilityStep TickUtility(LearnedValues& values, double xi, double eta_min, bool as_resident) {
  ++(as_resident ? values.n_resident : values.n_retrieved);
  UtilityStep step{
      .xi = xi, .eta = LearningRate(int64_t{values.n_retrieved} + values.n_resident, eta_min), .u_before = values.u};
  values.u = UpdatedUtility(values.u, xi, step.eta);
  step.u_after = values.u;
  return step;
}

void CountAdoption(LearnedValues& values, uint32_t operator_name) {
  ++values.n_adopted;
  const bool known = std::find(values.adopters.begin(), values.adopters.end(), operator_name) != values.adopters.end();
  if (!known) values.adopters.push_back(operator_name);
}

void LearnReward(StageQ& q, double reward, double alpha, double q0) {
  q.q = UpdatedQ(q.count == 0 ? q0 : q.q, reward, alpha);
  ++q.count;
}

void LearnReward(LearnedValues& values, v1::Stage stage, double reward, double alpha, double q0) {
  const bool refining = stage == v1::REFINING;
  double& q = refining ? values.q_refining : values.q_drafting;
  uint32_t& count = refining ? values.n_refining : values.n_drafting;
  StageQ state{.q = q, .count = count};
  LearnReward(state, reward, alpha, q0);
  q = state.q;
  count = state.count;
}

}  // namespace kernelsmith::memory
