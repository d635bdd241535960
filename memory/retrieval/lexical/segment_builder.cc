#include "memory/retrieval/lexical/segment_builder.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/retrieval/lexical/segment.h"
#include "memory/retrieval/lexical/segment_writer.h"

namespace kernelsmith::memory {

SegmentBuilder::SegmentBuilder(uint32_t first, std::string path, int64_t memory_budget)
    : path_(std::move(path)), memory_budget_(memory_budget), part_(std::make_shared<DeltaPart>(first)) {}

SegmentBuilder::~SegmentBuilder() {
  for (size_t i = 0; i < runs_.size(); ++i) unlink(absl::StrCat(path_, ".run", i).c_str());
}

absl::Status SegmentBuilder::Add(absl::string_view text) {
  if (part_->full() || part_->resident_bytes() > memory_budget_) RETURN_IF_ERROR(WriteRun());
  part_->Add(text);
  return absl::OkStatus();
}

absl::Status SegmentBuilder::WriteRun() {
  const std::string path = absl::StrCat(path_, ".run", runs_.size());
  RETURN_IF_ERROR(WriteSegment({part_}, path));
  ASSIGN_OR_RETURN(std::shared_ptr<const LexicalSegment> run, LexicalSegment::Open(path));
  part_ = std::make_shared<DeltaPart>(run->last());
  runs_.push_back(std::move(run));
  return absl::OkStatus();
}

absl::Status SegmentBuilder::Finish() {
  LexicalPieces pieces = runs_;
  pieces.push_back(part_);
  return WriteSegment(pieces, path_);
}

}  // namespace kernelsmith::memory
