#include "memory/retrieval/lexical/segment_writer.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "memory/retrieval/lexical/dictionary.h"
#include "memory/retrieval/lexical/list_encoding.h"
#include "memory/retrieval/lexical/segment_file.h"

namespace kernelsmith::memory {
namespace {

// The pieces' lengths one behind the other.
struct JoinedLengths {
  std::vector<uint16_t> lengths;
  std::vector<LongNumber> long_lengths;
  ItemLengths view() const { return {lengths, long_lengths}; }
};

JoinedLengths Join(const LexicalPieces& pieces) {
  JoinedLengths joined;
  for (const auto& piece : pieces) {
    const auto shift = static_cast<uint32_t>(joined.lengths.size());
    const ItemLengths lengths = piece->lengths();
    joined.lengths.insert(joined.lengths.end(), lengths.lengths().begin(), lengths.lengths().end());
    for (const LongNumber& entry : lengths.long_lengths()) {
      joined.long_lengths.push_back({entry.item + shift, entry.number});
    }
  }
  return joined;
}

// One piece's terms, and what its items are moved by.
struct Source {
  std::unique_ptr<TermCursor> terms;
  uint32_t shift;
};

// The walk over the union of all pieces' terms.
class MergedTerms {
 public:
  explicit MergedTerms(const LexicalPieces& pieces) {
    for (const auto& piece : pieces) {
      sources_.push_back({.terms = piece->Terms(), .shift = piece->first() - pieces.front()->first()});
    }
  }

  // The next term with all its postings; false at the end.
  bool Next(std::string& term, std::vector<Posting>& postings) {
    const TermCursor* least = nullptr;
    for (const Source& source : sources_) {
      if (source.terms->valid() && (least == nullptr || source.terms->term() < least->term())) {
        least = source.terms.get();
      }
    }
    if (least == nullptr) return false;
    term.assign(least->term().data(), least->term().size());
    postings.clear();
    for (const Source& source : sources_) {
      if (!source.terms->valid() || source.terms->term() != absl::string_view(term)) continue;
      AppendPostings(source.terms->list(), source.shift, postings);
      source.terms->Next();
    }
    return true;
  }

 private:
  std::vector<Source> sources_;
};

absl::Status CheckPieces(const LexicalPieces& pieces) {
  if (pieces.empty()) return absl::InvalidArgumentError("a segment of no pieces");
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i]->first() != pieces[i - 1]->last()) {
      return absl::InvalidArgumentError(absl::StrCat("pieces of a segment end at item ", pieces[i - 1]->last(),
                                                     " and go on at ", pieces[i]->first()));
    }
  }
  const uint32_t items = pieces.back()->last() - pieces.front()->first();
  if (items > kMostItemsOfPiece) {
    return absl::InvalidArgumentError(absl::StrCat("a segment of ", items, " items; at most ", kMostItemsOfPiece));
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<SegmentSection> AppendSection(SegmentFile& file, absl::Span<const T> values) {
  ASSIGN_OR_RETURN(const uint64_t offset, file.BeginSection());
  RETURN_IF_ERROR(file.Append({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}));
  return SegmentSection{.offset = offset, .size = values.size() * sizeof(T)};
}

absl::StatusOr<SegmentSection> AppendLists(SegmentFile& file, const LexicalPieces& pieces, const ItemLengths& lengths,
                                           DictionaryWriter& dictionary) {
  ASSIGN_OR_RETURN(const uint64_t offset, file.BeginSection());
  MergedTerms merged(pieces);
  std::string term;
  std::string bytes;
  std::vector<Posting> postings;
  while (merged.Next(term, postings)) {
    bytes.clear();
    EncodeList(postings, lengths, bytes);
    dictionary.Add(term, static_cast<uint32_t>(postings.size()), static_cast<uint32_t>(bytes.size() / 4));
    RETURN_IF_ERROR(file.Append(bytes));
  }
  return SegmentSection{.offset = offset, .size = file.size() - offset};
}

}  // namespace

absl::Status WriteSegment(const LexicalPieces& pieces, const std::string& path) {
  RETURN_IF_ERROR(CheckPieces(pieces));
  const JoinedLengths lengths = Join(pieces);
  LexicalHeader header{};
  header.first = pieces.front()->first();
  header.last = pieces.back()->last();
  for (const auto& piece : pieces) header.total_length += static_cast<uint64_t>(piece->total_length());

  ASSIGN_OR_RETURN(SegmentFile file, SegmentFile::Create(path));
  DictionaryWriter dictionary;
  ASSIGN_OR_RETURN(header.lists, AppendLists(file, pieces, lengths.view(), dictionary));
  header.terms = dictionary.terms();
  ASSIGN_OR_RETURN(header.dictionary, AppendSection(file, absl::MakeConstSpan(dictionary.entries())));
  ASSIGN_OR_RETURN(header.index, AppendSection(file, absl::MakeConstSpan(dictionary.index())));
  ASSIGN_OR_RETURN(header.lengths, AppendSection(file, absl::MakeConstSpan(lengths.lengths)));
  ASSIGN_OR_RETURN(header.long_lengths, AppendSection(file, absl::MakeConstSpan(lengths.long_lengths)));
  return file.Finish(header);
}

}  // namespace kernelsmith::memory
