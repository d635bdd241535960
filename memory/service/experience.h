// The experience memory as a library: the fact log, every team's folded state, and the eight calls of ExperienceMemory.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Experience> memory, Experience::Open(folder, clock, metrics));
//   ASSIGN_OR_RETURN(v1::RecordAttemptResponse recorded, memory->RecordAttempt("local", request));
//
// Every call acts for `team`, which comes from the caller's identity. What belongs to another team is NOT_FOUND. All
// calls are thread-safe; a write has returned only when its fact is on disk and folded. No lock is held while reading
// or writing disk.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/context/token_counter.h"
#include "memory/log/commit_queue.h"
#include "memory/log/fact_store.h"
#include "memory/retrieval/retriever.h"
#include "memory/service/memory_metrics.h"
#include "memory/service/team_memory.h"

namespace kernelsmith::memory {

class Experience {
 public:
  // Opens the log in `folder` and folds it. `clock` and `metrics` must outlive the object. Errors as of
  // FactStore::Open.
  static absl::StatusOr<std::unique_ptr<Experience>> Open(const std::string& folder, const common::Clock& clock,
                                                          MemoryMetrics& metrics);

  absl::StatusOr<v1::RecordAttemptResponse> RecordAttempt(const std::string& team,
                                                          const v1::RecordAttemptRequest& request);
  absl::StatusOr<v1::RecordAdoptionResponse> RecordAdoption(const std::string& team,
                                                            const v1::RecordAdoptionRequest& request);
  absl::StatusOr<v1::CompleteStageResponse> CompleteStage(const std::string& team,
                                                          const v1::CompleteStageRequest& request);
  absl::StatusOr<v1::RetrieveResponse> Retrieve(const std::string& team, const v1::RetrieveRequest& request) const;
  absl::StatusOr<v1::AssembleContextResponse> AssembleContext(const std::string& team,
                                                              const v1::AssembleContextRequest& request);
  absl::StatusOr<v1::GetItemResponse> GetItem(const std::string& team, const v1::GetItemRequest& request) const;
  absl::StatusOr<v1::LineageResponse> Lineage(const std::string& team, const v1::LineageRequest& request) const;
  absl::StatusOr<v1::StatsResponse> Stats(const std::string& team, const v1::StatsRequest& request) const;

  // The folded state of every team as text, and the same of a fold of the log from its beginning. They are equal unless
  // the state or the log is damaged. REQUIRES for the comparison: no writer is active.
  std::string Fingerprint() const;
  absl::StatusOr<std::string> RefoldedFingerprint() const;

 private:
  using Teams = std::unordered_map<std::string, std::unique_ptr<TeamMemory>>;

  // A retrieved item with its text and values, read outside the team's lock.
  struct FullItem {
    v1::RankedItem ranked;
    bool failure = false;
    bool other_target = false;
    std::string family;
  };
  struct FullRetrieval {
    std::vector<FullItem> items;
    int64_t candidates = 0;
  };

  Experience(std::unique_ptr<FactStore> store, const common::Clock& clock, MemoryMetrics& metrics);

  // Folds a fact into its team's state.
  void Fold(const Fact& fact);
  // Null if the team has no facts yet.
  TeamMemory* FindTeam(const std::string& team) const;
  TeamMemory& FindOrAddTeam(const std::string& team);

  // A fact without content: team, key, hash and time are set.
  Fact NewFact(const std::string& team, std::string key, std::string content_sha256) const;
  // Commits and turns refusals into errors.
  absl::StatusOr<AppendResult> Commit(Fact fact);

  absl::StatusOr<FullRetrieval> ReadRetrieval(const std::string& team, const RetrievalQuery& query) const;
  absl::StatusOr<v1::AssembleContextResponse> StoredContext(const std::string& team, uint64_t sequence) const;

  const std::unique_ptr<FactStore> store_;
  const common::Clock& clock_;
  MemoryMetrics& metrics_;
  const ConservativeTokenCounter token_counter_;
  CommitQueue queue_;
  mutable SharedMutex teams_mutex_;
  Teams teams_ ABSL_GUARDED_BY(teams_mutex_);  // a team once added stays where it is
};

}  // namespace kernelsmith::memory
