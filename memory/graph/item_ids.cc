#include "memory/graph/item_ids.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/hash.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kBits = std::tuple_size_v<decltype(IdKey::bits)>;
constexpr size_t kIdDigits = 2 * kBits;  // 80 bits of SHA-256

constexpr std::pair<IdKind, absl::string_view> kPrefixes[] = {
    {IdKind::kCase, "case-"},       {IdKind::kJournal, "journal-"},     {IdKind::kContent, "item-"},
    {IdKind::kShared, "shared-"},   {IdKind::kRetrieval, "retrieval-"}, {IdKind::kQuestion, "question-"},
    {IdKind::kForeign, "foreign-"},
};

IdKey FromHex(IdKind kind, absl::string_view digits) {
  IdKey key{.kind = kind};
  const std::string bytes = absl::HexStringToBytes(digits.substr(0, kIdDigits));
  std::memcpy(key.bits.data(), bytes.data(), kBits);
  return key;
}

bool AreIdDigits(absl::string_view text) {
  if (text.size() != kIdDigits) return false;
  for (const char c : text) {
    if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

}  // namespace

std::string CaseItemId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id) {
  return FormatId(KeyOf(IdKind::kCase, team, producer, attempt_id));
}

std::string JournalItemId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id) {
  return FormatId(KeyOf(IdKind::kJournal, team, producer, attempt_id));
}

std::string ContentItemId(absl::string_view team, absl::string_view producer, absl::string_view item_key) {
  return FormatId(KeyOf(IdKind::kContent, team, producer, item_key));
}

std::string SharedItemId(absl::string_view team, absl::string_view item_id) {
  return FormatId(KeyOf(IdKind::kShared, team, item_id, ""));
}

std::string RetrievalId(absl::string_view team, absl::string_view producer, absl::string_view attempt_id) {
  return FormatId(KeyOf(IdKind::kRetrieval, team, producer, attempt_id));
}

std::string QuestionId(absl::string_view team, absl::string_view producer, absl::string_view retrieval_key) {
  return FormatId(KeyOf(IdKind::kQuestion, team, producer, retrieval_key));
}

IdKey KeyOf(IdKind kind, absl::string_view team, absl::string_view producer, absl::string_view id) {
  return FromHex(kind, common::HashFields(team, producer, id));
}

std::optional<IdKey> ParseId(absl::string_view id) {
  for (const auto& [kind, prefix] : kPrefixes) {
    if (kind == IdKind::kForeign || id.substr(0, prefix.size()) != prefix) continue;
    const absl::string_view digits = id.substr(prefix.size());
    if (AreIdDigits(digits)) return FromHex(kind, digits);
  }
  return std::nullopt;
}

IdKey ParseOrHashId(absl::string_view id) {
  const std::optional<IdKey> parsed = ParseId(id);
  return parsed.has_value() ? *parsed : FromHex(IdKind::kForeign, common::Sha256Hex(id));
}

std::string FormatId(const IdKey& key) {
  const absl::string_view bytes(reinterpret_cast<const char*>(key.bits.data()), kBits);
  return absl::StrCat(kPrefixes[static_cast<size_t>(key.kind)].second, absl::BytesToHexString(bytes));
}

}  // namespace kernelsmith::memory
