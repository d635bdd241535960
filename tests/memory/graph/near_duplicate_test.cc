#include "memory/values/near_duplicate.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "memory/graph/near_duplicate_index.h"

namespace kernelsmith::memory {
namespace {

// `count` words, of which those whose number is a multiple of `changed` differ from text to text.
std::string Words(int count, int changed, const std::string& mark) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, changed > 0 && i % changed == 0 ? mark : "word", i, " ");
  }
  return text;
}

TEST(TextSignature, IgnoresCaseSpacingAndPunctuation) {
  EXPECT_EQ(NormalisedText("Align  to\n32 BYTES!"), "align to 32 bytes");
  EXPECT_EQ(TextSignature("Align to 32 bytes."), TextSignature("align  to 32 BYTES"));
  EXPECT_FALSE(SameText(TextSignature("align to 32 bytes"), TextSignature("align to 64 bytes")));
  EXPECT_EQ(TextSignature("x").size(), kSignatureSize);
  EXPECT_TRUE(SameText(TextSignature(""), TextSignature("  ...  ")));
}

TEST(TextSignature, ReadsEveryCharacterBeyondAsciiAsAWord) {
  EXPECT_EQ(NormalisedText("向量加法 Add"), "向 量 加 法 add");
  EXPECT_FALSE(SameText(TextSignature("向量加法"), TextSignature("向量乘法")));
}

TEST(TextSignature, HasTheSameBytesEverywhere) {
  std::string hex;
  for (const char c : TextSignature("align to 32 bytes").substr(0, 12)) {
    absl::StrAppend(&hex, absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
  }
  EXPECT_EQ(hex, "e7773e7fec0f2b83898cbc26");
}

TEST(IsNearDuplicate, FollowsTheShareOfEqualShingles) {
  const std::string base = TextSignature(Words(400, 0, ""));
  EXPECT_TRUE(IsNearDuplicate(base, TextSignature(Words(400, 200, "other")))) << "two words of 400 differ";
  EXPECT_FALSE(IsNearDuplicate(base, TextSignature(Words(400, 4, "other")))) << "every fourth word differs";
  EXPECT_LT(SharedShare(base, TextSignature(Words(400, 1, "other"))), 0.2);
}

TEST(NearDuplicateIndex, FindsTheOldestNearDuplicateOfTheGroup) {
  NearDuplicateIndex index;
  index.Add(3, 1, TextSignature(Words(400, 0, "")));
  index.Add(5, 1, TextSignature(Words(400, 0, "")));
  index.Add(7, 2, TextSignature(Words(400, 0, "")));
  const auto all = [](int) { return true; };
  const std::string close = TextSignature(Words(400, 200, "other"));
  EXPECT_EQ(index.Find(1, TextSignature(Words(400, 0, "")), all), 3);
  EXPECT_EQ(index.Find(1, close, all), 3);
  EXPECT_EQ(index.Find(1, close, [](int item) { return item != 3; }), 5);
  EXPECT_EQ(index.Find(2, close, all), 7);
  EXPECT_EQ(index.Find(3, close, all), -1);
  EXPECT_EQ(index.Find(1, TextSignature("something else"), all), -1);
}

}  // namespace
}  // namespace kernelsmith::memory
