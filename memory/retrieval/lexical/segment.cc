#include "memory/retrieval/lexical/segment.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash.h"
#include "common/status.h"
#include "memory/retrieval/lexical/list_encoding.h"

namespace kernelsmith::memory {
namespace {

absl::string_view BytesOf(absl::string_view file, const SegmentSection& section) {
  return file.substr(section.offset, section.size);
}

template <typename T>
absl::Span<const T> ArrayOf(absl::string_view file, const SegmentSection& section) {
  return {reinterpret_cast<const T*>(file.data() + section.offset), section.size / sizeof(T)};
}

Dictionary DictionaryOf(absl::string_view file, const LexicalHeader& header) {
  return {BytesOf(file, header.dictionary), ArrayOf<DictionaryIndexEntry>(file, header.index)};
}

ItemLengths LengthsOf(absl::string_view file, const LexicalHeader& header) {
  return {ArrayOf<uint16_t>(file, header.lengths), ArrayOf<LongNumber>(file, header.long_lengths)};
}

absl::string_view ListBytes(absl::string_view lists, const ListPlace& place) {
  return {lists.data() + size_t{place.begin} * 4, size_t{place.words} * 4};
}

absl::string_view DigestOf(const char (&digest)[64]) { return {digest, sizeof(digest)}; }

// Magic, format, both digests and the places of the sections.
absl::StatusOr<LexicalHeader> CheckHeader(absl::string_view file) {
  if (file.size() < sizeof(LexicalHeader)) return absl::DataLossError("is shorter than a header");
  LexicalHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.magic, kSegmentMagic, sizeof(kSegmentMagic)) != 0) {
    return absl::DataLossError("is no lexical segment: its first bytes are others");
  }
  if (header.format > kLexicalFormat) {
    return absl::FailedPreconditionError(absl::StrCat("has format ", header.format, "; this program reads up to ",
                                                      kLexicalFormat, ": use a newer program or rebuild the segment"));
  }
  const absl::string_view signed_bytes = file.substr(0, offsetof(LexicalHeader, header_digest));
  if (header.format == 0 || header.header_size != sizeof(header) ||
      common::Sha256Hex(signed_bytes) != DigestOf(header.header_digest)) {
    return absl::DataLossError("has a damaged header");
  }
  uint64_t end = sizeof(header);
  for (const SegmentSection& section :
       {header.lists, header.dictionary, header.index, header.lengths, header.long_lengths}) {
    if (section.offset != (end + 7) / 8 * 8 || section.offset > file.size() ||
        section.size > file.size() - section.offset) {
      return absl::DataLossError(absl::StrCat("is cut: it has ", file.size(), " bytes and a section beyond them"));
    }
    end = section.offset + section.size;
  }
  if (end != file.size()) return absl::DataLossError("has bytes behind its end");
  if (common::Sha256Hex(file.substr(sizeof(header))) != DigestOf(header.body_digest)) {
    return absl::DataLossError("is damaged: its bytes have another digest than its header says");
  }
  return header;
}

absl::Status CheckLengths(const LexicalHeader& header, const ItemLengths& lengths) {
  if (header.first > header.last || header.last - header.first > kMostItemsOfPiece ||
      header.lengths.size != uint64_t{header.last - header.first} * sizeof(uint16_t) ||
      header.long_lengths.size % sizeof(LongNumber) != 0) {
    return absl::DataLossError("has lengths of another number of items than it says");
  }
  uint64_t total = 0;
  for (uint32_t item = 0; item < lengths.size(); ++item) total += lengths.At(item);
  return total == header.total_length ? absl::OkStatus() : absl::DataLossError("has another total length than it says");
}

// Everything that a digest cannot say: that whoever wrote the bytes wrote sound ones.
absl::Status CheckContent(absl::string_view file, const LexicalHeader& header) {
  RETURN_IF_ERROR(CheckLengths(header, LengthsOf(file, header)));
  if (header.lists.size % 4 != 0 || header.index.size % sizeof(DictionaryIndexEntry) != 0) {
    return absl::DataLossError("has a section of impossible size");
  }
  const Dictionary dictionary = DictionaryOf(file, header);
  RETURN_IF_ERROR(dictionary.Check(header.terms, header.lists.size / 4));
  const absl::string_view lists = BytesOf(file, header.lists);
  for (DictionaryCursor cursor(dictionary, 0); cursor.valid(); cursor.Next()) {
    const absl::string_view bytes = ListBytes(lists, cursor.place());
    RETURN_IF_ERROR(CheckList(bytes, cursor.place().postings, header.last - header.first));
  }
  return absl::OkStatus();
}

class SegmentTerms : public TermCursor {
 public:
  SegmentTerms(const Dictionary& dictionary, absl::string_view lists) : cursor_(dictionary, 0), lists_(lists) {}

  bool valid() const override { return cursor_.valid(); }
  absl::string_view term() const override { return cursor_.term(); }
  PostingList list() const override { return ViewList(ListBytes(lists_, cursor_.place()), cursor_.place().postings); }
  void Next() override { cursor_.Next(); }

 private:
  DictionaryCursor cursor_;
  const absl::string_view lists_;
};

}  // namespace

LexicalSegment::LexicalSegment(std::string path, MappedFile file, const LexicalHeader& header)
    : LexicalPiece(header.first),
      path_(std::move(path)),
      file_(std::move(file)),
      header_(header),
      lengths_(LengthsOf(file_.bytes(), header)),
      dictionary_(DictionaryOf(file_.bytes(), header)),
      postings_(BytesOf(file_.bytes(), header.lists)) {}

absl::StatusOr<std::shared_ptr<const LexicalSegment>> LexicalSegment::Open(const std::string& path) {
  ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  absl::StatusOr<LexicalHeader> header = CheckHeader(file.bytes());
  const absl::Status status = header.ok() ? CheckContent(file.bytes(), *header) : header.status();
  if (!status.ok()) return common::Annotate(status, absl::StrCat("the segment ", path));
  return std::shared_ptr<const LexicalSegment>(new LexicalSegment(path, std::move(file), *header));
}

PostingList LexicalSegment::Find(absl::string_view term) const {
  const ListPlace place = dictionary_.Find(term);
  return place.postings == 0 ? PostingList() : ViewList(ListBytes(postings_, place), place.postings);
}

std::unique_ptr<TermCursor> LexicalSegment::Terms() const {
  return std::make_unique<SegmentTerms>(dictionary_, postings_);
}

}  // namespace kernelsmith::memory
