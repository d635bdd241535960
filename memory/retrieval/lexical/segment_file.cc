#include "memory/retrieval/lexical/segment_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

std::string UnfinishedPath(const std::string& path) { return absl::StrCat(path, ".unfinished"); }

absl::Status WriteAll(int file, absl::string_view bytes, off_t offset, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot write ", path));
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return absl::OkStatus();
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? std::string(1, '.') : parent.string();
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot open ", folder));
  const int result = fsync(file);
  const int error = errno;
  close(file);
  return result == 0 ? absl::OkStatus() : common::ErrnoStatus(error, absl::StrCat("cannot sync ", folder));
}

}  // namespace

absl::StatusOr<SegmentFile> SegmentFile::Create(const std::string& path) {
  const std::string unfinished = UnfinishedPath(path);
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot create ", unfinished));
  return SegmentFile(path, file);
}

SegmentFile::SegmentFile(SegmentFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      buffer_(std::move(other.buffer_)),
      digest_(std::move(other.digest_)) {}

SegmentFile::~SegmentFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(UnfinishedPath(path_).c_str());
}

absl::StatusOr<uint64_t> SegmentFile::BeginSection() {
  RETURN_IF_ERROR(Append(absl::string_view("\0\0\0\0\0\0\0", (8 - size_ % 8) % 8)));
  return size_;
}

absl::Status SegmentFile::Append(absl::string_view bytes) {
  buffer_.append(bytes.data(), bytes.size());
  size_ += bytes.size();
  return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
}

absl::Status SegmentFile::Flush() {
  digest_->Update(buffer_);
  const auto offset = static_cast<off_t>(size_ - buffer_.size());
  RETURN_IF_ERROR(WriteAll(file_, buffer_, offset, UnfinishedPath(path_)));
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status SegmentFile::Finish(LexicalHeader header) {
  RETURN_IF_ERROR(Flush());
  std::memcpy(header.magic, kSegmentMagic, sizeof(header.magic));
  header.format = kLexicalFormat;
  header.header_size = sizeof(header);
  std::memcpy(header.body_digest, digest_->FinishHex().data(), sizeof(header.body_digest));
  const absl::string_view bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  const std::string digest = common::Sha256Hex(bytes.substr(0, offsetof(LexicalHeader, header_digest)));
  std::memcpy(header.header_digest, digest.data(), sizeof(header.header_digest));
  RETURN_IF_ERROR(WriteAll(file_, bytes, 0, UnfinishedPath(path_)));
  if (fsync(file_) != 0) return common::ErrnoStatus(errno, absl::StrCat("cannot sync ", UnfinishedPath(path_)));
  if (rename(UnfinishedPath(path_).c_str(), path_.c_str()) != 0) {
    return common::ErrnoStatus(errno, absl::StrCat("cannot rename ", UnfinishedPath(path_)));
  }
  close(std::exchange(file_, -1));
  return SyncFolderOf(path_);
}

}  // namespace kernelsmith::memory
