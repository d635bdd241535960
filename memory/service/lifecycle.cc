// RecordItem, and what happens to items later: Supersede, Retire, Promote, Revoke.
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/graph/item_ids.h"
#include "memory/service/content_hash.h"
#include "memory/service/experience.h"
#include "memory/service/validation.h"

namespace kernelsmith::memory {
namespace {

absl::Status UnknownItem(absl::string_view id) { return absl::NotFoundError(absl::StrCat("no item '", id, "'")); }

}  // namespace

absl::StatusOr<v1::RecordItemResponse> Experience::RecordItem(const std::string& team,
                                                              const v1::RecordItemRequest& request) {
  RETURN_IF_ERROR(CheckItem(request));
  v1::RecordItemResponse response;
  response.set_item_id(ContentItemId(team, request.producer(), request.item_key()));
  // Documents and templates are told apart by their keys alone: a small correction is another text.
  const bool by_key = request.content().kind() == v1::DOCUMENT || request.content().kind() == v1::API_TEMPLATE;
  std::optional<ItemAdmission::Turn> turn;  // of two that come at once, the second looks once the first is recorded
  if (!by_key) {
    const std::string signature = ContentSignature(request.content());
    turn.emplace(admission_, team, signature);
    if (const TeamMemory* memory = teams_.Find(team)) {
      const ReaderLock lock(memory->mutex);
      // A known key is a repeat or a conflict, which the log tells apart.
      const bool known = memory->graph.FindItem(response.item_id()) >= 0;
      const int twin = known ? -1 : memory->graph.FindNearDuplicate(request, signature);
      if (twin >= 0) {
        near_duplicates_.fetch_add(1, std::memory_order_relaxed);
        response.set_item_id(memory->graph.IdOf(twin));
        response.set_near_duplicate_of(response.item_id());
        response.set_sequence(memory->graph.facets(twin).sequence);
        return response;
      }
    }
  }
  Fact fact = NewFact(team, FactKeyOf("item", request.producer(), request.item_key()), ContentHash(request));
  *fact.mutable_item() = request;
  fact.mutable_item()->mutable_author()->set_team(team);
  if (request.recorded_at_unix_us() == 0) fact.mutable_item()->set_recorded_at_unix_us(fact.at_unix_us());
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));
  response.set_sequence(result.sequence);
  response.set_duplicate(result.duplicate);
  return response;
}

absl::StatusOr<int> Experience::FindOwnItem(const std::string& team, const std::string& item_id) const {
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return UnknownItem(item_id);
  const ReaderLock lock(memory->mutex);
  const int item = memory->graph.FindItem(item_id);
  if (item < 0) return UnknownItem(item_id);
  return item;
}

absl::StatusOr<v1::LifecycleResponse> Experience::CommitLifecycle(Fact fact) {
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));
  v1::LifecycleResponse response;
  response.set_sequence(result.sequence);
  response.set_duplicate(result.duplicate);
  return response;
}

absl::StatusOr<v1::LifecycleResponse> Experience::Supersede(const std::string& team,
                                                            const v1::SupersedeRequest& request) {
  RETURN_IF_ERROR(CheckSupersede(request));
  RETURN_IF_ERROR(FindOwnItem(team, request.old_item_id()).status());
  ASSIGN_OR_RETURN(const int newer, FindOwnItem(team, request.new_item_id()));
  {
    const TeamMemory* memory = teams_.Find(team);
    const ReaderLock lock(memory->mutex);
    if (memory->graph.IsOut(newer)) {
      return common::BadState("ITEM", absl::StrCat("item '", request.new_item_id(), "'"),
                              "is retired or superseded itself; name the one that counts now");
    }
  }
  Fact fact = NewFact(team, FactKeyOf("supersede", request.old_item_id()), ContentHash(request));
  *fact.mutable_lifecycle()->mutable_supersede() = request;
  return CommitLifecycle(std::move(fact));
}

absl::StatusOr<v1::LifecycleResponse> Experience::Retire(const std::string& team, const v1::RetireRequest& request) {
  RETURN_IF_ERROR(CheckRetire(request));
  RETURN_IF_ERROR(FindOwnItem(team, request.item_id()).status());
  Fact fact = NewFact(team, FactKeyOf("retire", request.item_id()), ContentHash(request));
  *fact.mutable_lifecycle()->mutable_retire() = request;
  return CommitLifecycle(std::move(fact));
}

absl::StatusOr<v1::PromoteResponse> Experience::Promote(const std::string& team, const v1::PromoteRequest& request) {
  RETURN_IF_ERROR(CheckPromote(request));
  ASSIGN_OR_RETURN(const int item, FindOwnItem(team, request.item_id()));
  const TeamMemory* memory = teams_.Find(team);
  const ItemState state = StateOf(*memory, item);
  if (state.item.scope() == v1::PRIVATE) {
    return common::BadState("ITEM", absl::StrCat("item '", request.item_id(), "'"),
                            "is private to its producer; record it for the team first");
  }
  if (state.item.lifecycle().retired() || !state.item.lifecycle().superseded_by().empty()) {
    return common::BadState("ITEM", absl::StrCat("item '", request.item_id(), "'"), "is retired or superseded");
  }
  v1::PromoteResponse response;
  response.set_shared_item_id(SharedItemId(team, request.item_id()));
  if (const TeamMemory* shared = teams_.Find(kSharedTeam)) {
    const ReaderLock lock(shared->mutex);
    const int there = shared->graph.FindItem(response.shared_item_id());
    if (there >= 0 && shared->graph.ProvenanceOf(there).revoked()) {
      return common::BadState("ITEM", absl::StrCat("item '", request.item_id(), "'"),
                              "was promoted and revoked before; record it anew to share it again");
    }
  }
  ASSIGN_OR_RETURN(const Fact source, store_->Read(team, state.sequence));
  Fact fact = NewFact(kSharedTeam, FactKeyOf("promote", response.shared_item_id()), ContentHash(request));
  storage::v1::SharedItemFact& shared = *fact.mutable_shared_item();
  shared.set_shared_item_id(response.shared_item_id());
  shared.set_kind(state.item.kind());
  *shared.mutable_values() = state.item.values();
  if (source.has_item()) {
    *shared.mutable_item() = source.item();
  } else {
    *shared.mutable_attempt() = source.attempt();
  }
  v1::Provenance& provenance = *shared.mutable_provenance();
  provenance.set_team(team);
  provenance.set_item_id(request.item_id());
  *provenance.mutable_readers() = request.teams();
  provenance.set_reason(request.reason());
  ASSIGN_OR_RETURN(const AppendResult result, Commit(std::move(fact)));
  response.set_sequence(result.sequence);
  response.set_duplicate(result.duplicate);
  return response;
}

absl::StatusOr<v1::LifecycleResponse> Experience::Revoke(const std::string& team, const v1::RevokeRequest& request) {
  RETURN_IF_ERROR(CheckRevoke(request));
  const TeamMemory* shared = teams_.Find(kSharedTeam);
  if (shared == nullptr) return UnknownItem(request.shared_item_id());
  {
    const ReaderLock lock(shared->mutex);
    const int item = shared->graph.FindItem(request.shared_item_id());
    if (item < 0 || shared->graph.ProvenanceOf(item).team() != team) return UnknownItem(request.shared_item_id());
  }
  Fact fact = NewFact(kSharedTeam, FactKeyOf("revoke", request.shared_item_id()), ContentHash(request));
  *fact.mutable_lifecycle()->mutable_revoke() = request;
  return CommitLifecycle(std::move(fact));
}

}  // namespace kernelsmith::memory
