// A segment from texts, in bounded memory: runs are written beside the file when the budget is used up, and merged at
// the end. Independent of any index; needs no lock.
//
//   SegmentBuilder builder(first_item, path);
//   for (const std::string& text : texts) RETURN_IF_ERROR(builder.Add(text));
//   RETURN_IF_ERROR(builder.Finish());
//   ASSIGN_OR_RETURN(auto segment, LexicalSegment::Open(path));
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "memory/retrieval/lexical/delta_part.h"
#include "memory/retrieval/lexical/piece.h"

namespace kernelsmith::memory {

class SegmentBuilder {
 public:
  // `memory_budget` bytes of unwritten postings.
  SegmentBuilder(uint32_t first, std::string path, int64_t memory_budget = int64_t{256} << 20);
  // Removes the runs ("<path>.run<n>").
  ~SegmentBuilder();
  SegmentBuilder(const SegmentBuilder&) = delete;
  SegmentBuilder& operator=(const SegmentBuilder&) = delete;

  // The text of the next item. Errors of the file system.
  absl::Status Add(absl::string_view text);

  // Writes the segment. REQUIRES: called once, last.
  absl::Status Finish();

  uint32_t last() const { return part_->last(); }  // one past the last item added

 private:
  absl::Status WriteRun();

  const std::string path_;
  const int64_t memory_budget_;
  std::shared_ptr<DeltaPart> part_;
  LexicalPieces runs_;
};

}  // namespace kernelsmith::memory
