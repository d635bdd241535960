// RecordAttempt, RecordAdoption and CompleteStage.
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/logging.h"
#include "common/status.h"
#include "memory/graph/item_ids.h"
#include "memory/service/content_hash.h"
#include "memory/service/experience.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {
namespace {

absl::Status UnknownRetrieval(absl::string_view id) {
  return absl::NotFoundError(absl::StrCat("no retrieval '", id, "'; AssembleContext makes them"));
}

}  // namespace

absl::Status Experience::CheckPredecessor(const std::string& team, const v1::RecordAttemptRequest& request) const {
  const std::string& prev = request.prev_attempt_id();
  if (prev.empty() || KnowsAttempt(team, request.producer(), prev)) return absl::OkStatus();
  return common::BadState("ATTEMPT", absl::StrCat("prev_attempt_id '", prev, "'"),
                          "is not recorded; record the predecessor first");
}

absl::StatusOr<v1::RecordAttemptResponse> Experience::RecordAttempt(const std::string& team,
                                                                    const v1::RecordAttemptRequest& request) {
  RETURN_IF_ERROR(CheckAttempt(request));
  RETURN_IF_ERROR(CheckPredecessor(team, request));
  return StoreAttempt(team, request);
}

void Experience::StartRecordAttempt(const std::string& team, const v1::RecordAttemptRequest& request,
                                    std::function<void(absl::StatusOr<v1::RecordAttemptResponse>)> done) {
  absl::Status status = CheckAttempt(request);
  if (status.ok()) status = CheckPredecessor(team, request);
  if (!status.ok()) return done(status);
  StartCommit(AttemptFact(team, request), [this, team, producer = request.producer(), id = request.attempt_id(),
                                           done = std::move(done)](absl::StatusOr<AppendResult> result) {
    if (!result.ok()) return done(result.status());
    done(AttemptResponse(team, producer, id, *result));
  });
}

bool Experience::KnowsAttempt(const std::string& team, const std::string& producer,
                              const std::string& attempt_id) const {
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return false;
  const ReaderLock lock(memory->mutex);
  return memory->graph.forest().Find(producer, attempt_id) != AttemptForest::kNone;
}

Fact Experience::AttemptFact(const std::string& team, const v1::RecordAttemptRequest& request) const {
  Fact fact = NewFact(team, FactKeyOf("attempt", request.producer(), request.attempt_id()), ContentHash(request));
  *fact.mutable_attempt() = request;
  fact.mutable_attempt()->mutable_author()->set_team(team);
  if (request.recorded_at_unix_us() == 0) fact.mutable_attempt()->set_recorded_at_unix_us(fact.at_unix_us());
  return fact;
}

v1::RecordAttemptResponse Experience::AttemptResponse(const std::string& team, const std::string& producer,
                                                      const std::string& attempt_id, const AppendResult& result) const {
  v1::RecordAttemptResponse response;
  response.set_case_item_id(CaseItemId(team, producer, attempt_id));
  const std::string journal = JournalItemId(team, producer, attempt_id);
  if (FindOwnItem(team, journal).ok()) response.set_journal_item_id(journal);
  response.set_sequence(result.sequence);
  response.set_duplicate(result.duplicate);
  return response;
}

absl::StatusOr<v1::RecordAttemptResponse> Experience::StoreAttempt(const std::string& team,
                                                                   const v1::RecordAttemptRequest& request) {
  ASSIGN_OR_RETURN(const AppendResult result, Commit(AttemptFact(team, request)));
  return AttemptResponse(team, request.producer(), request.attempt_id(), result);
}

absl::StatusOr<v1::RecordAdoptionResponse> Experience::RecordAdoption(const std::string& team,
                                                                      const v1::RecordAdoptionRequest& request) {
  RETURN_IF_ERROR(CheckAdoption(request));
  std::set<std::string> missing;
  {
    TeamMemory* memory = teams_.Find(team);
    if (memory == nullptr) return UnknownRetrieval(request.retrieval_id());
    ReaderLock lock(memory->mutex);
    const RetrievalRecord* retrieval = memory->graph.FindRetrieval(request.retrieval_id());
    if (retrieval == nullptr) return UnknownRetrieval(request.retrieval_id());
    for (const HeldItem& held : retrieval->items) missing.insert(memory->graph.IdOfRef(held.item));
  }
  for (int i = 0; i < request.records_size(); ++i) {
    if (missing.erase(request.records(i).item_id()) == 0) {
      return common::InvalidField(
          absl::StrCat("records[", i, "].item_id"),
          absl::StrCat("is ", request.records(i).item_id(), ", which this retrieval did not include"));
    }
  }
  if (!missing.empty()) {
    return common::InvalidField("records", absl::StrCat("lacks ", absl::StrJoin(missing, ", "),
                                                        "; state ADOPTED or NOT_ADOPTED for every included item"));
  }
  Fact fact = NewFact(team, FactKeyOf("adoption", request.retrieval_id()), ContentHash(request));
  *fact.mutable_adoption() = request;
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));
  v1::RecordAdoptionResponse response;
  response.set_sequence(result.sequence);
  response.set_duplicate(result.duplicate);
  return response;
}

void Experience::RetireJunk(const std::string& team, const v1::CompleteStageRequest& stage) {
  std::vector<std::string> junk;
  {
    const TeamMemory* memory = teams_.Find(team);
    const ReaderLock lock(memory->mutex);
    const StageRecord* record = memory->graph.FindStage(stage.producer(), stage.stage_id());
    for (const UtilityStep& step : record == nullptr ? std::vector<UtilityStep>() : record->changes) {
      const LearnedValues* values = step.item >= 0 ? memory->graph.learned(step.item) : nullptr;
      if (values == nullptr || values->n_adopted > 0 || values->n_retrieved < junk_after()) continue;
      if (memory->graph.IsOut(step.item) || memory->graph.Vouches(step.item)) continue;
      junk.push_back(memory->graph.IdOf(step.item));
    }
  }
  for (const std::string& id : junk) {
    v1::RetireRequest request;
    request.set_item_id(id);
    request.set_reason(absl::StrCat("retention: retrieved ", junk_after(), " times and never adopted"));
    const absl::Status retired = Retire(team, request).status();
    if (!retired.ok()) common::LogWarning("memory.retention_failed", {{"item", id}, {"error", retired.ToString()}});
  }
}

absl::StatusOr<v1::CompleteStageResponse> Experience::CompleteStage(const std::string& team,
                                                                    const v1::CompleteStageRequest& request) {
  RETURN_IF_ERROR(CheckStage(request));
  TeamMemory* memory = teams_.Find(team);
  if (memory != nullptr) {
    ReaderLock lock(memory->mutex);
    // A stage that is known already needs no checks: it is a repeat or a conflict.
    const bool known = memory->graph.FindStage(request.producer(), request.stage_id()) != nullptr;
    for (int i = 0; !known && i < request.retrieval_ids_size(); ++i) {
      const std::string& id = request.retrieval_ids(i);
      const RetrievalRecord* retrieval = memory->graph.FindRetrieval(id);
      if (retrieval == nullptr) return UnknownRetrieval(id);
      if (!retrieval->items.empty() && !retrieval->has_adoption) {
        return common::BadState("RETRIEVAL", absl::StrCat("retrieval '", id, "'"),
                                "has no adoption record; call RecordAdoption for it before the stage ends");
      }
      if (retrieval->scored) {
        return common::BadState("RETRIEVAL", absl::StrCat("retrieval '", id, "'"),
                                "was counted by another stage; a retrieval belongs to one stage");
      }
    }
  } else if (request.retrieval_ids_size() > 0) {
    return UnknownRetrieval(request.retrieval_ids(0));
  }
  Fact fact = NewFact(team, FactKeyOf("stage", request.producer(), request.stage_id()), ContentHash(request));
  *fact.mutable_stage() = request;
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));

  v1::CompleteStageResponse response;
  response.set_sequence(result.sequence);
  response.set_duplicate(result.duplicate);
  if (!result.duplicate && config_.retire_junk()) RetireJunk(team, request);
  if (distiller_ != nullptr) distiller_->Wake(team);
  TeamMemory* folded = teams_.Find(team);
  ReaderLock lock(folded->mutex);
  if (const StageRecord* stage = folded->graph.FindStage(request.producer(), request.stage_id())) {
    response.set_z(stage->z);
    const std::vector<v1::UtilityChange> changes = folded->graph.ChangesOf(*stage);
    response.mutable_changes()->Assign(changes.begin(), changes.end());
  }
  return response;
}

}  // namespace kernelsmith::memory
