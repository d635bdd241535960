#include "memory/service/item_view.h"

#include <utility>

#include "memory/graph/experience_graph.h"
#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {

v1::Item ItemOf(const Fact& fact, v1::ItemKind kind, v1::ItemValues values) {
  const v1::RecordAttemptRequest& attempt = fact.attempt();
  v1::Item item;
  item.set_kind(kind);
  if (kind == v1::JOURNAL) {
    item.set_id(JournalItemId(fact.team(), attempt.producer(), attempt.attempt_id()));
    item.set_title(JournalTitle(attempt.case_()));
    item.set_text(JournalText(attempt.case_(), attempt.journal()));
    *item.mutable_journal() = attempt.journal();
    item.set_trust("model");
  } else {
    item.set_id(CaseItemId(fact.team(), attempt.producer(), attempt.attempt_id()));
    item.set_title(CaseTitle(attempt.case_()));
    item.set_text(CaseText(attempt.case_()));
    *item.mutable_case_() = attempt.case_();
    item.set_trust("measured");
  }
  item.set_attempt_id(attempt.attempt_id());
  item.set_producer(attempt.producer());
  item.set_prev_attempt_id(attempt.prev_attempt_id());
  *item.mutable_target() = attempt.target();
  *item.mutable_author() = attempt.author();
  *item.mutable_values() = std::move(values);
  item.set_recorded_at_unix_us(attempt.recorded_at_unix_us());
  item.set_sequence(fact.sequence());
  return item;
}

v1::Item WithoutContent(const v1::Item& item) {
  v1::Item slim;
  slim.set_id(item.id());
  slim.set_kind(item.kind());
  slim.set_sequence(item.sequence());
  *slim.mutable_values() = item.values();
  return slim;
}

}  // namespace kernelsmith::memory
