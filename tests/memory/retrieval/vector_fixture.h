// Vectors of the test corpus and what a plain loop finds among them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/retrieval/vector/build_segment.h"
#include "memory/retrieval/vector/node_hash.h"
#include "memory/retrieval/vector/vector_index.h"

namespace kernelsmith::memory {

constexpr int kTestDimensions = 48;
constexpr char kTestEmbedder[] = "test/48";

// Clustered: near one of 40 centres, at a distance that varies; some are equal.
inline std::vector<float> TestVector(uint64_t seed, uint32_t number, int dimensions = kTestDimensions) {
  if (number % 11 == 5) number -= 5;  // equal to another
  const auto unit = [](uint64_t bits) { return static_cast<float>(bits >> 40) / 8388608.0F - 1.0F; };
  const uint64_t centre = NodeHash(number, seed) % 40;
  const float spread = 0.2F + 0.8F * std::abs(unit(NodeHash(number, seed + 1)));
  std::vector<float> vector;
  for (int d = 0; d < dimensions; ++d) {
    const auto place = static_cast<uint64_t>(d);
    vector.push_back(unit(NodeHash(centre * 10'000 + place, seed + 2)) +
                     spread * unit(NodeHash(uint64_t{number} * 10'000 + place, seed + 3)));
  }
  return vector;
}

// The cosine of the quantised vectors, by a loop in plain integers.
inline float TestCosine(const std::vector<float>& query, const std::vector<float>& vector) {
  const auto quantise = [](const std::vector<float>& numbers) {
    float greatest = 0;
    for (const float number : numbers) greatest = std::max(greatest, std::abs(number));
    std::vector<int64_t> out;
    for (const float number : numbers) out.push_back(std::lround(127.0 * (static_cast<double>(number) / greatest)));
    return out;
  };
  const std::vector<int64_t> a = quantise(query);
  const std::vector<int64_t> b = quantise(vector);
  int64_t dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  const float score = static_cast<float>(dot) * static_cast<float>(1.0 / std::sqrt(static_cast<double>(bb)));
  return score * static_cast<float>(1.0 / std::sqrt(static_cast<double>(aa)));
}

class VectorFixture : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = common::TemporaryFolder::Make("vector-test");
    ASSERT_TRUE(folder.ok()) << folder.status();
    folder_ = std::make_unique<common::TemporaryFolder>(*std::move(folder));
  }

  std::string Path(const std::string& name) const { return absl::StrCat(folder_->path(), "/", name); }

  // Items [index.size(), last); every 13th has no vector.
  static void AddItems(VectorIndex& index, uint64_t seed, uint32_t last) {
    while (index.size() < last) {
      const uint32_t item = index.size();
      ASSERT_TRUE(index.Add(item % 13 == 12 ? std::vector<float>() : TestVector(seed, item)).ok());
    }
  }

  void Seal(VectorIndex& index, uint32_t first, uint32_t last, BuildOptions options = {}) {
    const std::string path = Path(absl::StrCat(first, "-", last));
    const auto info = BuildSegment(index.Rows(first, last), path, options);
    ASSERT_TRUE(info.ok()) << info.status();
    const auto segment = VectorSegment::Open(path, index.embedder_id(), index.dimensions());
    ASSERT_TRUE(segment.ok()) << segment.status();
    EXPECT_EQ((*segment)->checksum(), info->checksum);
    const absl::Status swapped = index.Swap(*segment);
    ASSERT_TRUE(swapped.ok()) << swapped;
  }

  std::unique_ptr<common::TemporaryFolder> folder_;
};

}  // namespace kernelsmith::memory
