#include "tests/bench/memory/load/oracle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include "common/status.h"
#include "memory/graph/item_ids.h"
#include "memory/retrieval/fusion.h"
#include "memory/retrieval/item_text.h"
#include "memory/retrieval/tokenizer.h"
#include "tests/bench/memory/corpus/queries.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;
constexpr int64_t kBatch = 256;  // attempts

// Item 2n is the case of attempt n, item 2n + 1 its journal.
struct Scored {
  double score;
  int item;
  bool operator<(const Scored& other) const { return score != other.score ? score > other.score : item > other.item; }
};

// The best `limit`, in no order until sorted.
class Best {
 public:
  void Offer(Scored hit, size_t limit) {
    if (hits_.size() == limit && !(hit < hits_.front())) return;
    if (hits_.size() == limit) {
      std::pop_heap(hits_.begin(), hits_.end());
      hits_.pop_back();
    }
    hits_.push_back(hit);
    std::push_heap(hits_.begin(), hits_.end());
  }
  void Merge(const Best& other, size_t limit) {
    for (const Scored& hit : other.hits_) Offer(hit, limit);
  }
  std::vector<HalfHit> Sorted() const {
    std::vector<Scored> sorted = hits_;
    std::sort(sorted.begin(), sorted.end());
    std::vector<HalfHit> out;
    for (const Scored& hit : sorted) out.push_back({.item = hit.item, .score = hit.score});
    return out;
  }

 private:
  std::vector<Scored> hits_;  // a heap, the worst first
};

struct Query {
  std::vector<int> terms;
  Vector vector;
};

class Oracle {
 public:
  Oracle(const Corpus& corpus, const std::vector<v1::RetrieveRequest>& requests, const OracleOptions& options,
         Embedder* embedder)
      : corpus_(corpus), requests_(requests), options_(options), embedder_(embedder) {}

  absl::Status Run() {
    for (const v1::RetrieveRequest& request : requests_) RETURN_IF_ERROR(AddQuery(request));
    RETURN_IF_ERROR(EachBatch([this](int64_t first, int64_t last) { return CountBatch(first, last); }));
    for (int& documents : documents_) {
      const double with = documents;
      idf_.push_back(std::log1p((items() - with + 0.5) / (with + 0.5)));
    }
    return EachBatch([this](int64_t first, int64_t last) { return ScoreBatch(first, last); });
  }

  std::vector<std::string> Answer(size_t query) const {
    std::vector<std::string> ids;
    for (const FusedHit& hit : Fuse(words_[query].Sorted(), vectors_[query].Sorted())) {
      if (ids.size() == static_cast<size_t>(options_.limit)) break;
      const std::string attempt = Corpus::AttemptId(hit.item / 2);
      ids.push_back(hit.item % 2 == 0 ? CaseItemId(options_.team, kProducer, attempt)
                                      : JournalItemId(options_.team, kProducer, attempt));
    }
    return ids;
  }

 private:
  double items() const { return 2.0 * static_cast<double>(options_.attempts); }

  absl::Status AddQuery(const v1::RetrieveRequest& request) {
    Query& query = queries_.emplace_back();
    const std::vector<std::string> tokens = Tokenize(request.query());
    for (const std::string& term : std::set<std::string>(tokens.begin(), tokens.end())) {
      const auto [entry, added] = terms_.emplace(term, static_cast<int>(terms_.size()));
      query.terms.push_back(entry->second);
      if (added) documents_.push_back(0);
    }
    if (embedder_ != nullptr) {
      ASSIGN_OR_RETURN(query.vector, embedder_->EmbedQuery(request.query()));
    }
    words_.emplace_back();
    vectors_.emplace_back();
    return absl::OkStatus();
  }

  // Batches of attempts, in several threads; stops at the first error.
  absl::Status EachBatch(const std::function<absl::Status(int64_t, int64_t)>& work) {
    std::mutex mutex;
    int64_t next = 0;
    absl::Status failure;
    std::vector<std::thread> threads;
    for (int t = 0; t < options_.threads; ++t) {
      threads.emplace_back([&] {
        for (;;) {
          int64_t first = 0;
          {
            const std::lock_guard<std::mutex> lock(mutex);
            if (next >= options_.attempts || !failure.ok()) return;
            first = next;
            next += kBatch;
          }
          const absl::Status status = work(first, std::min(first + kBatch, options_.attempts));
          const std::lock_guard<std::mutex> lock(mutex);
          failure.Update(status);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return failure;
  }

  static std::string TextOf(const v1::RecordAttemptRequest& attempt, bool journal) {
    return journal ? JournalText(attempt.case_(), attempt.journal()) : CaseText(attempt.case_());
  }

  // Counts of the query terms in one text, and its length in terms.
  int64_t CountTerms(const std::string& text, std::unordered_map<int, int>& counts) const {
    counts.clear();
    const std::vector<std::string> tokens = Tokenize(text);
    for (const std::string& token : tokens) {
      if (const auto entry = terms_.find(token); entry != terms_.end()) ++counts[entry->second];
    }
    return static_cast<int64_t>(tokens.size());
  }

  absl::Status CountBatch(int64_t first, int64_t last) {
    std::unordered_map<int, int> counts;
    std::unordered_map<int, int> documents;
    int64_t length = 0;
    for (int64_t number = first; number < last; ++number) {
      const v1::RecordAttemptRequest attempt = corpus_.Attempt(number);
      for (const bool journal : {false, true}) {
        length += CountTerms(TextOf(attempt, journal), counts);
        for (const auto& [term, count] : counts) ++documents[term];
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    total_length_ += length;
    for (const auto& [term, count] : documents) documents_[term] += count;
    return absl::OkStatus();
  }

  absl::Status ScoreBatch(int64_t first, int64_t last) {
    std::vector<Best> words(queries_.size());
    std::vector<Best> vectors(queries_.size());
    const auto half = static_cast<size_t>(options_.half);
    const double average = static_cast<double>(total_length_) / items();
    std::unordered_map<int, int> counts;
    for (int64_t number = first; number < last; ++number) {
      const v1::RecordAttemptRequest attempt = corpus_.Attempt(number);
      for (const bool journal : {false, true}) {
        const std::string text = TextOf(attempt, journal);
        const auto length = static_cast<double>(CountTerms(text, counts));
        Vector vector;
        if (embedder_ != nullptr) {
          const absl::string_view view = text;
          ASSIGN_OR_RETURN(std::vector<Vector> embedded, embedder_->Embed({&view, 1}));
          vector = std::move(embedded[0]);
        }
        const int item = static_cast<int>(2 * number) + (journal ? 1 : 0);
        for (size_t q = 0; q < queries_.size(); ++q) {
          if (!Passes(requests_[q].filter(), attempt, journal ? v1::JOURNAL : v1::CASE)) continue;
          double score = 0;
          for (const int term : queries_[q].terms) {
            const auto found = counts.find(term);
            if (found == counts.end()) continue;
            const double count = found->second;
            score += idf_[term] * count * (kK1 + 1) / (count + kK1 * (1 - kB + kB * length / average));
          }
          if (score > 0) words[q].Offer({score, item}, half);
          if (vector.empty()) continue;
          float cosine = 0;
          for (size_t i = 0; i < vector.size(); ++i) cosine += vector[i] * queries_[q].vector[i];
          vectors[q].Offer({cosine, item}, half);
        }
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t q = 0; q < queries_.size(); ++q) {
      words_[q].Merge(words[q], half);
      vectors_[q].Merge(vectors[q], half);
    }
    return absl::OkStatus();
  }

  const Corpus& corpus_;
  const std::vector<v1::RetrieveRequest>& requests_;
  const OracleOptions& options_;
  Embedder* const embedder_;
  std::unordered_map<std::string, int> terms_;  // of all queries
  std::vector<Query> queries_;
  std::mutex mutex_;            // guards what follows while batches run
  std::vector<int> documents_;  // items that hold the term
  int64_t total_length_ = 0;    // terms of all items
  std::vector<double> idf_;
  std::vector<Best> words_;
  std::vector<Best> vectors_;
};

}  // namespace

absl::StatusOr<std::vector<std::vector<std::string>>> ExactHybrid(const Corpus& corpus,
                                                                  const std::vector<v1::RetrieveRequest>& queries,
                                                                  const OracleOptions& options, Embedder* embedder) {
  Oracle oracle(corpus, queries, options, embedder);
  RETURN_IF_ERROR(oracle.Run());
  std::vector<std::vector<std::string>> answers;
  for (size_t query = 0; query < queries.size(); ++query) answers.push_back(oracle.Answer(query));
  return answers;
}

double Recall(const std::vector<std::vector<std::string>>& exact, const std::vector<std::vector<std::string>>& found) {
  double sum = 0;
  int counted = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (exact[i].empty()) continue;
    const std::set<std::string> got(found[i].begin(), found[i].end());
    const auto hits = std::count_if(exact[i].begin(), exact[i].end(), [&](const auto& id) { return got.contains(id); });
    sum += static_cast<double>(hits) / static_cast<double>(exact[i].size());
    ++counted;
  }
  return counted == 0 ? 1 : sum / counted;
}

}  // namespace kernelsmith::memory::bench
