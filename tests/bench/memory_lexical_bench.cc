// Lexical search at 100 000 and 1 000 000 items of one sealed segment: queries of 8 terms, the best 100, with and
// without a set of allowed items; indexing and opening; the tokenizer. One thread. Seeded, so that runs compare.
//
// The corpus: 60 to 150 distinct terms an item out of 400 000, of Zipf-like frequency, field names and texts like those
// of item_text.h, every third item Chinese. A query takes its terms from one item at random, so it has frequent and
// rare ones like a real one. Counters p50_us and p99_us are of single queries, in processor time of the thread, so that
// other work on the machine counts little.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/retrieval/lexical/lexical_index.h"
#include "memory/retrieval/lexical/segment_builder.h"
#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory {
namespace {

constexpr int kWords = 400000;
constexpr int kQueries = 500;

// The word of a rank: common ones short, many identifiers, numbers, every fourth Chinese.
std::string WordOf(int rank) {
  static const char* const kParts[] = {"Data", "Copy", "Pad", "Vec", "Tile", "Row", "Reduce", "Exp", "Queue", "Pipe"};
  static const char* const kIdeographs[] = {"向", "量", "加", "法", "搬", "运", "矩", "阵", "流", "水",
                                            "缓", "存", "对", "齐", "分", "块", "算", "子", "性", "能"};
  switch (rank % 4) {
    case 0: {
      std::string word;
      for (int n = rank / 4 + 1; n > 0; n /= 20) word += kIdeographs[n % 20];
      return word;
    }
    case 1:
      return absl::StrCat(kParts[rank % 10], kParts[rank / 10 % 10], rank < 2000 ? "" : absl::StrCat(rank / 100));
    case 2:
      return absl::StrCat("w", rank);
    default:
      return absl::StrCat(kParts[rank / 7 % 10], "_", rank * 13 % 10007);
  }
}

class Texts {
 public:
  explicit Texts(uint32_t seed) : random_(seed) {
    double sum = 0;
    for (int rank = 0; rank < kWords; ++rank) cumulated_.push_back(sum += 1.0 / std::pow(rank + 2.7, 1.05));
  }

  std::string Next() {
    static const char* const kFields[] = {"thought", "why", "hypothesis", "feedback", "diagnostic", "measurements"};
    std::string text = absl::StrCat("operator: op", Below(300), "\nfamily: f", Below(20), "\ndtype: DTYPE_FLOAT16\n");
    const int words = 35 + Below(60);
    for (int i = 0; i < words; ++i) {
      if (i % 16 == 0) absl::StrAppend(&text, i == 0 ? "" : "\n", kFields[i / 16 % 6], ": ");
      absl::StrAppend(&text, WordOf(Rank()), " ");
    }
    return text;
  }

  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }

 private:
  int Rank() {
    const double place = cumulated_.back() * (static_cast<double>(random_()) + 0.5) / 4294967296.0;
    return static_cast<int>(std::lower_bound(cumulated_.begin(), cumulated_.end(), place) - cumulated_.begin());
  }

  std::mt19937 random_;
  std::vector<double> cumulated_;
};

// Eight different terms of one random item.
std::vector<std::string> MakeQueries(uint32_t seed) {
  Texts texts(seed);
  std::vector<std::string> queries;
  while (queries.size() < kQueries) {
    std::vector<std::string> terms = Tokenize(texts.Next());
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    if (terms.size() < 8) continue;
    std::string query;
    for (int i = 0; i < 8; ++i) {
      std::swap(terms[i], terms[i + texts.Below(static_cast<int>(terms.size()) - i)]);
      absl::StrAppend(&query, terms[i], " ");
    }
    queries.push_back(query);
  }
  return queries;
}

struct Corpus {
  common::TemporaryFolder folder = common::TemporaryFolder::Make("lexical-bench").value();
  std::string path = folder.path() + "/segment";
  LexicalIndex index;
  double build_seconds = 0;
  int64_t text_bytes = 0;
  int64_t terms = 0;
};

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Built once a size; processor time, without making the texts.
Corpus& CorpusOf(int items) {
  static auto* const corpora = new std::map<int, std::unique_ptr<Corpus>>();
  std::unique_ptr<Corpus>& corpus = (*corpora)[items];
  if (corpus != nullptr) return *corpus;
  corpus = std::make_unique<Corpus>();
  Texts texts(1);
  SegmentBuilder builder(0, corpus->path);
  for (int i = 0; i < items; ++i) {
    const std::string text = texts.Next();
    corpus->text_bytes += static_cast<int64_t>(text.size());
    const double start = ProcessorSeconds();
    builder.Add(text).IgnoreError();
    corpus->build_seconds += ProcessorSeconds() - start;
  }
  const double start = ProcessorSeconds();
  builder.Finish().IgnoreError();
  corpus->build_seconds += ProcessorSeconds() - start;
  corpus->index.Adopt(LexicalSegment::Open(corpus->path).value()).IgnoreError();
  return *corpus;
}

// Arguments: items, and allowed items of a thousand.
void BM_Search(benchmark::State& state) {
  const auto items = static_cast<int>(state.range(0));
  const Corpus& corpus = CorpusOf(items);
  const std::vector<std::string> queries = MakeQueries(2);
  Roaring allowed;
  std::mt19937 random(3);
  for (int item = 0; item < items; ++item) {
    if (random() % 1000 < static_cast<uint32_t>(state.range(1))) allowed.add(static_cast<uint32_t>(item));
  }
  std::vector<double> times;
  for (const std::string& query : queries) corpus.index.Search(query, 100, &allowed);  // pages come in
  size_t next = 0;
  for (auto _ : state) {
    const double start = ProcessorSeconds();
    benchmark::DoNotOptimize(corpus.index.Search(queries[next], 100, &allowed));
    times.push_back(1e6 * (ProcessorSeconds() - start));
    next = (next + 1) % queries.size();
  }
  std::sort(times.begin(), times.end());
  state.counters["p50_us"] = times[times.size() / 2];
  state.counters["p99_us"] = times[times.size() * 99 / 100];
}
BENCHMARK(BM_Search)
    ->ArgsProduct({{100000, 1000000}, {10, 300, 1000}})
    ->ArgNames({"items", "allowed_permille"})
    ->Iterations(2 * kQueries)
    ->Unit(benchmark::kMicrosecond);

// Texts into a sealed segment, in bounded memory; the corpus of the searches.
void BM_Build(benchmark::State& state) {
  const auto items = static_cast<int>(state.range(0));
  const Corpus& corpus = CorpusOf(items);
  for (auto _ : state) state.SetIterationTime(corpus.build_seconds);
  const LexicalStatistics statistics = corpus.index.Statistics();
  state.counters["text_bytes_per_item"] = static_cast<double>(corpus.text_bytes) / items;
  state.counters["mapped_bytes_per_item"] = static_cast<double>(statistics.mapped_bytes) / items;
  state.counters["items_per_second"] = items / corpus.build_seconds;
}
BENCHMARK(BM_Build)->Arg(100000)->Arg(1000000)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

// Opening with all checks, from the page cache.
void BM_Open(benchmark::State& state) {
  const Corpus& corpus = CorpusOf(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(LexicalSegment::Open(corpus.path));
  state.SetBytesProcessed(state.iterations() * corpus.index.Statistics().mapped_bytes);
}
BENCHMARK(BM_Open)->Arg(100000)->Arg(1000000)->Iterations(2)->Unit(benchmark::kMillisecond);

// The delta: items a second, and bytes an item in memory.
void BM_AddToDelta(benchmark::State& state) {
  Texts texts(4);
  std::vector<std::string> some;
  for (int i = 0; i < 20000; ++i) some.push_back(texts.Next());
  LexicalIndex index;
  for (auto _ : state) {
    index = LexicalIndex();
    for (const std::string& text : some) index.Add(text);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(some.size()));
  state.counters["resident_bytes_per_item"] =
      static_cast<double>(index.Statistics().resident_bytes) / static_cast<double>(some.size());
}
BENCHMARK(BM_AddToDelta)->Iterations(2)->Unit(benchmark::kMillisecond);

void BM_Tokenize(benchmark::State& state) {
  Texts texts(5);
  std::string text;
  while (text.size() < (1 << 20)) text += texts.Next() + "\n";
  TermBuffer buffer;
  for (auto _ : state) {
    Tokenize(text, buffer);
    benchmark::DoNotOptimize(buffer.terms.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_Tokenize)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernelsmith::memory
