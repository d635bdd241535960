#include "tests/bench/memory/corpus/corpus.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "memory/retrieval/tokenizer.h"
#include "tests/bench/memory/corpus/queries.h"

namespace kernelsmith::memory::bench {
namespace {

TEST(Corpus, MakesEachAttemptAloneAndAlwaysTheSame) {
  const Corpus corpus({.seed = 7});
  const Corpus again({.seed = 7});
  const Corpus other({.seed = 8});
  for (const int64_t number : {0, 1, 5'119, 5'120, 123'456}) {
    EXPECT_EQ(corpus.Attempt(number).DebugString(), again.Attempt(number).DebugString());
    EXPECT_NE(corpus.Attempt(number).DebugString(), other.Attempt(number).DebugString());
    EXPECT_EQ(Corpus::NumberOf(Corpus::AttemptId(number)), number);
  }
  EXPECT_EQ(Corpus::NumberOf("another"), -1);
}

TEST(Corpus, HasPredecessorsOfTheSameSessionLongBeforeTheirSuccessors) {
  const Corpus corpus({});
  int roots = 0;
  for (int64_t number = 0; number < 12'000; number += 7) {
    const v1::RecordAttemptRequest attempt = corpus.Attempt(number);
    if (attempt.prev_attempt_id().empty()) {
      ++roots;
      EXPECT_TRUE(attempt.case_().code_before().empty());
      continue;
    }
    const int64_t before = Corpus::NumberOf(attempt.prev_attempt_id());
    EXPECT_LE(before, number - kSessionsAtOnce);
    EXPECT_EQ(Corpus::SessionOf(before), Corpus::SessionOf(number));
    EXPECT_EQ(corpus.Attempt(before).case_().code_after(), attempt.case_().code_before());
    EXPECT_EQ(corpus.Attempt(before).case_().session(), attempt.case_().session());
  }
  EXPECT_GT(roots, 12'000 / 7 / kSteps / 2);
}

TEST(Corpus, HoldsCodeInRecordsOfAFewKilobytesInTwoLanguages) {
  const Corpus corpus({});
  size_t bytes = 0;
  int chinese = 0;
  int failed = 0;
  std::map<std::string, int> operators;
  constexpr int kSample = 2000;
  for (int64_t i = 0; i < kSample; ++i) {
    const v1::RecordAttemptRequest attempt = corpus.Attempt(i * 97);
    bytes += attempt.ByteSizeLong();
    chinese += attempt.journal().change().find("\xe7") != std::string::npos ? 1 : 0;
    failed += attempt.case_().status() == v1::PASSED ? 0 : 1;
    ++operators[attempt.case_().operator_name()];
  }
  EXPECT_GT(bytes / kSample, 2500u);
  EXPECT_LT(bytes / kSample, 4000u);
  EXPECT_GT(chinese, kSample / 4);
  EXPECT_LT(chinese, kSample / 2);
  EXPECT_GT(failed, kSample / 5);
  EXPECT_LT(failed, kSample / 2);
  // Zipf: many operators, some of them often.
  EXPECT_GT(operators.size(), 150u);
  int most = 0;
  for (const auto& [name, count] : operators) most = std::max(most, count);
  EXPECT_GT(most, kSample / 50);
}

TEST(Queries, AskForAboutEightTermsAndTenItems) {
  const Corpus corpus({});
  constexpr int kSample = 400;
  int filtered = 0;
  size_t terms = 0;
  std::set<std::string> distinct;
  for (int64_t number = 0; number < kSample; ++number) {
    const v1::RetrieveRequest query = MakeQuery(corpus, 5000, number);
    EXPECT_EQ(query.limit(), 10);
    const std::vector<std::string> tokens = Tokenize(query.query());
    const std::set<std::string> asked(tokens.begin(), tokens.end());
    EXPECT_GE(asked.size(), kQueryTerms);
    terms += asked.size();
    filtered += query.filter().ByteSizeLong() > 0 ? 1 : 0;
    distinct.insert(query.query());
    EXPECT_EQ(query.SerializeAsString(), MakeQuery(corpus, 5000, number).SerializeAsString());
  }
  EXPECT_LT(terms, kSample * (kQueryTerms + 3));
  EXPECT_GT(filtered, kSample / 3);
  EXPECT_LT(filtered, kSample * 2 / 3);
  EXPECT_GT(distinct.size(), kSample * 9 / 10u);
}

TEST(Queries, FilterAsTheyAreApplied) {
  const Corpus corpus({});
  const v1::RecordAttemptRequest attempt = corpus.Attempt(3);
  v1::Filter filter;
  EXPECT_TRUE(Passes(filter, attempt, v1::JOURNAL));
  filter.add_kinds(v1::CASE);
  EXPECT_TRUE(Passes(filter, attempt, v1::CASE));
  EXPECT_FALSE(Passes(filter, attempt, v1::JOURNAL));
  filter.add_operators(attempt.case_().operator_name());
  filter.add_families(attempt.case_().family());
  filter.set_architecture(attempt.target().architecture());
  EXPECT_TRUE(Passes(filter, attempt, v1::CASE));
  filter.set_architecture("elsewhere");
  EXPECT_FALSE(Passes(filter, attempt, v1::CASE));
}

}  // namespace
}  // namespace kernelsmith::memory::bench
