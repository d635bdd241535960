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

TEST(Tokenize, DropsTermsThatAreData) { EXPECT_TRUE(Tokenize(std::string(65, 'a')).empty()); }

}  // namespace
}  // namespace kernelsmith::memory
