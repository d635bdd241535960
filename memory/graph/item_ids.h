// Ids of items and retrievals: functions of the caller's ids, so that replay and repeats give the same ones.
//
//   CaseItemId("local", "coordinator-1", "job-7/3");   // "case-" and 20 hexadecimal digits
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

std::string CaseItemId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id);
std::string JournalItemId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id);
// Of an item that is no attempt's.
std::string ContentItemId(absl::string_view team, absl::string_view producer, absl::string_view item_key);
// Under which other teams see a promoted item.
std::string SharedItemId(absl::string_view team, absl::string_view item_id);
// Of the context of an attempt, and of a question that a proposer asked itself.
std::string RetrievalId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id);
std::string QuestionId(absl::string_view team, absl::string_view producer, absl::string_view retrieval_key);

}  // namespace kernelsmith::memory
