// BM25 with k1 = 1.2 and b = 0.75, operation by operation, so that every path to a score rounds alike.
//
//   idf(n)      = ln(1 + (N - n + 0.5) / (n + 0.5))      N items, n of them with the term; positive for every n <= N
//   norm(len)   = k1 * (1 - b + b * len / average)       terms of the item over the average
//   part(count) = idf * count * (k1 + 1) / (count + norm)
//   score       = sum of the parts, the rarest term first; terms of one frequency in byte order
//
// Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the idf of
// Lucene, which does not turn negative.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace kernelsmith::memory {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;

inline double InverseFrequency(int64_t items, int64_t items_with_term) {
  const auto total = static_cast<double>(items);
  const auto with = static_cast<double>(items_with_term);
  return std::log1p((total - with + 0.5) / (with + 0.5));
}

// norm(len) for the average of one moment; common lengths come from a table.
class LengthNorms {
 public:
  // An index without terms has the average 1.
  LengthNorms(int64_t items, int64_t total_length)
      : average_(items == 0 ? 1.0 : std::fmax(1.0, static_cast<double>(total_length) / static_cast<double>(items))) {
    for (uint32_t length = 0; length < table_.size(); ++length) table_[length] = Compute(length);
  }

  double Of(uint32_t length) const { return length < table_.size() ? table_[length] : Compute(length); }

 private:
  double Compute(uint32_t length) const { return kK1 * (1 - kB + kB * length / average_); }

  double average_;
  std::array<double, 1024> table_;
};

// A term's share of scores.
class TermWeight {
 public:
  explicit TermWeight(double idf) : idf_(idf) {
    for (uint32_t count = 0; count < numerators_.size(); ++count) numerators_[count] = Compute(count);
  }

  // part(count) for an item with this norm. REQUIRES: count > 0
  double Part(uint32_t count, double norm) const {
    const double numerator = count < numerators_.size() ? numerators_[count] : Compute(count);
    return numerator / (count + norm);
  }

  // What no part reaches, whatever the count.
  double Limit() const { return idf_ * (kK1 + 1); }

 private:
  double Compute(uint32_t count) const { return idf_ * count * (kK1 + 1); }

  double idf_;
  std::array<double, 16> numerators_;
};

}  // namespace kernelsmith::memory
