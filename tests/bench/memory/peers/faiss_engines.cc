// faiss: IndexFlatIP (scan of all float vectors) and IndexHNSWFlat, one query at a time in one thread.
#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <omp.h>

#include <algorithm>
#include <exception>

#include "absl/strings/str_cat.h"
#include "tests/bench/memory/peers/engine.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr int kLinks = 16;         // M, the usual choice
constexpr int kBuildEffort = 200;  // efConstruction
constexpr int kEfforts[] = {10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024};

class Faiss : public Engine {
 public:
  Faiss(const Workload& workload, std::unique_ptr<faiss::Index> index)
      : workload_(workload), index_(std::move(index)) {}

  void Fill() {
    omp_set_num_threads(2);
    const size_t dimensions = workload_.vectors[0].size();
    std::vector<float> rows;
    rows.reserve(workload_.vectors.size() * dimensions);
    for (const Vector& vector : workload_.vectors) rows.insert(rows.end(), vector.begin(), vector.end());
    index_->add(static_cast<faiss::Index::idx_t>(workload_.vectors.size()), rows.data());
    omp_set_num_threads(1);
  }

  std::vector<uint32_t> Search(size_t query) override {
    float scores[kHits];
    faiss::Index::idx_t labels[kHits];
    index_->search(1, workload_.query_vectors[query].data(), kHits, scores, labels);
    std::vector<uint32_t> items;
    for (const auto label : labels) {
      if (label >= 0) items.push_back(static_cast<uint32_t>(label));
    }
    return items;
  }

 private:
  const Workload& workload_;
  const std::unique_ptr<faiss::Index> index_;
};

}  // namespace

MadeEngine MakeFaissFlat(const Workload& workload) {
  try {
    auto engine = std::make_unique<Faiss>(
        workload, std::make_unique<faiss::IndexFlatIP>(static_cast<int>(workload.vectors[0].size())));
    engine->Fill();
    return engine;
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("faiss: ", error.what()));
  }
}

MadeEngine MakeFaissHnsw(const Workload& workload, const std::vector<std::vector<uint32_t>>& exact, double recall) {
  try {
    auto index = std::make_unique<faiss::IndexHNSWFlat>(static_cast<int>(workload.vectors[0].size()), kLinks,
                                                        faiss::METRIC_INNER_PRODUCT);
    index->hnsw.efConstruction = kBuildEffort;
    faiss::HNSW& graph = index->hnsw;
    auto engine = std::make_unique<Faiss>(workload, std::move(index));
    engine->Fill();
    for (const int effort : kEfforts) {
      graph.efSearch = effort;
      if (RecallOf(*engine, exact) >= recall) break;
    }
    return engine;
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("faiss: ", error.what()));
  }
}

}  // namespace kernelsmith::memory::bench
