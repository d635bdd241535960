#include "server/scheduling/fair_share.h"

#include <algorithm>

namespace kernelsmith::server {

double FairShare::WeightOf(const std::string& team) const {
  const auto found = weights_.find(team);
  return found == weights_.end() || found->second <= 0 ? 1.0 : found->second;
}

void FairShare::Activate(const std::string& team) {
  Account& account = accounts_[team];
  if (account.active) return;
  std::optional<double> behind;  // virtual time of the active team that is furthest behind
  for (const auto& [name, other] : accounts_) {
    if (other.active) behind = std::min(behind.value_or(other.virtual_time), other.virtual_time);
  }
  account.active = true;
  if (behind) account.virtual_time = std::max(account.virtual_time, *behind);
}

void FairShare::Deactivate(const std::string& team) { accounts_[team].active = false; }

void FairShare::Charge(const std::string& team, double seconds) {
  accounts_[team].virtual_time += seconds / WeightOf(team);
}

std::optional<std::string> FairShare::Next(const std::vector<std::string>& teams) const {
  const auto order = [this](const std::string& a, const std::string& b) {
    return std::make_pair(VirtualTime(a), a) < std::make_pair(VirtualTime(b), b);
  };
  const auto next = std::min_element(teams.begin(), teams.end(), order);
  if (next == teams.end()) return std::nullopt;
  return *next;
}

double FairShare::VirtualTime(const std::string& team) const {
  const auto found = accounts_.find(team);
  return found == accounts_.end() ? 0 : found->second.virtual_time;
}

}  // namespace kernelsmith::server
