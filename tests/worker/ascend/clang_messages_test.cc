// Diagnostics of clang and bisheng.
#include "worker/diagnostics/clang_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::worker {
namespace {

constexpr const char* kOutput =
    "In file included from launcher.asc:1:\n"
    "src/kernel.asc:12:5: error: no member named 'Foo' in namespace 'AscendC'\n"
    "    AscendC::Foo(x);\n"
    "    ^\n"
    "src/kernel.asc:3:7: warning: unused variable 'x' [-Wunused-variable]\n"
    "src/kernel.asc:2:1: note: declared here\n"
    "1 warning and 1 error generated.\n"
    "In file included from launcher.asc:1:\n"
    "src/kernel.asc:12:5: error: no member named 'Foo' in namespace 'AscendC'\n"
    "/root/include/kernel_operator.h:7: fatal error: 'cstdint' file not found\n"
    "ld.lld: error: undefined symbol: nothing\n";

TEST(ClangMessagesTest, ErrorsOfTheTwoPassesAreOne) {
  const std::vector<v1::Diagnostic> found = ParseClangMessages(kOutput, "src/", 50);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].file(), "kernel.asc");
  EXPECT_EQ(found[0].line(), 12);
  EXPECT_EQ(found[0].column(), 5);
  EXPECT_EQ(found[0].severity(), v1::Diagnostic::ERROR);
  EXPECT_EQ(found[0].text(), "no member named 'Foo' in namespace 'AscendC'");
  EXPECT_EQ(found[1].severity(), v1::Diagnostic::FATAL);
  EXPECT_EQ(found[1].line(), 7);
  EXPECT_EQ(found[1].column(), 0);
  EXPECT_EQ(found[2].text(), "ld.lld: error: undefined symbol: nothing");
  EXPECT_EQ(found[3].rule(), "-Wunused-variable");
  EXPECT_EQ(found[3].text(), "unused variable 'x'");
  EXPECT_EQ(found[4].severity(), v1::Diagnostic::NOTE);
}

TEST(ClangMessagesTest, TheLimitKeepsErrors) {
  const std::vector<v1::Diagnostic> found = ParseClangMessages(kOutput, "src/", 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line(), 12);
}

TEST(ClangMessagesTest, OtherTextIsNoMessage) {
  EXPECT_TRUE(ParseClangMessages("hello\n12:3 warning\nfoo: note: x\n", "", 9).empty());
}

}  // namespace
}  // namespace kernelsmith::worker
