#include "memory/graph/item_ids.h"

#include "absl/strings/str_cat.h"
#include "common/hash.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kIdDigits = 20;  // 80 bits of SHA-256

std::string IdOf(absl::string_view prefix, absl::string_view team, absl::string_view producer, absl::string_view id) {
  return absl::StrCat(prefix, common::HashFields(team, producer, id).substr(0, kIdDigits));
}

}  // namespace

std::string CaseItemId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id) {
  return IdOf("case-", team, producer, attempt_id);
}

std::string JournalItemId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id) {
  return IdOf("journal-", team, producer, attempt_id);
}

std::string ContentItemId(absl::string_view team, absl::string_view producer, absl::string_view item_key) {
  return IdOf("item-", team, producer, item_key);
}

std::string SharedItemId(absl::string_view team, absl::string_view item_id) {
  return IdOf("shared-", team, item_id, "");
}

std::string RetrievalId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id) {
  return IdOf("retrieval-", team, producer, attempt_id);
}

std::string QuestionId(absl::string_view team, absl::string_view producer, absl::string_view retrieval_key) {
  return IdOf("question-", team, producer, retrieval_key);
}

}  // namespace kernelsmith::memory
