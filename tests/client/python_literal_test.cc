#include "client/lib/python_literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernelsmith/client/task.h"

namespace kernelsmith::client {
namespace {

using testing::HasSubstr;

TEST(PythonLiterals, AreWhatPythonTakes) {
  for (const char* good :
       {"512",           "-3",     "+3",   "- 3", "0",        "00",        "0x1F",       "0o17",      "0b101",
        "1_000",         "1.5",    ".5",   "5.",  "1e5",      "1e-5",      "1.5E+3",     "007.5",     "True",
        "False",         "None",   "'a'",  "''",  R"("a'b")", R"('a\'b')", R"('a' "b")", "()",        "[]",
        "(1,)",          "(1, 2)", "1, 2", "1,",  "[1, ]",    "((1))",     "(-1, 2.5)",  "'''a'b'''", "[1, [2, 3]]",
        "( 'a' , None )"}) {
    EXPECT_TRUE(CheckPythonLiteral(good).ok()) << good << ": " << CheckPythonLiteral(good);
  }
  for (const char* bad : {"",     "abc(", "abc",   "N",      "(1",  "[1, 2", "1)",     "(1, , 2)",
                          ",",    "1 2",  "'a",    R"("a')", "1+2", "--1",   "-'a'",   "007",
                          "1__0", "1_",   "0x",    "0b2",    "1e",  "1.2.3", "12a",    "true",
                          "nan",  "inf",  "f'a'",  "lambda", "1;2", "a=1",   "'a\nb'", "__import__('os')",
                          "-",    ".",    "(1 2)", "[1)"}) {
    const absl::Status status = CheckPythonLiteral(bad);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bad;
    EXPECT_FALSE(status.message().empty()) << bad;
  }
}

TEST(PythonLiterals, MayNotBeNestedWithoutEnd) {
  EXPECT_TRUE(absl::IsInvalidArgument(CheckPythonLiteral(std::string(100000, '('))));
}

TEST(Overrides, NameSomethingThatTheTaskHas) {
  v1::TaskSource task;
  task.mutable_kernelbench()->set_source("ROWS, COLS = 1, 2\nN = 3\n");
  for (const char* known : {"ROWS=2", "COLS=2", "N=2"}) EXPECT_TRUE(AddOverride(known, task).ok()) << known;
  for (const char* unknown : {"ROW=2", "M=2", "OLS=2"}) {
    const absl::Status status = AddOverride(unknown, task);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << unknown;
    EXPECT_THAT(std::string(status.message()), HasSubstr("no constant")) << unknown;
  }
}

TEST(Overrides, SayWhatIsWrongWithTheValue) {
  v1::TaskSource task;
  const absl::Status status = AddOverride("N=abc(", task);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), testing::AllOf(HasSubstr("'N=abc('"), HasSubstr("'abc' is no value")));
}

}  // namespace
}  // namespace kernelsmith::client
