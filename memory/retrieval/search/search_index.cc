#include "memory/retrieval/search/search_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"
#include "memory/retrieval/lexical/segment_writer.h"
#include "memory/retrieval/search/seal_plan.h"
#include "memory/retrieval/vector/build_segment.h"

namespace kernelsmith::memory {
namespace {

// Items added under one lock; searches wait no longer.
constexpr size_t kBatch = 16;

std::string FileName(absl::string_view half, uint32_t first, uint32_t last, int64_t now_unix_us) {
  return absl::StrCat(half, "-", first, "-", last, "-", now_unix_us);
}

// Below it both halves of a search take less time than to wake another thread.
constexpr uint32_t kItemsToShare = 20'000;

// The vector half of a search.
std::vector<HalfHit> Nearest(const VectorIndex& vectors, const SearchRequest& request) {
  const auto limit = static_cast<size_t>(request.limit);
  const auto found = request.exact ? vectors.SearchExact(*request.vector, limit, request.allowed)
                                   : vectors.Search(*request.vector, limit, request.allowed);
  std::vector<HalfHit> nearest;
  if (!found.ok()) return nearest;
  nearest.reserve(found->size());
  for (const VectorHit& hit : *found) nearest.push_back({.item = static_cast<int>(hit.item), .score = hit.cosine});
  return nearest;
}

// Puts `segment` in the place of those that begin in its range.
void Replace(const storage::v1::IndexSegment& segment,
             google::protobuf::RepeatedPtrField<storage::v1::IndexSegment>* segments) {
  while (!segments->empty() && segments->rbegin()->first_item() >= segment.first_item()) segments->RemoveLast();
  *segments->Add() = segment;
}

std::vector<int64_t> SizesOf(const google::protobuf::RepeatedPtrField<storage::v1::IndexSegment>& segments) {
  std::vector<int64_t> sizes;
  for (const storage::v1::IndexSegment& segment : segments) {
    sizes.push_back(static_cast<int64_t>(segment.last_item()) - segment.first_item());
  }
  return sizes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SearchIndex>> SearchIndex::Open(Options options) {
  RETURN_IF_ERROR(common::MakeFolders(options.folder));
  auto index = std::unique_ptr<SearchIndex>(new SearchIndex(std::move(options)));
  absl::StatusOr<IndexManifest> manifest = ReadManifest(index->options_.folder);
  if (absl::IsDataLoss(manifest.status())) {
    index->problems_.emplace_back(manifest.status().message());
    manifest = IndexManifest();
  }
  RETURN_IF_ERROR(manifest.status());
  index->manifest_ = *std::move(manifest);
  RETURN_IF_ERROR(index->OpenSegments());
  return index;
}

std::string SearchIndex::PathOf(const std::string& file) const { return absl::StrCat(options_.folder, "/", file); }

// A half keeps its segments up to the first one that cannot be used.
absl::Status SearchIndex::OpenSegments() {
  const WriterLock lock(mutex_);
  for (int i = 0; i < manifest_.lexical_size(); ++i) {
    auto segment = LexicalSegment::Open(PathOf(manifest_.lexical(i).file()));
    absl::Status status = segment.status();
    if (absl::IsFailedPrecondition(status)) return status;
    if (status.ok()) status = lexical_.Adopt(*std::move(segment)).status();
    if (status.ok()) continue;
    problems_.push_back(absl::StrCat("words are indexed again from item ", lexical_.size(), " on: ", status.message()));
    manifest_.mutable_lexical()->DeleteSubrange(i, manifest_.lexical_size() - i);
  }
  if (!has_vectors()) {
    manifest_.clear_vectors();
    return absl::OkStatus();
  }
  vectors_ = std::make_unique<VectorIndex>(options_.embedder_id, options_.dimensions);
  if (manifest_.vectors_size() > 0 &&
      (manifest_.embedder() != options_.embedder_id || manifest_.dimensions() != options_.dimensions)) {
    problems_.push_back(absl::StrCat("all items are embedded again: the vectors are of ", manifest_.embedder(),
                                     ", the embedder is ", options_.embedder_id));
    manifest_.clear_vectors();
  }
  manifest_.set_embedder(options_.embedder_id);
  manifest_.set_dimensions(options_.dimensions);
  for (int i = 0; i < manifest_.vectors_size(); ++i) {
    auto segment = VectorSegment::Open(PathOf(manifest_.vectors(i).file()), options_.embedder_id, options_.dimensions);
    absl::Status status = segment.status();
    if (absl::IsFailedPrecondition(status)) return status;
    if (status.ok()) status = vectors_->Swap(*std::move(segment));
    if (status.ok()) continue;
    problems_.push_back(
        absl::StrCat("items are embedded again from item ", vectors_->size(), " on: ", status.message()));
    manifest_.mutable_vectors()->DeleteSubrange(i, manifest_.vectors_size() - i);
  }
  while (vectors_->size() < lexical_.size()) RETURN_IF_ERROR(vectors_->Add({}));
  return absl::OkStatus();
}

uint32_t SearchIndex::indexed() const {
  const ReaderLock lock(mutex_);
  return lexical_.size();
}

absl::Status SearchIndex::Add(absl::Span<const absl::string_view> texts, absl::Span<const Vector> vectors) {
  absl::Status first_error;
  for (size_t begin = 0; begin < texts.size(); begin += kBatch) {
    const WriterLock lock(mutex_);
    for (size_t i = begin; i < std::min(texts.size(), begin + kBatch); ++i) {
      const uint32_t item = lexical_.size();
      lexical_.Add(texts[i]);
      if (vectors_ == nullptr) continue;
      const absl::Span<const float> vector = vectors.empty() ? absl::Span<const float>() : vectors[i];
      absl::Status status;
      if (item == vectors_->size()) {
        status = vectors_->Add(vector);
        if (!status.ok()) RETURN_IF_ERROR(vectors_->Add({}));  // the numbers of both halves agree
      }
      first_error.Update(status);
    }
  }
  return first_error;
}

std::vector<uint32_t> SearchIndex::WithoutVector(uint32_t from, size_t limit) const {
  const ReaderLock lock(mutex_);
  return vectors_ == nullptr ? std::vector<uint32_t>() : vectors_->ItemsWithoutVector(from, limit);
}

absl::Status SearchIndex::AddVectors(absl::Span<const uint32_t> items, absl::Span<const Vector> vectors) {
  absl::Status first_error;
  const WriterLock lock(mutex_);
  for (size_t i = 0; vectors_ != nullptr && i < items.size(); ++i) {
    first_error.Update(vectors_->AddVector(items[i], vectors[i]));
  }
  return first_error;
}

std::vector<std::string> SearchOutcome::TermsOf(const FusedHit& hit) const {
  return hit.lexical_place < 0 ? std::vector<std::string>() : words.TermsOf(words.hits[hit.lexical_place]);
}

SearchOutcome SearchIndex::Search(const SearchRequest& request) const {
  const ReaderLock lock(mutex_);
  const VectorIndex* const vectors = request.vector == nullptr ? nullptr : vectors_.get();
  std::vector<HalfHit> nearest;
  const bool aside = vectors != nullptr && vectors->size() >= kItemsToShare &&
                     side_.TryStart([&nearest, &request, vectors] { nearest = Nearest(*vectors, request); });
  LexicalFinding words = lexical_.Find(request.text, request.limit, request.allowed);
  if (aside) {
    side_.Join();
  } else if (vectors != nullptr) {
    nearest = Nearest(*vectors, request);
  }
  std::vector<HalfHit> lexical;
  lexical.reserve(words.result.hits.size());
  for (const LexicalMatch& match : words.result.hits) {
    lexical.push_back({.item = static_cast<int>(match.item), .score = match.score});
  }
  SearchOutcome outcome;
  outcome.hits = Fuse(lexical, nearest);
  if (request.kept > 0 && outcome.hits.size() > static_cast<size_t>(request.kept)) outcome.hits.resize(request.kept);
  for (const FusedHit& hit : outcome.hits) {
    if (hit.lexical_place >= 0) lexical_.FillTerms(words, words.result.hits[hit.lexical_place]);
  }
  outcome.words = std::move(words.result);
  return outcome;
}

absl::StatusOr<int64_t> SearchIndex::Seal(SealScope scope, const SealOptions& options) {
  LexicalPieces pieces;
  SegmentRows rows;
  uint32_t first = 0;
  uint32_t last = 0;
  {
    const WriterLock lock(mutex_);
    const std::vector<int64_t> sizes = SizesOf(manifest_.lexical());
    const int64_t sealed = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
    last = lexical_.size();
    const int64_t unsealed = static_cast<int64_t>(last) - sealed;
    const SealPlan plan = scope == SealScope::kAll ? PlanSealAll(sizes, unsealed) : PlanSeal(sizes, unsealed);
    if (plan.items == 0) return 0;
    first = last - static_cast<uint32_t>(plan.items);
    lexical_.CutDelta();
    for (const auto& piece : lexical_.Pieces()) {
      if (piece->first() >= first && piece->last() <= last) pieces.push_back(piece);
    }
    if (vectors_ != nullptr) rows = vectors_->Rows(std::min(first, vectors_->sealed()), last);
  }
  const std::string words_file = FileName("words", first, last, options.now_unix_us);
  RETURN_IF_ERROR(WriteSegment(pieces, PathOf(words_file)));
  ASSIGN_OR_RETURN(auto words, LexicalSegment::Open(PathOf(words_file)));

  const std::string vector_file = FileName("vectors", rows.first, rows.last, options.now_unix_us);
  std::shared_ptr<const VectorSegment> vectors;
  if (has_vectors()) {
    BuildOptions build{.threads = options.threads, .cancelled = options.cancelled};
    RETURN_IF_ERROR(BuildSegment(rows, PathOf(vector_file), build).status());
    ASSIGN_OR_RETURN(vectors, VectorSegment::Open(PathOf(vector_file), options_.embedder_id, options_.dimensions));
  }
  LexicalPieces replaced;
  {
    const WriterLock lock(mutex_);
    ASSIGN_OR_RETURN(replaced, lexical_.Adopt(words));
    if (vectors != nullptr) RETURN_IF_ERROR(vectors_->Swap(vectors));
  }
  storage::v1::IndexSegment entry;
  entry.set_first_item(first);
  entry.set_last_item(last);
  entry.set_file(words_file);
  entry.set_sealed_at_unix_us(options.now_unix_us);
  Replace(entry, manifest_.mutable_lexical());
  if (vectors != nullptr) {
    entry.set_first_item(rows.first);
    entry.set_file(vector_file);
    Replace(entry, manifest_.mutable_vectors());
  }
  RETURN_IF_ERROR(WriteManifest(options_.folder, manifest_));
  RemoveOtherFiles(options_.folder, manifest_);
  return static_cast<int64_t>(last) - first;
}

SearchStatistics SearchIndex::Statistics() const {
  const ReaderLock lock(mutex_);
  const LexicalStatistics words = lexical_.Statistics();
  SearchStatistics out{.indexed = words.items,
                       .unsealed = words.delta_items,
                       .segments = words.segments,
                       .memory_bytes = words.resident_bytes,
                       .file_bytes = words.mapped_bytes};
  if (vectors_ != nullptr) {
    out.without_vector = static_cast<int64_t>(vectors_->without_vector());
    out.memory_bytes += static_cast<int64_t>(vectors_->memory_bytes());
  }
  return out;
}

std::string SearchIndex::Fingerprint() const {
  const ReaderLock lock(mutex_);
  return lexical_.Fingerprint();
}

}  // namespace kernelsmith::memory
