#include "memory/retrieval/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAreArray;

TEST(Tokenize, KeepsIdentifiersWholeAndInParts) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"", {}},
      {"  softmax, rows!", {"softmax", "rows"}},
      {"DataCopyPad", {"datacopypad", "data", "copy", "pad"}},
      {"HTTPServer", {"httpserver", "http", "server"}},
      {"row_reduction", {"row_reduction", "row", "reduction"}},
      {"__restrict", {"__restrict", "restrict"}},
      {"float32", {"float32", "float", "32"}},
      {"4096x1024", {"4096x1024", "4096", "x", "1024"}},
      {"EZ9999", {"ez9999", "ez", "9999"}},
      {"vector-exp", {"vector-exp", "vector", "exp"}},
      {"AscendC::DataCopy", {"ascendc::datacopy", "ascendc", "ascend", "c", "datacopy", "data", "copy"}},
      {"kernel.cpp", {"kernel.cpp", "kernel", "cpp"}},
      {"call->n_dims", {"call->n_dims", "call", "n_dims", "n", "dims"}},
      {"-Wshadow", {"wshadow"}},
      {"GELU", {"gelu"}},
      {"DTYPE_FLOAT16", {"dtype_float16", "dtype", "float", "16"}},
      {"EZ_9999", {"ez_9999", "ez", "9999"}},
      {"ACL_ERROR_RT", {"acl_error_rt", "acl", "error", "rt"}},
      {"_tail_", {"_tail_", "tail"}},
      {"__", {"__"}},
      {"a.b-c", {"a.b-c", "a", "b", "c"}},
      {"end.", {"end"}},
      {"a::", {"a"}},
      {"a:b", {"a", "b"}},
      {"x->y::z", {"x->y::z", "x", "y", "z"}},
  };
  for (const auto& [text, terms] : cases) EXPECT_THAT(Tokenize(text), ElementsAreArray(terms)) << text;
}

TEST(Tokenize, CutsIdeographsIntoBigrams) {
  EXPECT_THAT(Tokenize("向量加法"), ElementsAreArray({"向量", "量加", "加法"}));
  EXPECT_THAT(Tokenize("核"), ElementsAreArray({"核"}));
  EXPECT_THAT(Tokenize("用softmax算子。"), ElementsAreArray({"用", "softmax", "算子"}));
}

TEST(Tokenize, TakesOtherScriptsAsWords) { EXPECT_THAT(Tokenize("größe µs"), ElementsAreArray({"größe", "s"})); }

TEST(Tokenize, SurvivesBytesThatAreNoText) {
  EXPECT_THAT(Tokenize("a\xff\xfe"
                       "b\xc3"),
              ElementsAreArray({"a", "b"}));
  EXPECT_THAT(Tokenize("\xe4\xbd"), ElementsAreArray(std::vector<std::string>{}));
}

TEST(Tokenize, SeparatesAtFullWidthPunctuationAndPictographs) {
  EXPECT_THAT(Tokenize("［tile］～｛row｝"), ElementsAreArray({"tile", "row"}));
  EXPECT_THAT(Tokenize("\xef\xbb\xbfrow\xf0\x9f\x9a\x80tile"), ElementsAreArray({"row", "tile"}));
}

TEST(Tokenize, TakesOverlongFormsAndSurrogatesForNoText) {
  EXPECT_THAT(Tokenize("a\xe0\x81\x81z"), ElementsAreArray({"a", "z"}));
  EXPECT_THAT(Tokenize("a\xed\xa0\x80z"), ElementsAreArray({"a", "z"}));
  EXPECT_THAT(Tokenize("a\xf4\x90\x80\x80z"), ElementsAreArray({"a", "z"}));
}

TEST(Tokenize, KeepsTheWordsOfACompoundThatIsTooLong) {
  std::string text = "a";
  std::vector<std::string> words = {"a"};
  for (int i = 0; i < 40; ++i) {
    text += ".b";
    words.push_back("b");
  }
  EXPECT_THAT(Tokenize(text), ElementsAreArray(words));
}

TEST(Tokenize, GivesTheSameTermsIntoABufferThatIsUsedAgain) {
  TermBuffer buffer;
  for (const std::string text : {"DataCopyPad 向量加法 EZ9999", "", "row", "call->n_dims, GELU"}) {
    Tokenize(text, buffer);
    EXPECT_THAT(std::vector<std::string>(buffer.terms.begin(), buffer.terms.end()), ElementsAreArray(Tokenize(text)));
  }
}

TEST(Tokenize, DropsTermsThatAreData) { EXPECT_TRUE(Tokenize(std::string(65, 'a')).empty()); }

}  // namespace
}  // namespace kernelsmith::memory
