// How much room the graph takes at a million items.
#include <gtest/gtest.h>
#include <malloc.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/hash.h"
#include "memory/graph/experience_graph.h"
#include "memory/retrieval/item_filter.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

constexpr int kItems = 1'000'000;
constexpr int64_t kMostBytesPerItem = 300;

int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// An attempt of a job of 20 rounds, with the notes that the store adds.
Fact AttemptFact(int i) {
  Fact fact;
  fact.set_team("local");
  fact.set_sequence(static_cast<uint64_t>(i) + 1);
  const int job = i / 20;
  const std::string id = absl::StrCat("job-", job, "-", 1'000'000 + job * 37, "/", i % 20);
  const std::string prev = i % 20 == 0 ? "" : absl::StrCat("job-", job, "-", 1'000'000 + job * 37, "/", (i % 20) / 2);
  v1::RecordAttemptRequest request = testing::Attempt(id, i % 20 < 2 ? "" : prev, 1.0 + (i % 13) * 0.1);
  v1::Case& source = *request.mutable_case_();
  source.set_operator_name(absl::StrCat("operator-", i % 211));
  source.set_family(absl::StrCat("family-", i % 17));
  source.set_session(absl::StrCat("job-", job));
  source.mutable_thought()->set_id(absl::StrCat("thought-", i % 307));
  source.set_status(i % 3 == 0 ? v1::COMPILE_ERROR : v1::PASSED);
  source.clear_code_before();
  source.clear_code_after();
  *fact.mutable_attempt() = request;
  fact.mutable_notes()->set_has_journal(true);
  fact.mutable_notes()->set_code_after_sha256(common::Sha256Hex(id));
  return fact;
}

TEST(ExperienceGraph, HoldsAMillionItemsInThreeHundredBytesEach) {
  ExperienceGraph graph("local");
  const int64_t before = HeapBytes();
  absl::Duration folding;
  for (int i = 0; i < kItems / 2; ++i) {
    const Fact fact = AttemptFact(i);
    const absl::Time begin = absl::Now();
    graph.Apply(fact);
    folding += absl::Now() - begin;
  }
  const absl::Time begin = absl::Now();
  graph.forest().d(0);
  folding += absl::Now() - begin;
  ASSERT_EQ(graph.item_count(), kItems);
  const int64_t bytes = (HeapBytes() - before) / kItems;
  EXPECT_LE(bytes, kMostBytesPerItem);
  v1::Filter filter;
  filter.add_kinds(v1::CASE);
  filter.add_families("family-3");
  filter.add_excluded_sessions("job-77");
  const absl::Time asked = absl::Now();
  const ItemFilter allowed({.filter = filter, .held_out_operators = {"operator-5"}}, graph);
  const absl::Duration asking = absl::Now() - asked;
  EXPECT_GT(allowed.count(), 20'000);
  std::cout << "bytes an item: " << bytes << ", folded in " << folding << ", filtered in " << asking << "\n";
}

}  // namespace
}  // namespace kernelsmith::memory
