// A seeded corpus of attempts, each with a case and a journal: what a fleet would have recorded. Any attempt is made
// alone, from its number, so that nothing has to be kept.
//
//   const Corpus corpus({.seed = 1});
//   v1::RecordAttemptRequest request = corpus.Attempt(12'345);
//
// Attempts come in sessions of kSteps: one operator on one target, in one language, a chain, a star or a tree of
// versions. kSessionsAtOnce sessions run side by side, so a predecessor lies at least that many attempts before its
// successor.
#pragma once

#include <cstdint>
#include <string>

#include "kernelsmith/v1/memory.pb.h"
#include "tests/bench/memory/corpus/vocabulary.h"

namespace kernelsmith::memory::bench {

inline constexpr int64_t kSteps = 20;
inline constexpr int64_t kSessionsAtOnce = 256;
inline constexpr char kProducer[] = "coordinator-bench";

class Corpus {
 public:
  struct Options {
    uint64_t seed = 1;
  };
  explicit Corpus(Options options) : seed_(options.seed), vocabulary_(options.seed) {}

  v1::RecordAttemptRequest Attempt(int64_t number) const;

  static std::string AttemptId(int64_t number);
  // Which session an attempt belongs to; a session's attempts are recorded in rising order.
  static int64_t SessionOf(int64_t number);
  // The number that AttemptId made it from, -1 if it is not one.
  static int64_t NumberOf(const std::string& attempt_id);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  uint64_t seed() const { return seed_; }

 private:
  struct Session;
  struct Outcome;
  Session SessionFor(int64_t session) const;
  Outcome OutcomeOf(const Session& session, int64_t step) const;
  int64_t Predecessor(const Session& session, int64_t step) const;
  std::string SourceOf(const Session& session, int64_t step) const;
  void FillCase(const Session& session, int64_t step, Random& random, v1::Case& out) const;
  void FillFailure(const Session& session, Random& random, v1::Case& out) const;
  void FillJournal(const Session& session, const v1::Case& source, Random& random, v1::Journal& out) const;

  const uint64_t seed_;
  const Vocabulary vocabulary_;
};

}  // namespace kernelsmith::memory::bench
