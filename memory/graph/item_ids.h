// Ids of items and retrievals: functions of the caller's ids, so that replay and repeats give the same ones.
//
//   CaseItemId("local", "coordinator-1", "job-7/3");   // "case-" and 20 hexadecimal digits
//   const IdKey key = *ParseId("case-0123456789abcdef0123");   // 11 bytes, for tables of a million of them
//   FormatId(key);                                             // the text again
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
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

enum class IdKind : uint8_t { kCase, kJournal, kContent, kShared, kRetrieval, kQuestion, kForeign };

// An id as a key of tables: what it names, and 80 bits.
struct IdKey {
  IdKind kind = IdKind::kForeign;
  std::array<unsigned char, 10> bits = {};

  bool operator==(const IdKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const IdKey& key) {
    uint64_t word = 0;
    std::memcpy(&word, key.bits.data(), sizeof(word));
    return H::combine(std::move(state), word, key.kind);
  }
};

// The key of (team, producer, id), for example of a case or a retrieval; the bits do not depend on `kind`.
IdKey KeyOf(IdKind kind, absl::string_view team, absl::string_view producer, absl::string_view id);

// Nothing if `id` is none that these functions make.
std::optional<IdKey> ParseId(absl::string_view id);

// As ParseId; any other text gets a key of kind kForeign from its hash, which FormatId cannot turn back.
IdKey ParseOrHashId(absl::string_view id);

std::string FormatId(const IdKey& key);

}  // namespace kernelsmith::memory
