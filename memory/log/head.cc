#include "memory/log/head.h"

#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/hash.h"
#include "memory/values/near_duplicate.h"

namespace kernelsmith::memory {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kLengthDelimited = 2;
constexpr uint32_t kFixed32 = 5;

// What to do with the fields of one message: a field that is absent here stays as it is.
struct Strip {
  bool drop = false;
  std::map<uint32_t, Strip> fields;
};

std::vector<std::string> ListDroppedFields() {
  std::vector<std::string> fields = {"content_sha256",
                                     "retrieval.request.required",
                                     "retrieval.request.query",
                                     "retrieval.request.budget",
                                     "retrieval.response.blocks",
                                     "retrieval.response.items",
                                     "retrieval.response.decisions.reason",
                                     "adoption.records.reason"};
  for (const char* where : {"", "shared_item."}) {
    for (const char* field :
         {"attempt.author.settings", "attempt.case.thought.reason", "attempt.case.thought.applies_when",
          "attempt.case.hypothesis", "attempt.case.diagnostic_ids", "attempt.case.code_before",
          "attempt.case.code_after", "attempt.case.diagnostics", "attempt.case.feedback", "attempt.journal",
          "attempt.applicability.applies_when", "item.author.settings", "item.content.text",
          "item.content.thought.reason", "item.content.thought.applies_when",
          "item.content.applicability.applies_when"}) {
      fields.push_back(absl::StrCat(where, field));
    }
  }
  return fields;
}

Strip StripOfFact() {
  Strip root;
  for (const std::string& path : DroppedFields()) {
    Strip* strip = &root;
    const google::protobuf::Descriptor* message = Fact::descriptor();
    for (const std::string& name : std::vector<std::string>(absl::StrSplit(path, '.'))) {
      const google::protobuf::FieldDescriptor* field = message->FindFieldByName(name);
      strip = &strip->fields[static_cast<uint32_t>(field->number())];
      message = field->message_type();
    }
    strip->drop = true;
  }
  return root;
}

bool ReadVarint(absl::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < bytes->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

// Takes the value behind a tag off the front of `bytes`; its content if it is length-delimited.
bool SkipValue(uint32_t wire_type, absl::string_view* bytes, absl::string_view* content) {
  uint64_t size = 0;
  switch (wire_type) {
    case kVarint:
      return ReadVarint(bytes, &size);
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kLengthDelimited:
      if (!ReadVarint(bytes, &size)) return false;
      break;
    default:
      return false;
  }
  if (size > bytes->size()) return false;
  *content = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return true;
}

bool StripMessage(const Strip& strip, absl::string_view bytes, std::string* out) {
  while (!bytes.empty()) {
    const absl::string_view field_start = bytes;
    uint64_t tag = 0;
    absl::string_view content;
    if (!ReadVarint(&bytes, &tag)) return false;
    const auto wire_type = static_cast<uint32_t>(tag & 7);
    if (!SkipValue(wire_type, &bytes, &content)) return false;
    const auto inner = strip.fields.find(static_cast<uint32_t>(tag >> 3));
    if (inner == strip.fields.end()) {
      out->append(field_start.data(), field_start.size() - bytes.size());
    } else if (!inner->second.drop) {
      std::string kept;
      if (wire_type != kLengthDelimited || !StripMessage(inner->second, content, &kept)) return false;
      AppendVarint(tag, out);
      AppendVarint(kept.size(), out);
      out->append(kept);
    }
  }
  return true;
}

bool HasText(const v1::Journal& journal) {
  return !(journal.strategy().empty() && journal.change().empty() && journal.validation().empty() &&
           journal.measurements().empty() && journal.interpretation().empty());
}

void NoteAttempt(const v1::RecordAttemptRequest& attempt, FactNotes* notes) {
  const std::string& code = attempt.case_().code_after();
  if (!code.empty()) notes->set_code_after_sha256(common::Sha256Hex(code));
  const std::string& before = attempt.case_().code_before();
  const bool is_linked = !attempt.prev_attempt_id().empty() || !attempt.case_().start_code_sha256().empty();
  if (!is_linked && !before.empty()) notes->set_code_before_sha256(common::Sha256Hex(before));
  notes->set_has_journal(HasText(attempt.journal()));
}

void NoteItem(const v1::RecordItemRequest& item, FactNotes* notes) {
  notes->set_text_sha256(common::Sha256Hex(item.content().text()));
  notes->set_text_bytes(static_cast<int64_t>(item.content().text().size()));
  notes->set_text_signature(ContentSignature(item.content()));
}

}  // namespace

std::string ContentSignature(const v1::ItemContent& content) {
  return TextSignature(absl::StrCat(content.title(), "\n", content.text()));
}

FactNotes NotesOf(const Fact& fact) {
  if (fact.has_notes()) return fact.notes();
  FactNotes notes;
  if (fact.has_attempt()) NoteAttempt(fact.attempt(), &notes);
  if (fact.has_item()) NoteItem(fact.item(), &notes);
  if (fact.shared_item().has_attempt()) NoteAttempt(fact.shared_item().attempt(), &notes);
  if (fact.shared_item().has_item()) NoteItem(fact.shared_item().item(), &notes);
  return notes;
}

bool StripFact(absl::string_view fact, std::string* head) {
  static const Strip* const strip = new Strip(StripOfFact());
  return StripMessage(*strip, fact, head);
}

const std::vector<std::string>& DroppedFields() {
  static const auto* const fields = new std::vector<std::string>(ListDroppedFields());
  return *fields;
}

}  // namespace kernelsmith::memory
