#include "server/model/token_price.h"

#include <gtest/gtest.h>

#include <string>

namespace kernelsmith::server {
namespace {

TEST(EstimateTokens, ErrsOnTheHighSide) {
  EXPECT_EQ(EstimateTokens(""), 0);
  EXPECT_EQ(EstimateTokens("a"), 1);
  EXPECT_EQ(EstimateTokens("int main() { return 0; }"), 12);  // about 9 for common vocabularies
  EXPECT_EQ(EstimateTokens("世界"), 6);
}

TEST(ReservedUsage, IsThePromptAndTheMostThatMayBeGenerated) {
  EXPECT_EQ(ReservedUsage({{"system", "abcd"}, {"user", std::string(100, 'x')}}, 500),
            (TokenUsage{8 + 2 + 8 + 50, 500, 0}));
}

TEST(CostOf, MultipliesByTheListPrice) {
  EXPECT_DOUBLE_EQ(CostOf({1'000'000, 500'000, 900'000}, {2, 8}), 6.0);
  EXPECT_DOUBLE_EQ(CostOf({1000, 1000, 0}, {}), 0);
}

}  // namespace
}  // namespace kernelsmith::server
