#include "tests/bench/memory/peers/workload.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/status.h"
#include "memory/embedding/make_embedder.h"
#include "memory/retrieval/item_text.h"
#include "memory/retrieval/tokenizer.h"
#include "tests/bench/memory/corpus/queries.h"

namespace kernelsmith::memory::bench {
namespace {

using WordTable = std::unordered_map<std::string, size_t>;

std::string WordOf(const std::string& term, WordTable& table) {
  return absl::StrFormat("w%x", table.emplace(term, table.size()).first->second);
}

std::vector<uint32_t> BestOf(std::vector<std::pair<double, uint32_t>>& scored, size_t limit) {
  const size_t kept = std::min(limit, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(kept), scored.end(),
                    [](const auto& a, const auto& b) { return a > b; });
  std::vector<uint32_t> items;
  for (size_t i = 0; i < kept; ++i) items.push_back(scored[i].second);
  return items;
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const WorkloadOptions& options) {
  const Corpus corpus({.seed = options.seed});
  Workload workload;
  WordTable table;
  const auto words_of = [&table](const std::string& text) {
    std::vector<std::string> words;
    for (const std::string& term : Tokenize(text)) words.push_back(WordOf(term, table));
    return words;
  };
  for (int64_t number = 0; number < options.items / 2; ++number) {
    const v1::RecordAttemptRequest attempt = corpus.Attempt(number);
    workload.texts.push_back(CaseText(attempt.case_()));
    workload.texts.push_back(JournalText(attempt.case_(), attempt.journal()));
  }
  for (const std::string& text : workload.texts) workload.words.push_back(absl::StrJoin(words_of(text), " "));
  for (int64_t number = 0; number < options.queries; ++number) {
    const std::string text = MakeQuery(corpus, options.items / 2, number).query();
    const std::vector<std::string> words = words_of(text);
    const std::set<std::string> distinct(words.begin(), words.end());
    workload.query_texts.push_back(text);
    workload.query_words.emplace_back(distinct.begin(), distinct.end());
  }
  if (!options.vectors) return workload;
  ASSIGN_OR_RETURN(const std::unique_ptr<Embedder> embedder, MakeEmbedder({}));
  for (const std::string& text : workload.texts) {
    const absl::string_view view = text;
    ASSIGN_OR_RETURN(std::vector<Vector> vectors, embedder->Embed({&view, 1}));
    workload.vectors.push_back(std::move(vectors[0]));
  }
  for (const std::string& text : workload.query_texts) {
    ASSIGN_OR_RETURN(Vector vector, embedder->EmbedQuery(text));
    workload.query_vectors.push_back(std::move(vector));
  }
  return workload;
}

std::vector<std::vector<uint32_t>> ExactWords(const Workload& workload, size_t limit) {
  constexpr double kK1 = 1.2;
  constexpr double kB = 0.75;
  std::unordered_map<std::string, std::vector<std::pair<uint32_t, int>>> postings;  // of query words
  for (const auto& words : workload.query_words) {
    for (const std::string& word : words) postings[word];
  }
  std::vector<double> lengths;
  double total = 0;
  for (uint32_t item = 0; item < workload.words.size(); ++item) {
    double length = 0;
    for (const absl::string_view word : absl::StrSplit(workload.words[item], ' ')) {
      ++length;
      const auto entry = postings.find(std::string(word));
      if (entry == postings.end()) continue;
      if (entry->second.empty() || entry->second.back().first != item) entry->second.emplace_back(item, 0);
      ++entry->second.back().second;
    }
    lengths.push_back(length);
    total += length;
  }
  const auto items = static_cast<double>(lengths.size());
  std::vector<std::vector<uint32_t>> answers;
  std::vector<double> sums(lengths.size());
  for (const auto& words : workload.query_words) {
    std::fill(sums.begin(), sums.end(), 0);
    for (const std::string& word : words) {
      const auto& list = postings[word];
      const auto with = static_cast<double>(list.size());
      const double idf = std::log1p((items - with + 0.5) / (with + 0.5));
      for (const auto& [item, count] : list) {
        sums[item] += idf * count * (kK1 + 1) / (count + kK1 * (1 - kB + kB * lengths[item] * items / total));
      }
    }
    std::vector<std::pair<double, uint32_t>> scored;
    for (uint32_t item = 0; item < sums.size(); ++item) {
      if (sums[item] > 0) scored.emplace_back(sums[item], item);
    }
    answers.push_back(BestOf(scored, limit));
  }
  return answers;
}

std::vector<std::vector<uint32_t>> ExactVectors(const Workload& workload, size_t limit) {
  std::vector<std::vector<uint32_t>> answers;
  for (const Vector& query : workload.query_vectors) {
    std::vector<std::pair<double, uint32_t>> scored;
    for (uint32_t item = 0; item < workload.vectors.size(); ++item) {
      float cosine = 0;
      for (size_t i = 0; i < query.size(); ++i) cosine += query[i] * workload.vectors[item][i];
      scored.emplace_back(cosine, item);
    }
    answers.push_back(BestOf(scored, limit));
  }
  return answers;
}

}  // namespace kernelsmith::memory::bench
