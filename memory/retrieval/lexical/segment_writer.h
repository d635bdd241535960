// Writes pieces that follow one another as one segment file: sealing of cut delta parts, merging of segments, or both.
//
//   RETURN_IF_ERROR(WriteSegment(index.CutDelta(), "lexical-0-50000"));
//
// Reads lists only, never texts, and needs no lock. Memory: the new dictionary (about 12 bytes a term), 2 bytes an
// item, and the longest list.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "memory/retrieval/lexical/piece.h"

namespace kernelsmith::memory {

// Writes beside `path`, syncs and renames, so that `path` is whole or absent; what a crash leaves has the suffix
// ".unfinished". INVALID_ARGUMENT for pieces with a gap between them or more than 2^24 items; RESOURCE_EXHAUSTED and
// others as the system says.
absl::Status WriteSegment(const LexicalPieces& pieces, const std::string& path);

}  // namespace kernelsmith::memory
