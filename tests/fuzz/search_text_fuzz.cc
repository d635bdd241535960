// The tokenizer and the lexical search: terms are well-formed, and the index, however it is split, answers as a scan
// does.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/retrieval/lexical/lexical_index.h"
#include "memory/retrieval/lexical/segment_writer.h"
#include "memory/retrieval/tokenizer.h"
#include "tests/fuzz/calls.pb.h"
#include "tests/fuzz/fuzz_target.h"

namespace kernelsmith::fuzz {
namespace {

constexpr size_t kLongestTerm = 64;  // bytes
constexpr int kMostTexts = 32;

std::vector<std::string> CheckedTerms(const std::string& text) {
  const std::vector<std::string> terms = memory::Tokenize(text);
  for (const std::string& term : terms) {
    FUZZ_CHECK(!term.empty() && term.size() <= kLongestTerm, term);
    FUZZ_CHECK(std::none_of(term.begin(), term.end(), [](char c) { return c >= 'A' && c <= 'Z'; }), term);
    FUZZ_CHECK(term.find_first_of(" \t\n") == std::string::npos, term);
  }
  return terms;
}

// Items that share a term with the query.
std::set<uint32_t> Sharing(const SearchTexts& input) {
  const std::vector<std::string> asked = CheckedTerms(input.query());
  const std::set<std::string> terms(asked.begin(), asked.end());
  std::set<uint32_t> items;
  for (int i = 0; i < std::min(input.texts_size(), kMostTexts); ++i) {
    for (const std::string& term : CheckedTerms(input.texts(i))) {
      if (terms.contains(term)) items.insert(static_cast<uint32_t>(i));
    }
  }
  return items;
}

void Run(const SearchTexts& input) {
  static const common::TemporaryFolder folder = *common::TemporaryFolder::Make("fuzz-search");
  const std::set<uint32_t> sharing = Sharing(input);
  const int texts = std::min(input.texts_size(), kMostTexts);
  memory::LexicalIndex whole;
  memory::LexicalIndex split;
  for (int i = 0; i < texts; ++i) {
    whole.Add(input.texts(i));
    split.Add(input.texts(i));
    if (i != texts / 2) continue;
    const std::string path = absl::StrCat(folder.path(), "/segment");
    FUZZ_CHECK(memory::WriteSegment(split.CutDelta(), path).ok(), "a segment is not written");
    auto segment = memory::LexicalSegment::Open(path);
    FUZZ_CHECK(segment.ok(), segment.status().ToString());
    FUZZ_CHECK(split.Adopt(*segment).ok(), "a segment is not taken");
  }
  const memory::LexicalResult a = whole.Search(input.query(), kMostTexts, nullptr);
  const memory::LexicalResult b = split.Search(input.query(), kMostTexts, nullptr);
  FUZZ_CHECK(a.hits.size() == b.hits.size(), "a split index finds something else");
  std::set<uint32_t> found;
  for (size_t i = 0; i < a.hits.size(); ++i) {
    FUZZ_CHECK(a.hits[i].item == b.hits[i].item && a.hits[i].score == b.hits[i].score, "a split index ranks otherwise");
    FUZZ_CHECK(a.hits[i].score > 0, "a hit without score");
    found.insert(a.hits[i].item);
  }
  if (a.unused_terms == 0) FUZZ_CHECK(found == sharing, "the index finds other items than a scan");
}

SearchTexts Seed() {
  SearchTexts seed;
  for (const char* text : {"operator: softmax\noutcome: COMPILE_ERROR\nfeedback: error EZ9999 in DataCopyPad",
                           "ks_call::n_dims -> tileLength_ = 8192; AscendC::LocalTensor<half>",
                           "向量加法使用双缓冲, x.y", "The tail of `rowMax` was not written."}) {
    seed.add_texts(text);
  }
  seed.set_query("softmax DataCopyPad EZ9999 向量加法 rowMax");
  return seed;
}

}  // namespace

std::unique_ptr<Target> MakeTarget() {
  return std::make_unique<MessageTarget<SearchTexts>>(std::vector<SearchTexts>{Seed()}, Run);
}

}  // namespace kernelsmith::fuzz
