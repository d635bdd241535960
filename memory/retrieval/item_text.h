// The text of an item: what search indexes and what the item's `text` field shows. Code is not part of it; see
// context/rendering.h.
#pragma once

#include <string>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// One line a field, empty fields left out. Long fields are cut at 2000 bytes, at a character boundary.
std::string CaseText(const v1::Case& source);
std::string JournalText(const v1::Case& source, const v1::Journal& journal);

// Title, exact name, where it applies, and the text of an item that is no attempt.
std::string ContentSearchText(const v1::ItemContent& content);

// "softmax: vector-exp, PASSED" and the like; one line.
std::string CaseTitle(const v1::Case& source);
std::string JournalTitle(const v1::Case& source);

// At most `limit` bytes of `text`, cut between characters, with " [cut]" at the end if anything was cut.
std::string Clipped(const std::string& text, size_t limit);

}  // namespace kernelsmith::memory
