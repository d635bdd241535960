// The memory's own indexes, sealed into segments as a running server has them.
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/retrieval/lexical/lexical_index.h"
#include "memory/retrieval/lexical/segment_writer.h"
#include "memory/retrieval/vector/build_segment.h"
#include "memory/retrieval/vector/vector_index.h"
#include "tests/bench/memory/peers/engine.h"

namespace kernelsmith::memory::bench {
namespace {

class OurWords : public Engine {
 public:
  explicit OurWords(const Workload& workload) : workload_(workload) {}

  absl::Status Fill(const std::string& folder) {
    for (const std::string& text : workload_.texts) index_.Add(text);
    const std::string path = absl::StrCat(folder, "/words");
    RETURN_IF_ERROR(WriteSegment(index_.CutDelta(), path));
    ASSIGN_OR_RETURN(std::shared_ptr<const LexicalSegment> segment, LexicalSegment::Open(path));
    return index_.Adopt(std::move(segment)).status();
  }

  std::vector<uint32_t> Search(size_t query) override {
    std::vector<uint32_t> items;
    for (const LexicalMatch& hit : index_.Search(workload_.query_texts[query], kHits, nullptr).hits) {
      items.push_back(hit.item);
    }
    return items;
  }

 private:
  const Workload& workload_;
  LexicalIndex index_;
};

class OurVectors : public Engine {
 public:
  OurVectors(const Workload& workload, bool scan)
      : workload_(workload), scan_(scan), index_("bench", static_cast<int>(workload.vectors[0].size())) {}

  absl::Status Fill(const std::string& folder) {
    for (const Vector& vector : workload_.vectors) RETURN_IF_ERROR(index_.Add(vector));
    const std::string path = absl::StrCat(folder, "/vectors");
    RETURN_IF_ERROR(BuildSegment(index_.Rows(0, index_.size()), path).status());
    ASSIGN_OR_RETURN(std::shared_ptr<const VectorSegment> segment,
                     VectorSegment::Open(path, index_.embedder_id(), index_.dimensions()));
    return index_.Swap(std::move(segment));
  }

  std::vector<uint32_t> Search(size_t query) override {
    const Vector& vector = workload_.query_vectors[query];
    const auto hits = scan_ ? index_.SearchExact(vector, kHits, nullptr) : index_.Search(vector, kHits, nullptr);
    std::vector<uint32_t> items;
    for (const VectorHit& hit : hits.value_or(std::vector<VectorHit>())) items.push_back(hit.item);
    return items;
  }

 private:
  const Workload& workload_;
  const bool scan_;
  VectorIndex index_;
};

}  // namespace

MadeEngine MakeOurWords(const Workload& workload, const std::string& folder) {
  auto engine = std::make_unique<OurWords>(workload);
  RETURN_IF_ERROR(engine->Fill(folder));
  return engine;
}

MadeEngine MakeOurVectors(const Workload& workload, const std::string& folder, bool scan) {
  auto engine = std::make_unique<OurVectors>(workload, scan);
  RETURN_IF_ERROR(engine->Fill(folder));
  return engine;
}

}  // namespace kernelsmith::memory::bench
