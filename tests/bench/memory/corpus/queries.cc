#include "tests/bench/memory/corpus/queries.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr uint64_t kQueryStream = 101;

constexpr size_t kLongestClause = 12;  // bytes of a Chinese clause that is asked for: four characters

// The first characters of a Chinese clause, other words whole.
std::string Shortened(const std::string& word) {
  return static_cast<unsigned char>(word[0]) < 0xe0 ? word : word.substr(0, kLongestClause);
}

// Words of a prose field without punctuation.
std::vector<std::string> WordsOf(const std::string& text) {
  const std::string plain =
      absl::StrReplaceAll(text, {{",", " "}, {"。", " "}, {"`", " "}, {".", " "}, {":", " "}, {";", " "}, {"'", " "}});
  return absl::StrSplit(plain, ' ', absl::SkipWhitespace());
}

// Up to `count` neighbouring words: people repeat phrases.
void AddPhrase(const std::string& text, size_t count, Random& random, std::vector<std::string>& out) {
  const std::vector<std::string> words = WordsOf(text);
  if (words.empty()) return;
  const size_t begin = random.Below(words.size());
  for (size_t i = begin; i < words.size() && i < begin + count; ++i) out.push_back(Shortened(words[i]));
}

size_t TermsOf(const std::vector<std::string>& words) {
  const std::vector<std::string> terms = Tokenize(absl::StrJoin(words, " "));
  return std::set<std::string>(terms.begin(), terms.end()).size();
}

void AddFilter(const v1::RecordAttemptRequest& subject, Random& random, v1::Filter& filter) {
  switch (random.Below(8)) {
    case 0:
      filter.add_kinds(v1::CASE);
      break;
    case 1:
      filter.add_families(subject.case_().family());
      break;
    case 2:
      filter.add_operators(subject.case_().operator_name());
      filter.set_correct_only(true);
      break;
    case 3:
      filter.set_architecture(subject.target().architecture());
      filter.add_kinds(v1::JOURNAL);
      break;
    default:
      break;  // none
  }
}

}  // namespace

v1::RetrieveRequest MakeQuery(const Corpus& corpus, int64_t attempts, int64_t number, size_t terms) {
  Random random(corpus.seed(), kQueryStream, static_cast<uint64_t>(number));
  const v1::RecordAttemptRequest subject =
      corpus.Attempt(static_cast<int64_t>(random.Below(static_cast<size_t>(attempts))));
  const v1::Case& source = subject.case_();
  std::vector<std::string> words;
  const size_t style = random.Below(4);
  if (style == 0) {  // the coordinator: operator, family, what went wrong
    words = {source.operator_name(), source.family(), v1::DType_Name(source.scene().dtype())};
    AddPhrase(source.diagnostics_size() > 0 ? source.diagnostics(0).text() : source.thought().bottleneck(), 5, random,
              words);
  } else if (style == 1) {  // an engineer with an error message
    words = {corpus.vocabulary().DrawMessage(random).code, corpus.vocabulary().DrawApi(random)};
    AddPhrase(source.feedback(), 4, random, words);
  } else if (style == 2) {  // prose
    AddPhrase(subject.journal().interpretation(), 3, random, words);
    AddPhrase(subject.journal().change(), 3, random, words);
    words.push_back(source.operator_name());
  } else {  // an idea
    words = {source.thought().id(), source.operator_name()};
    AddPhrase(source.thought().reason(), 4, random, words);
    words.push_back(corpus.vocabulary().DrawIdentifier(random));
  }
  std::vector<std::string> asked;
  for (size_t i = 0; TermsOf(asked) < terms; ++i) {
    asked.push_back(i < words.size()     ? words[i]
                    : random.Chance(0.5) ? corpus.vocabulary().DrawApi(random)
                                         : corpus.vocabulary().DrawIdentifier(random));
  }

  v1::RetrieveRequest request;
  request.set_query(absl::StrJoin(asked, " "));
  request.set_limit(10);
  *request.mutable_target() = subject.target();
  AddFilter(subject, random, *request.mutable_filter());
  return request;
}

bool Passes(const v1::Filter& filter, const v1::RecordAttemptRequest& attempt, v1::ItemKind kind) {
  const auto admits = [](const auto& values, const auto& value) {
    return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
  };
  return admits(filter.kinds(), kind) && admits(filter.families(), attempt.case_().family()) &&
         admits(filter.operators(), attempt.case_().operator_name()) &&
         (!filter.correct_only() || attempt.case_().status() == v1::PASSED) &&
         (filter.architecture().empty() || filter.architecture() == attempt.target().architecture());
}

v1::AssembleContextRequest MakeContext(const Corpus& corpus, int64_t attempts, int64_t number) {
  const v1::RetrieveRequest query = MakeQuery(corpus, attempts, number);
  Random random(corpus.seed(), kQueryStream, ~static_cast<uint64_t>(number));
  const v1::RecordAttemptRequest subject =
      corpus.Attempt(static_cast<int64_t>(random.Below(static_cast<size_t>(attempts))));
  v1::AssembleContextRequest request;
  request.set_producer(kProducer);
  const auto require = [&request](const char* name, const std::string& text, bool stable) {
    v1::RequiredBlock& block = *request.add_required();
    block.set_name(name);
    block.set_text(text);
    block.set_stable(stable);
  };
  require("specification",
          absl::StrCat("Write ", subject.case_().operator_name(), " for ", subject.target().soc(), "."), true);
  require("incumbent", subject.case_().code_after(), false);
  require("feedback", subject.case_().feedback(), false);
  request.mutable_budget()->set_window(32'768);
  request.set_query(query.query());
  *request.mutable_filter() = query.filter();
  *request.mutable_target() = query.target();
  request.set_operator_name(subject.case_().operator_name());
  request.set_family(subject.case_().family());
  request.set_stage(v1::REFINING);
  request.set_session(subject.case_().session());
  return request;
}

}  // namespace kernelsmith::memory::bench
