#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/grpc/identity.h"
#include "common/hash.h"

namespace kernelsmith::common {
namespace {

TEST(TokenTable, FindsTheTeamOfATokenByItsHash) {
  const auto table =
      TokenTable::Parse("# teams\n" + Sha256Hex("secret") + " kernels submit,read # ours\n\n", "tokens").value();
  ASSERT_NE(table.Find("secret"), nullptr);
  EXPECT_EQ(table.Find("secret")->team, "kernels");
  EXPECT_EQ(table.Find("secret")->roles, (std::set<Role>{Role::kRead, Role::kSubmit}));
  EXPECT_EQ(table.Find("other"), nullptr);
}

TEST(TokenTable, NamesTheLineAtFault) {
  const std::string hash = Sha256Hex("x");
  const struct {
    std::string text;
    const char* message;
  } kRows[] = {{"abc team read", "line 1"},
               {"\n" + hash + " team", "line 2"},
               {hash + " team king", "'king' is no role"},
               {hash + " a read\n" + hash + " b read", "listed twice"}};
  for (const auto& row : kRows) {
    const auto table = TokenTable::Parse(row.text, "tokens");
    EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(table.status().message()), ::testing::HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace kernelsmith::common
