// The memories of all teams, and the fold of the log into them. Items that teams have promoted are of the pseudo-team
// "shared" (kSharedTeam), whose values fold what every team did with them.
//
//   TeamRegistry teams;
//   teams.IndexIn(folder, embedder->id(), embedder->dimensions());
//   RETURN_IF_ERROR(teams.Fold(fact).status());
//   if (TeamMemory* memory = teams.Find("local")) ...
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "common/mutex.h"
#include "memory/graph/shared_mutex.h"
#include "memory/log/fact_store.h"
#include "memory/service/team_memory.h"

namespace kernelsmith::memory {

class TeamRegistry {
 public:
  // Gives every team a search index in a folder of `index_folder`; without it there are none, as in a fold for
  // comparison. `embedder_id` empty: words alone. REQUIRES: before the first fact.
  void IndexIn(std::string index_folder, std::string embedder_id, int dimensions) {
    index_folder_ = std::move(index_folder);
    embedder_id_ = std::move(embedder_id);
    dimensions_ = dimensions;
  }

  // Forgets all teams. REQUIRES: nobody holds one.
  void Clear() {
    const WriterLock lock(mutex_);
    teams_.clear();
  }

  // Null if the team has no facts yet. Thread-safe; a team once added stays where it is.
  TeamMemory* Find(const std::string& team) const;
  // Errors of opening the index.
  absl::StatusOr<TeamMemory*> FindOrAdd(const std::string& team);
  std::vector<std::pair<std::string, TeamMemory*>> All() const;

  struct Change {
    GraphCounts before;
    GraphCounts after;
    int items = 0;  // of the team, now
    int new_items = 0;
  };
  // Folds one fact into its team's state, and into that of "shared" what it does there. REQUIRES: one thread at a time,
  // in sequence order.
  absl::StatusOr<Change> Fold(const Fact& fact);

  // The states of all teams in one moment, as SHA-256 by team, and how far each had come.
  struct Snapshot {
    std::map<std::string, std::string> fingerprints;
    std::map<std::string, uint64_t> last_sequences;
    uint64_t facts = 0;
  };
  Snapshot TakeSnapshot() const;
  std::map<std::string, std::string> Fingerprints() const { return TakeSnapshot().fingerprints; }
  // The first lines, at most `limit`, that only one of both has; each says which.
  static std::vector<std::string> Differences(const TeamRegistry& served, const TeamRegistry& refolded,
                                              const std::string& team, size_t limit);

 private:
  std::string index_folder_;
  std::string embedder_id_;
  int dimensions_ = 0;
  mutable SharedMutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<TeamMemory>> teams_ ABSL_GUARDED_BY(mutex_);
  mutable common::Mutex folding_;  // held while a fact spreads over graphs
};

}  // namespace kernelsmith::memory
