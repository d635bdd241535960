// The experience memory as a library: the fact log, every team's folded state and search index, and the calls of
// ExperienceMemory.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Experience> memory, Experience::Open(config, clock, metrics));
//   ASSIGN_OR_RETURN(v1::RecordAttemptResponse recorded, memory->RecordAttempt("local", request));
//
// Every call acts for `team`, which comes from the caller's identity. What belongs to another team is NOT_FOUND, unless
// that team shares it. All calls are thread-safe; a write has returned only when its fact is on disk and folded, and is
// searchable a moment later (retrievals wait for it). No lock is held while reading or writing disk.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/model/text_model.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/context/assembly.h"
#include "memory/context/token_counter.h"
#include "memory/embedding/embedder.h"
#include "memory/exchange/import_session.h"
#include "memory/log/commit_queue.h"
#include "memory/log/embedding_store.h"
#include "memory/log/fact_store.h"
#include "memory/retrieval/search/index_keeper.h"
#include "memory/service/item_admission.h"
#include "memory/service/memory_metrics.h"
#include "memory/service/retrieval.h"
#include "memory/service/rule_distiller.h"
#include "memory/service/team_registry.h"

namespace kernelsmith::memory {

class Experience {
 public:
  // Opens the log in config.data_dir and folds it. `clock` and `metrics` must outlive the object. Errors as of
  // FactStore::Open; INVALID_ARGUMENT names a field of the configuration.
  static absl::StatusOr<std::unique_ptr<Experience>> Open(const config::v1::MemoryConfig& config,
                                                          const common::Clock& clock, MemoryMetrics& metrics);
  // With the embedded defaults.
  static absl::StatusOr<std::unique_ptr<Experience>> Open(const std::string& folder, const common::Clock& clock,
                                                          MemoryMetrics& metrics);

  // record.cc
  absl::StatusOr<v1::RecordAttemptResponse> RecordAttempt(const std::string& team,
                                                          const v1::RecordAttemptRequest& request);
  // The same for a caller who does not wait: `done` is called once, here or from a thread that must not be held up.
  void StartRecordAttempt(const std::string& team, const v1::RecordAttemptRequest& request,
                          std::function<void(absl::StatusOr<v1::RecordAttemptResponse>)> done);
  // record_many.cc
  // Each attempt with its own outcome; INVALID_ARGUMENT unless there are 1 to 1000. `request` stays until `done`.
  void StartRecordAttempts(const std::string& team, const v1::RecordAttemptsRequest& request,
                           std::function<void(absl::StatusOr<v1::RecordAttemptsResponse>)> done);
  // record.cc
  absl::StatusOr<v1::RecordAdoptionResponse> RecordAdoption(const std::string& team,
                                                            const v1::RecordAdoptionRequest& request);
  absl::StatusOr<v1::CompleteStageResponse> CompleteStage(const std::string& team,
                                                          const v1::CompleteStageRequest& request);
  // retrieve.cc
  absl::StatusOr<v1::RetrieveResponse> Retrieve(const std::string& team, const v1::RetrieveRequest& request);
  // context.cc
  absl::StatusOr<v1::AssembleContextResponse> AssembleContext(const std::string& team,
                                                              const v1::AssembleContextRequest& request);
  // inspect.cc
  absl::StatusOr<v1::GetItemResponse> GetItem(const std::string& team, const v1::GetItemRequest& request) const;
  absl::StatusOr<v1::LineageResponse> Lineage(const std::string& team, const v1::LineageRequest& request) const;
  absl::StatusOr<v1::StatsResponse> Stats(const std::string& team, const v1::StatsRequest& request) const;
  absl::StatusOr<v1::ListStartPointsResponse> ListStartPoints(const std::string& team,
                                                              const v1::ListStartPointsRequest& request) const;
  // consolidated.cc
  absl::StatusOr<v1::ListResidentsResponse> ListResidents(const std::string& team,
                                                          const v1::ListResidentsRequest& request) const;
  absl::StatusOr<v1::ListConflictsResponse> ListConflicts(const std::string& team,
                                                          const v1::ListConflictsRequest& request) const;
  // lifecycle.cc
  absl::StatusOr<v1::RecordItemResponse> RecordItem(const std::string& team, const v1::RecordItemRequest& request);
  absl::StatusOr<v1::LifecycleResponse> Supersede(const std::string& team, const v1::SupersedeRequest& request);
  absl::StatusOr<v1::LifecycleResponse> Retire(const std::string& team, const v1::RetireRequest& request);
  absl::StatusOr<v1::PromoteResponse> Promote(const std::string& team, const v1::PromoteRequest& request);
  absl::StatusOr<v1::LifecycleResponse> Revoke(const std::string& team, const v1::RevokeRequest& request);
  // exchange.cc
  // Calls `write` for each row; stops with its error.
  absl::Status Export(const std::string& team, const v1::ExportRequest& request,
                      const std::function<absl::Status(const v1::ExchangeRow&)>& write) const;
  // Records a row of an export. One that equals what is stored, fields that a server filled in included, is a
  // duplicate. An attempt whose predecessor is not recorded here keeps its name and counts as a root.
  absl::StatusOr<ImportSink::Stored> ImportAttempt(const std::string& team, const v1::RecordAttemptRequest& row);
  absl::StatusOr<ImportSink::Stored> ImportItem(const std::string& team, const v1::RecordItemRequest& row);
  // admin.cc
  absl::Status Verify(const std::function<absl::Status(const v1::VerifyProgress&)>& report) const;
  absl::StatusOr<v1::BackupResponse> Backup(const v1::BackupRequest& request) const;
  absl::StatusOr<v1::SealIndexResponse> SealIndex(const std::string& team, const v1::SealIndexRequest& request);

  // Hashes of the folded state by team, and the same of a fold of the log from its beginning. They are equal unless the
  // state or the log is damaged. REQUIRES for the comparison: no writer is active.
  std::map<std::string, std::string> Fingerprint() const { return teams_.Fingerprints(); }
  absl::StatusOr<std::map<std::string, std::string>> RefoldedFingerprint() const;

  // Has `model` write the texts of rules from now on, in the background; a template's text stands until it has, and
  // where it fails. REQUIRES: before the first call, and once.
  void DistilRulesWith(std::unique_ptr<common::TextModel> model);

  // The same search as Retrieve's by an exact scan: what recall is measured against.
  absl::StatusOr<v1::RetrieveResponse> RetrieveExact(const std::string& team, const v1::RetrieveRequest& request);

 private:
  // An item of a retrieval with its text, read outside of locks.
  struct FullItem {
    v1::RankedItem ranked;
    bool failure = false;
    bool other_target = false;
    std::string family;
  };
  struct FullRetrieval {
    std::vector<FullItem> items;
    int64_t candidates = 0;
    bool lexical_only = false;
    std::string lexical_only_reason;
  };

  Experience(const config::v1::MemoryConfig& config, std::unique_ptr<FactStore> store, const common::Clock& clock,
             MemoryMetrics& metrics);
  absl::Status OpenPeers();
  // At most several times a second.
  void RefreshGauges();
  absl::Status FoldHeads();
  absl::Status FoldLog();

  // Folds a fact into its team's state and has its items indexed.
  void Fold(const Fact& fact);
  absl::StatusOr<std::vector<std::string>> ReadSearchTexts(const std::string& team, uint32_t first,
                                                           uint32_t last) const;

  // A fact without content: team, key, hash and time are set.
  Fact NewFact(const std::string& team, std::string key, std::string content_sha256) const;
  absl::Status OpenTeam(const std::string& team);
  // Commits and turns refusals into errors. The team's memory is opened first, so that folding cannot fail.
  absl::StatusOr<AppendResult> Commit(Fact fact);
  void StartCommit(Fact fact, std::function<void(absl::StatusOr<AppendResult>)> done);

  // The item with its text, or an item of "shared" that the team may read. NOT_FOUND.
  absl::StatusOr<v1::Item> ReadItem(const std::string& team, const std::string& item_id,
                                    const std::string& producer) const;
  // The number of the team's own item. NOT_FOUND.
  absl::StatusOr<int> FindOwnItem(const std::string& team, const std::string& item_id) const;
  bool KnowsAttempt(const std::string& team, const std::string& producer, const std::string& attempt_id) const;
  // REQUIRES: the request is valid.
  absl::Status CheckPredecessor(const std::string& team, const v1::RecordAttemptRequest& request) const;
  Fact AttemptFact(const std::string& team, const v1::RecordAttemptRequest& request) const;
  v1::RecordAttemptResponse AttemptResponse(const std::string& team, const std::string& producer,
                                            const std::string& attempt_id, const AppendResult& result) const;
  absl::StatusOr<v1::RecordAttemptResponse> StoreAttempt(const std::string& team,
                                                         const v1::RecordAttemptRequest& request);
  // True if an export would write the item's record as `row`.
  bool IsStoredAs(const std::string& team, const std::string& item_id, const v1::ExchangeRow& row) const;
  // Items by their states, in order, each with its text.
  absl::StatusOr<std::vector<v1::Item>> ReadItems(const std::vector<ItemState>& states) const;

  absl::StatusOr<FullRetrieval> ReadRetrieval(const std::string& team, const RetrievalQuery& query) const;
  absl::StatusOr<v1::RetrieveResponse> RetrieveBy(const std::string& team, const v1::RetrieveRequest& request,
                                                  bool exact) const;
  absl::StatusOr<v1::RetrieveResponse> RecordQuestion(const std::string& team, const v1::RetrieveRequest& request,
                                                      v1::RetrieveResponse response);
  // rules.cc
  std::vector<std::string> PendingRules(const std::string& team) const;
  absl::StatusOr<std::string> AskForRule(const std::string& team, const std::string& item_id,
                                         const std::function<bool()>& cancelled) const;
  absl::Status RecordRule(const std::string& team, const std::string& item_id, const std::string& answer);
  // offers.cc
  absl::StatusOr<std::vector<OfferedItem>> OfferResidents(const TeamMemory& memory,
                                                          const v1::AssembleContextRequest& request,
                                                          const PolicyRules& rules) const;
  absl::StatusOr<std::vector<OfferedItem>> OfferStartChildren(const TeamMemory& memory,
                                                              const v1::AssembleContextRequest& request) const;
  absl::StatusOr<std::vector<OfferedItem>> OfferApiTemplates(const std::string& team,
                                                             const v1::AssembleContextRequest& request,
                                                             const RetrievalQuery& query) const;
  absl::StatusOr<v1::AssembleContextResponse> StoredContext(const std::string& team, uint64_t sequence) const;
  // The sequence of a recorded retrieval, 0 if there is none.
  uint64_t RecordedRetrieval(const std::string& team, const std::string& retrieval_id) const;
  absl::StatusOr<v1::LifecycleResponse> CommitLifecycle(Fact fact);
  // Retires what the stage has shown to be junk; never the case of a correct attempt.
  void RetireJunk(const std::string& team, const v1::CompleteStageRequest& stage);
  int64_t junk_after() const {
    return config_.junk_after_retrievals() > 0 ? config_.junk_after_retrievals() : kJunkAfterRetrievals;
  }
  static constexpr int64_t kJunkAfterRetrievals = 10;
  absl::Status VerifyIndex(const std::string& team, const TeamMemory& memory,
                           std::vector<std::string>& differences) const;

  const config::v1::MemoryConfig config_;
  const std::unique_ptr<FactStore> store_;
  const common::Clock& clock_;
  MemoryMetrics& metrics_;
  std::unique_ptr<EmbeddingStore> embeddings_;  // behind the embedder
  std::unique_ptr<Embedder> embedder_;          // null: words alone
  std::unique_ptr<TokenCounter> token_counter_;
  TeamRegistry teams_;
  std::atomic<int64_t> gauges_at_us_ = 0;
  std::atomic<int64_t> near_duplicates_ = 0;  // turned away since the start
  ItemAdmission admission_;
  CommitQueue queue_;
  std::unique_ptr<IndexKeeper> keeper_;            // stops before what it reads goes
  std::unique_ptr<common::TextModel> rule_model_;  // null: rules are the template's
  std::unique_ptr<RuleDistiller> distiller_;       // stops first
};

}  // namespace kernelsmith::memory
