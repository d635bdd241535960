// Heads: compact twins of the facts. A head is a fact without the texts that the fold does not read, so that a start
// folds a few hundred bytes for each fact rather than parse everything.
//
//   const FactNotes notes = NotesOf(fact);           // the same for a fact and for its head
//   StripFact(fact.SerializeAsString(), &head);      // bytes of a fact -> bytes of its head
//
// Whatever the fold reads must be in the head: a field is left out only if DroppedFields() names it, and what the fold
// wants to know of such a field is in the notes.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/storage/v1/memory_store.pb.h"

namespace kernelsmith::memory {

using Fact = storage::v1::Fact;
using FactNotes = storage::v1::FactNotes;

// The notes of a fact: the stored ones, or those that its texts give if it has none yet.
FactNotes NotesOf(const Fact& fact);

// What tells near-duplicates among items (values/near_duplicate.h); FactNotes.text_signature.
std::string ContentSignature(const v1::ItemContent& content);

// Appends to `head` the serialised `fact` without the dropped fields. False if `fact` is no serialised message.
bool StripFact(absl::string_view fact, std::string* head);

// Names from Fact down, for example "attempt.case.code_after".
const std::vector<std::string>& DroppedFields();

}  // namespace kernelsmith::memory
