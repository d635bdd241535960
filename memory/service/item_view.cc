#include "memory/service/item_view.h"

#include <utility>

#include "memory/graph/experience_graph.h"
#include "memory/graph/item_ids.h"
#include "memory/graph/rule_text.h"
#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {
namespace {

// What the case or the journal of an attempt shows; everything but the id.
v1::Item AttemptItem(v1::RecordAttemptRequest attempt, v1::ItemKind kind) {
  v1::Item item;
  item.set_kind(kind);
  if (kind == v1::JOURNAL) {
    item.set_title(JournalTitle(attempt.case_()));
    item.set_text(JournalText(attempt.case_(), attempt.journal()));
    *item.mutable_journal() = std::move(*attempt.mutable_journal());
    item.set_trust("model");
  } else {
    item.set_title(CaseTitle(attempt.case_()));
    item.set_text(CaseText(attempt.case_()));
    *item.mutable_case_() = std::move(*attempt.mutable_case_());
    item.set_trust("measured");
  }
  item.set_attempt_id(attempt.attempt_id());
  item.set_producer(attempt.producer());
  item.set_prev_attempt_id(attempt.prev_attempt_id());
  *item.mutable_target() = std::move(*attempt.mutable_target());
  *item.mutable_author() = std::move(*attempt.mutable_author());
  item.set_recorded_at_unix_us(attempt.recorded_at_unix_us());
  item.set_scope(attempt.scope() == v1::PRIVATE ? v1::PRIVATE : v1::TEAM);
  *item.mutable_applicability() = std::move(*attempt.mutable_applicability());
  return item;
}

v1::Item ContentItem(v1::RecordItemRequest request) {
  v1::Item item;
  item.set_kind(request.content().kind());
  item.set_title(request.content().title());
  item.set_text(std::move(*request.mutable_content()->mutable_text()));
  request.mutable_content()->clear_text();
  item.set_producer(request.producer());
  *item.mutable_target() = request.target();
  *item.mutable_author() = request.author();
  item.set_recorded_at_unix_us(request.recorded_at_unix_us());
  item.set_scope(request.scope() == v1::PRIVATE ? v1::PRIVATE : v1::TEAM);
  *item.mutable_applicability() = request.content().applicability();
  item.set_trust(request.content().trust());
  *item.mutable_content() = std::move(*request.mutable_content());
  return item;
}

v1::Item SharedItem(storage::v1::SharedItemFact shared) {
  v1::Item item = shared.has_item() ? ContentItem(std::move(*shared.mutable_item()))
                                    : AttemptItem(std::move(*shared.mutable_attempt()), shared.kind());
  item.set_id(shared.shared_item_id());
  item.set_scope(v1::SHARED);
  *item.mutable_provenance() = std::move(*shared.mutable_provenance());
  return item;
}

}  // namespace

v1::Item ItemOf(Fact fact, v1::ItemKind kind, v1::ItemValues values) {
  v1::Item item;
  if (fact.has_shared_item()) {
    item = SharedItem(std::move(*fact.mutable_shared_item()));
  } else if (fact.has_item()) {
    const std::string id = ContentItemId(fact.team(), fact.item().producer(), fact.item().item_key());
    item = ContentItem(std::move(*fact.mutable_item()));
    item.set_id(id);
  } else {
    v1::RecordAttemptRequest& attempt = *fact.mutable_attempt();
    const std::string id = kind == v1::JOURNAL ? JournalItemId(fact.team(), attempt.producer(), attempt.attempt_id())
                                               : CaseItemId(fact.team(), attempt.producer(), attempt.attempt_id());
    item = AttemptItem(std::move(attempt), kind);
    item.set_id(id);
  }
  *item.mutable_values() = std::move(values);
  item.set_sequence(fact.sequence());
  return item;
}

v1::Item WithoutContent(const v1::Item& item) {
  v1::Item slim;
  slim.set_id(item.id());
  slim.set_kind(item.kind());
  slim.set_sequence(item.sequence());
  slim.set_scope(item.scope());
  *slim.mutable_values() = item.values();
  return slim;
}

v1::Item Brief(v1::Item item) {
  item.clear_case_();
  item.clear_journal();
  item.clear_content();
  item.clear_text();
  return item;
}

std::string RuleTextOf(const Fact& fact, const v1::ItemValues& values) {
  if (fact.has_item()) return ContentRule(fact.item().content().title(), fact.item().content().text());
  return AttemptRule(fact.attempt().case_(), fact.attempt().target(), values.label(), values.r());
}

std::string SearchTextOf(const Fact& fact, v1::ItemKind kind) {
  if (fact.has_item()) return ContentSearchText(fact.item().content());
  if (fact.has_shared_item() && fact.shared_item().has_item())
    return ContentSearchText(fact.shared_item().item().content());
  const v1::RecordAttemptRequest& attempt = fact.has_shared_item() ? fact.shared_item().attempt() : fact.attempt();
  return kind == v1::JOURNAL ? JournalText(attempt.case_(), attempt.journal()) : CaseText(attempt.case_());
}

}  // namespace kernelsmith::memory
