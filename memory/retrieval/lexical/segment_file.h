// The file of a segment while it is written: sections one after the other, hashed on the way, the header last.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/hash.h"
#include "memory/retrieval/lexical/segment_format.h"

namespace kernelsmith::memory {

class SegmentFile {
 public:
  // Creates "<path>.unfinished", and a place for the header in it.
  static absl::StatusOr<SegmentFile> Create(const std::string& path);

  SegmentFile(SegmentFile&& other) noexcept;
  SegmentFile& operator=(SegmentFile&&) = delete;
  // Removes the file unless Finish succeeded.
  ~SegmentFile();

  // Where the next section begins; fills up to a multiple of 8.
  absl::StatusOr<uint64_t> BeginSection();
  absl::Status Append(absl::string_view bytes);
  uint64_t size() const { return size_; }

  // Completes `header` with magic, format and digests, writes it, syncs the file and renames it to its path.
  absl::Status Finish(LexicalHeader header);

 private:
  SegmentFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  absl::Status Flush();

  std::string path_;
  int file_;
  uint64_t size_ = sizeof(LexicalHeader);
  std::string buffer_;
  std::unique_ptr<common::Sha256> digest_ = std::make_unique<common::Sha256>();
};

}  // namespace kernelsmith::memory
