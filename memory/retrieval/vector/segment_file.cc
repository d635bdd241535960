#include "memory/retrieval/vector/segment_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/hash.h"
#include "common/ids.h"
#include "common/status.h"
#include "memory/retrieval/vector/quantised_vector.h"
#include "memory/retrieval/vector/segment_header.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kPiece = size_t{4} << 20;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged vector segment: ", what));
}

// Writes and hashes.
class Writer {
 public:
  Writer(int fd, const std::string& path) : fd_(fd), path_(path) {}

  absl::Status Put(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_, bytes.data(), std::min(bytes.size(), kPiece));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot write ", path_));
      const auto count = static_cast<size_t>(written);
      // The checksum covers what follows it.
      const size_t skipped = std::min<uint64_t>(kCheckedFrom - std::min<uint64_t>(written_, kCheckedFrom), count);
      hash_.Update(bytes.substr(skipped, count - skipped));
      written_ += count;
      bytes.remove_prefix(count);
    }
    return absl::OkStatus();
  }

  // A section: `bytes` bytes at `data`, and zeros up to a multiple of 64.
  absl::Status PutSection(const void* data, uint64_t bytes) {
    RETURN_IF_ERROR(Put(absl::string_view(static_cast<const char*>(data), bytes)));
    return Put(std::string(Padded(bytes) - bytes, '\0'));
  }

  // Puts the checksum into its place and makes everything durable.
  absl::StatusOr<std::string> Finish() {
    std::string checksum = hash_.FinishHex();
    if (pwrite(fd_, checksum.data(), checksum.size(), kChecksumAt) != static_cast<ssize_t>(checksum.size()) ||
        fsync(fd_) != 0) {
      return common::ErrnoStatus(errno, absl::StrCat("cannot write ", path_));
    }
    return checksum;
  }

 private:
  const int fd_;
  const std::string& path_;
  uint64_t written_ = 0;
  common::Sha256 hash_;
};

absl::StatusOr<std::string> WriteContent(int fd, const std::string& path, const SegmentHeader& header,
                                         const SegmentContent& content) {
  const SegmentSections sections = SectionsOf(header);
  const ScanCodes& codes = content.codes;
  Writer writer(fd, path);
  RETURN_IF_ERROR(writer.Put(EncodeHeader(header)));
  RETURN_IF_ERROR(writer.PutSection(content.row_of.data(), sections.row_of));
  RETURN_IF_ERROR(writer.PutSection(content.rows.data(), sections.rows));
  RETURN_IF_ERROR(writer.PutSection(codes.list_begin.data(), sections.list_begin));
  RETURN_IF_ERROR(writer.PutSection(codes.centroids.data(), sections.centroids));
  RETURN_IF_ERROR(writer.PutSection(codes.directions.data(), sections.directions));
  RETURN_IF_ERROR(writer.PutSection(codes.prototypes.data(), sections.prototypes));
  RETURN_IF_ERROR(writer.PutSection(codes.codes.data(), sections.codes));
  return writer.Finish();
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot open folder ", folder));
  const absl::Cleanup closer = [fd] { close(fd); };
  return fsync(fd) == 0 ? absl::OkStatus() : common::ErrnoStatus(errno, absl::StrCat("cannot sync folder ", folder));
}

// Reads and hashes.
class Reader {
 public:
  explicit Reader(int fd) : fd_(fd) {}

  absl::Status Get(void* into, uint64_t bytes) {
    auto* at = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = read(fd_, at, std::min<uint64_t>(bytes, kPiece));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return common::ErrnoStatus(errno, "cannot read vector segment");
      if (got == 0) return Damaged("it ends early");
      hash_.Update(absl::string_view(at, static_cast<size_t>(got)));
      at += got;
      bytes -= static_cast<uint64_t>(got);
    }
    return absl::OkStatus();
  }

  absl::Status GetSection(void* into, uint64_t bytes) {
    RETURN_IF_ERROR(Get(into, bytes));
    char padding[64];
    return Get(padding, Padded(bytes) - bytes);
  }

  template <typename Number>
  absl::Status GetNumbers(uint64_t bytes, std::vector<Number>& into) {
    into.resize(bytes / sizeof(Number));
    return GetSection(into.data(), bytes);
  }

  absl::Status GetRows(uint64_t bytes, size_t stride, RowTable& into) {
    AlignedBytes rows(bytes);
    RETURN_IF_ERROR(GetSection(rows.data(), bytes));
    into = RowTable(stride, std::move(rows));
    return absl::OkStatus();
  }

  std::string FinishHex() { return hash_.FinishHex(); }

 private:
  const int fd_;
  common::Sha256 hash_;
};

// What the sections say fits together.
absl::Status CheckContent(const SegmentContent& content) {
  std::vector<bool> used(content.rows.size());
  for (const uint32_t row : content.row_of) {
    if (row == kNoRow) continue;
    if (row >= content.rows.size()) return Damaged("an item has a row behind the last");
    used[row] = true;
  }
  if (std::find(used.begin(), used.end(), false) != used.end()) return Damaged("a row belongs to no item");
  for (size_t row = 0; row < content.rows.size(); ++row) {
    if (content.rows.inverse_length(row) == 0) return Damaged("a row is all zero");
  }
  const ScanCodes& codes = content.codes;
  if (codes.empty()) return absl::OkStatus();
  if (codes.list_begin.front() != 0 || codes.list_begin.back() != content.rows.size() ||
      !std::is_sorted(codes.list_begin.begin(), codes.list_begin.end())) {
    return Damaged("its lists");
  }
  if (BlockBegins(codes.list_begin).back() * codes.block_bytes() != codes.codes.size()) return Damaged("its blocks");
  const auto finite = [](float number) { return std::isfinite(number); };
  const bool numbers_fit = std::all_of(codes.directions.begin(), codes.directions.end(), finite) &&
                           std::all_of(codes.prototypes.begin(), codes.prototypes.end(), finite);
  return numbers_fit ? absl::OkStatus() : Damaged("a number is not finite");
}

absl::StatusOr<SegmentContent> ReadContent(int fd, absl::string_view embedder_id, int dimensions) {
  struct stat info;
  if (fstat(fd, &info) != 0) return common::ErrnoStatus(errno, "cannot read vector segment");
  const auto file_bytes = static_cast<uint64_t>(info.st_size);
  std::string head(std::min<uint64_t>(file_bytes, kFixedHeaderBytes + 256), '\0');
  if (pread(fd, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) return Damaged("it ends early");
  ASSIGN_OR_RETURN(const SegmentHeader header, DecodeHeader(head, file_bytes));
  if (header.embedder_id != embedder_id || header.dimensions != static_cast<uint32_t>(dimensions)) {
    return absl::FailedPreconditionError(absl::StrCat("vector segment of embedder '", header.embedder_id, "' with ",
                                                      header.dimensions, " dimensions; this memory uses '", embedder_id,
                                                      "' with ", dimensions, ": embed its items anew"));
  }
  const SegmentSections sections = SectionsOf(header);
  SegmentContent content{
      .embedder_id = header.embedder_id, .dimensions = dimensions, .first = header.first, .last = header.last};
  content.checksum = head.substr(kChecksumAt, kChecksumBytes);
  if (lseek(fd, kCheckedFrom, SEEK_SET) < 0) return common::ErrnoStatus(errno, "cannot read vector segment");
  Reader reader(fd);
  std::string rest(HeaderBytes(header) - kCheckedFrom, '\0');
  RETURN_IF_ERROR(reader.Get(rest.data(), rest.size()));
  const size_t stride = RowStride(dimensions);
  RETURN_IF_ERROR(reader.GetNumbers(sections.row_of, content.row_of));
  RETURN_IF_ERROR(reader.GetRows(sections.rows, stride, content.rows));
  ScanCodes& codes = content.codes;
  codes.groups = header.groups;
  if (header.lists > 0) {
    RETURN_IF_ERROR(reader.GetNumbers(sections.list_begin, codes.list_begin));
    RETURN_IF_ERROR(reader.GetRows(sections.centroids, stride, codes.centroids));
    RETURN_IF_ERROR(reader.GetNumbers(sections.directions, codes.directions));
    RETURN_IF_ERROR(reader.GetNumbers(sections.prototypes, codes.prototypes));
    codes.codes = AlignedBytes(sections.codes);
    RETURN_IF_ERROR(reader.GetSection(codes.codes.data(), sections.codes));
  }
  if (reader.FinishHex() != content.checksum) return Damaged("its checksum does not match");
  RETURN_IF_ERROR(CheckContent(content));
  return content;
}

}  // namespace

absl::StatusOr<uint64_t> WriteSegmentFile(const std::string& path, SegmentContent& content) {
  SegmentHeader header{.first = content.first,
                       .last = content.last,
                       .dimensions = static_cast<uint32_t>(content.dimensions),
                       .rows = static_cast<uint32_t>(content.rows.size()),
                       .lists = content.codes.lists(),
                       .groups = content.codes.empty() ? 0 : content.codes.groups,
                       .embedder_id = content.embedder_id};
  if (!content.codes.empty()) header.blocks = BlockBegins(content.codes.list_begin).back();
  header.file_bytes = FileBytes(header);
  const std::string temporary = absl::StrCat(path, ".", common::RandomId(), ".tmp");
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot create ", temporary));
  auto checksum = WriteContent(fd, temporary, header, content);
  close(fd);
  absl::Status status = checksum.status();
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = common::ErrnoStatus(errno, absl::StrCat("cannot rename ", temporary, " to ", path));
  }
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  RETURN_IF_ERROR(SyncFolderOf(path));
  content.checksum = *std::move(checksum);
  return header.file_bytes;
}

absl::StatusOr<SegmentContent> ReadSegmentFile(const std::string& path, absl::string_view embedder_id, int dimensions) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot open ", path));
  const absl::Cleanup closer = [fd] { close(fd); };
  auto content = ReadContent(fd, embedder_id, dimensions);
  if (!content.ok()) return common::Annotate(content.status(), path);
  return content;
}

}  // namespace kernelsmith::memory
