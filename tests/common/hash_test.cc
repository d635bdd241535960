#include "common/hash.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"

namespace kernelsmith::common {
namespace {

TEST(Sha256Hex, MatchesTheStandardsExamples) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(HmacSha256, MatchesRfc4231Case2) {
  EXPECT_EQ(absl::BytesToHexString(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(HashFields, TellsApartFieldsWhoseConcatenationIsEqual) {
  EXPECT_NE(HashFields("ab", "c"), HashFields("a", "bc"));
  EXPECT_EQ(HashFields("ab", "c"), HashFields("ab", "c"));
}

}  // namespace
}  // namespace kernelsmith::common
