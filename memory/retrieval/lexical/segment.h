// One immutable segment file, memory-mapped; segment_format.h describes the bytes.
//
//   ASSIGN_OR_RETURN(std::shared_ptr<const LexicalSegment> segment, LexicalSegment::Open(path));
//   segment->first(), segment->last();
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "memory/retrieval/lexical/dictionary.h"
#include "memory/retrieval/lexical/mapped_file.h"
#include "memory/retrieval/lexical/piece.h"
#include "memory/retrieval/lexical/segment_format.h"

namespace kernelsmith::memory {

class LexicalSegment : public LexicalPiece {
 public:
  // Reads the whole file once: both checksums, then every offset, order and count, so that nothing that is read later
  // can leave the file. DATA_LOSS for a damaged or cut file, FAILED_PRECONDITION for a newer format, NOT_FOUND.
  static absl::StatusOr<std::shared_ptr<const LexicalSegment>> Open(const std::string& path);

  bool sealed() const override { return true; }
  ItemLengths lengths() const override { return lengths_; }
  int64_t total_length() const override { return static_cast<int64_t>(header_.total_length); }
  PostingList Find(absl::string_view term) const override;
  std::unique_ptr<TermCursor> Terms() const override;
  int64_t resident_bytes() const override { return static_cast<int64_t>(sizeof(*this)); }
  int64_t mapped_bytes() const override { return static_cast<int64_t>(file_.bytes().size()); }

  const std::string& path() const { return path_; }

 private:
  LexicalSegment(std::string path, MappedFile file, const LexicalHeader& header);

  std::string path_;
  MappedFile file_;
  LexicalHeader header_;
  ItemLengths lengths_;
  Dictionary dictionary_;
  absl::string_view postings_;
};

}  // namespace kernelsmith::memory
