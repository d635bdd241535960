#include "memory/service/experience.h"

#include <map>

#include "common/status.h"

namespace kernelsmith::memory {
namespace {

// Fingerprints of all teams in the order of their names.
std::string Joined(const std::map<std::string, std::string>& by_team) {
  std::string out;
  for (const auto& [team, fingerprint] : by_team) out += fingerprint;
  return out;
}

}  // namespace

Experience::Experience(std::unique_ptr<FactStore> store, const common::Clock& clock, MemoryMetrics& metrics)
    : store_(std::move(store)),
      clock_(clock),
      metrics_(metrics),
      queue_(*store_, [this](const Fact& fact) { Fold(fact); }) {}

absl::StatusOr<std::unique_ptr<Experience>> Experience::Open(const std::string& folder, const common::Clock& clock,
                                                             MemoryMetrics& metrics) {
  ASSIGN_OR_RETURN(std::unique_ptr<FactStore> store, FactStore::Open(folder));
  auto experience = std::unique_ptr<Experience>(new Experience(std::move(store), clock, metrics));
  RETURN_IF_ERROR(experience->store_->Scan(0, [&](const Fact& fact) {
    experience->Fold(fact);
    return absl::OkStatus();
  }));
  metrics.SetStoreBytes(experience->store_->TotalBytes());
  return experience;
}

void Experience::Fold(const Fact& fact) {
  TeamMemory& team = FindOrAddTeam(fact.team());
  GraphCounts before;
  GraphCounts after;
  int new_items = 0;
  {
    WriterLock lock(team.mutex);
    before = team.graph.counts();
    new_items = -team.graph.item_count();
    team.Apply(fact);
    new_items += team.graph.item_count();
    after = team.graph.counts();
  }
  metrics_.CountFolded(before, after, new_items);
}

TeamMemory* Experience::FindTeam(const std::string& team) const {
  ReaderLock lock(teams_mutex_);
  const auto entry = teams_.find(team);
  return entry == teams_.end() ? nullptr : entry->second.get();
}

TeamMemory& Experience::FindOrAddTeam(const std::string& team) {
  if (TeamMemory* found = FindTeam(team)) return *found;
  WriterLock lock(teams_mutex_);
  std::unique_ptr<TeamMemory>& entry = teams_[team];
  if (entry == nullptr) entry = std::make_unique<TeamMemory>(team);
  return *entry;
}

Fact Experience::NewFact(const std::string& team, std::string key, std::string content_sha256) const {
  Fact fact;
  fact.set_team(team);
  fact.set_idempotency_key(std::move(key));
  fact.set_content_sha256(std::move(content_sha256));
  fact.set_at_unix_us(clock_.UnixMicros());
  return fact;
}

absl::StatusOr<AppendResult> Experience::Commit(Fact fact) {
  AppendResult result = queue_.Commit(std::move(fact));
  if (!result.status.ok()) return result.status;
  metrics_.SetStoreBytes(store_->TotalBytes());
  return result;
}

std::string Experience::Fingerprint() const {
  std::map<std::string, std::string> by_team;
  ReaderLock lock(teams_mutex_);
  for (const auto& [name, team] : teams_) {
    ReaderLock team_lock(team->mutex);
    by_team[name] = team->Fingerprint();
  }
  return Joined(by_team);
}

absl::StatusOr<std::string> Experience::RefoldedFingerprint() const {
  std::map<std::string, std::unique_ptr<TeamMemory>> fresh;
  RETURN_IF_ERROR(store_->Scan(0, [&](const Fact& fact) {
    std::unique_ptr<TeamMemory>& team = fresh[fact.team()];
    if (team == nullptr) team = std::make_unique<TeamMemory>(fact.team());
    WriterLock lock(team->mutex);
    team->Apply(fact);
    return absl::OkStatus();
  }));
  std::map<std::string, std::string> by_team;
  for (const auto& [name, team] : fresh) {
    ReaderLock lock(team->mutex);
    by_team[name] = team->Fingerprint();
  }
  return Joined(by_team);
}

}  // namespace kernelsmith::memory
