// Vector search over texts like those of the memory: sealed and scanned, with and without a filter, with its recall and
// memory; and what hnswlib does on the same rows.
//
//   build/release/bench/memory_vector_bench --benchmark_filter='/100000'     # a minute; all: ten minutes and 1.5 GiB

#include <benchmark/benchmark.h>
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "common/file_io.h"
#include "memory/embedding/hashed_embedder.h"
#include "memory/retrieval/vector/build_segment.h"
#include "memory/retrieval/vector/vector_index.h"
#include "tests/memory/retrieval/vector_corpus.h"

namespace kernelsmith::memory {
namespace {

constexpr int kQueries = 200;
constexpr size_t kLimit = 100;
constexpr int kDimensions = HashedEmbedder::kDimensions;

template <typename Result>
auto Require(Result result) {
  if (!result.ok()) std::abort();
  return *std::move(result);
}

void Require(const absl::Status& status) {
  if (!status.ok()) std::abort();
}

// `items` items, sealed in one segment; made once.
class Sealed {
 public:
  static const Sealed& Of(uint32_t items) {
    static std::map<uint32_t, std::unique_ptr<Sealed>> made;
    std::unique_ptr<Sealed>& one = made[items];
    if (one == nullptr) one.reset(new Sealed(items));
    return *one;
  }

  const VectorIndex& index() const { return *index_; }
  const std::vector<Vector>& queries() const { return queries_; }
  double build_seconds() const { return build_seconds_; }

 private:
  explicit Sealed(uint32_t items) {
    HashedEmbedder embedder;
    const VectorCorpus corpus(7);
    VectorIndex delta(embedder.id(), kDimensions);
    for (uint32_t item = 0; item < items; ++item) Require(delta.Add(Require(embedder.EmbedQuery(corpus.Text(item)))));
    for (uint32_t i = 0; i < kQueries; ++i) queries_.push_back(Require(embedder.EmbedQuery(corpus.Query(i, items))));
    const auto folder = Require(common::TemporaryFolder::Make("vector-bench"));
    const std::string path = folder.path() + "/segment";
    const absl::Time begin = absl::Now();
    Require(BuildSegment(delta.Rows(0, items), path, {.threads = 2}).status());
    build_seconds_ = absl::ToDoubleSeconds(absl::Now() - begin);
    index_ = std::make_unique<VectorIndex>(embedder.id(), kDimensions);
    Require(index_->Swap(Require(VectorSegment::Open(path, embedder.id(), kDimensions))));
  }

  std::unique_ptr<VectorIndex> index_;
  std::vector<Vector> queries_;
  double build_seconds_ = 0;
};

// Of the nearest ten.
double Recall(const Sealed& sealed, const Roaring* allowed) {
  double found = 0;
  for (const Vector& query : sealed.queries()) {
    const auto exact = Require(sealed.index().SearchExact(query, 10, allowed));
    const auto hits = Require(sealed.index().Search(query, kLimit, allowed));
    for (size_t i = 0; i < exact.size(); ++i) found += hits[i].cosine >= exact.back().cosine ? 1 : 0;
  }
  return found / (10.0 * kQueries);
}

void Search(benchmark::State& state) {
  const auto items = static_cast<uint32_t>(state.range(0));
  const auto every = static_cast<uint32_t>(state.range(1));  // one item of so many is allowed
  const Sealed& sealed = Sealed::Of(items);
  Roaring filter;
  for (uint32_t item = 0; item < items; item += every) filter.add(item);
  const Roaring* const allowed = every == 1 ? nullptr : &filter;
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sealed.index().Search(sealed.queries()[next++ % kQueries], kLimit, allowed));
  }
  state.counters["recall_at_10"] = Recall(sealed, allowed);
  state.counters["bytes_per_item"] = static_cast<double>(sealed.index().memory_bytes()) / items;
  state.counters["build_seconds"] = sealed.build_seconds();
}
BENCHMARK(Search)->ArgsProduct({{100'000, 1'000'000}, {1, 2, 10, 50}})->Unit(benchmark::kMillisecond);

void SearchExact(benchmark::State& state) {
  const Sealed& sealed = Sealed::Of(static_cast<uint32_t>(state.range(0)));
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sealed.index().SearchExact(sealed.queries()[next++ % kQueries], kLimit, nullptr));
  }
}
BENCHMARK(SearchExact)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void ScanOfDelta(benchmark::State& state) {
  const auto items = static_cast<uint32_t>(state.range(0));
  HashedEmbedder embedder;
  const VectorCorpus corpus(7);
  VectorIndex index(embedder.id(), kDimensions);
  for (uint32_t item = 0; item < items; ++item) Require(index.Add(Require(embedder.EmbedQuery(corpus.Text(item)))));
  const Vector query = Require(embedder.EmbedQuery(corpus.Query(1, items)));
  for (auto _ : state) benchmark::DoNotOptimize(index.Search(query, kLimit, nullptr));
}
BENCHMARK(ScanOfDelta)->Arg(50'000)->Unit(benchmark::kMillisecond);

void EmbedText(benchmark::State& state) {
  HashedEmbedder embedder;
  const VectorCorpus corpus(7);
  const std::string text = state.range(0) == 0 ? corpus.Query(1, 1000) : corpus.Text(0);
  for (auto _ : state) benchmark::DoNotOptimize(embedder.EmbedQuery(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(EmbedText)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// hnswlib over the same int8 rows: an element is where its row is.
struct RowReference {
  const int8_t* row;
  float inverse_length;
};

float Distance(const void* a, const void* b, const void* /*parameter*/) {
  const auto& x = *static_cast<const RowReference*>(a);
  const auto& y = *static_cast<const RowReference*>(b);
  const auto dot = static_cast<float>(Dot(x.row, y.row, RowStride(kDimensions)));
  return 1.0F - dot * x.inverse_length * y.inverse_length;
}

class RowSpace : public hnswlib::SpaceInterface<float> {
 public:
  size_t get_data_size() override { return sizeof(RowReference); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return Distance; }
  void* get_dist_func_param() override { return nullptr; }
};

void Hnswlib(benchmark::State& state) {
  const auto items = static_cast<uint32_t>(state.range(0));
  const Sealed& sealed = Sealed::Of(items);
  const VectorSegment& segment = *sealed.index().segments()[0];
  static RowSpace space;
  static std::map<uint32_t, std::unique_ptr<hnswlib::HierarchicalNSW<float>>> made;
  auto& graph = made[items];
  if (graph == nullptr) {
    graph = std::make_unique<hnswlib::HierarchicalNSW<float>>(&space, items, 16, 200);
    for (uint32_t item = 0; item < items; ++item) {
      const RowReference row{segment.RowOf(item), segment.InverseLengthOf(item)};
      graph->addPoint(&row, item);
    }
  }
  graph->ef_ = static_cast<size_t>(state.range(1));
  std::vector<QuantisedVector> queries;
  for (const Vector& query : sealed.queries()) queries.push_back(Require(QuantisedVector::From(query, kDimensions)));
  const auto search = [&](size_t i) {
    const RowReference query{queries[i].row(), queries[i].inverse_length()};
    return graph->searchKnn(&query, kLimit);
  };
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(search(next++ % kQueries));
  double found = 0;
  for (size_t i = 0; i < kQueries; ++i) {
    const auto exact = Require(sealed.index().SearchExact(sealed.queries()[i], 10, nullptr));
    double within = 0;
    for (auto hits = search(i); !hits.empty(); hits.pop()) {
      within += 1.0F - hits.top().first >= exact.back().cosine - 1e-6F ? 1 : 0;
    }
    found += std::min(within, 10.0);
  }
  state.counters["recall_at_10"] = found / (10.0 * kQueries);
}
BENCHMARK(Hnswlib)->ArgsProduct({{100'000}, {100, 600, 2000}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernelsmith::memory
