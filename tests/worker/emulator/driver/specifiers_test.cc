#include "worker/emulator/driver/specifiers.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernelsmith::emulator {
namespace {

// The text with every __aicore__ that should go written as ..........
struct Case {
  std::string name;
  std::string source;
  std::string kept;  // source as it should come out, '.' for each blank in place of __aicore__
};

std::string Blank(const std::string& source) {
  SpecifierMacros macros;
  CollectSpecifierMacros(source, macros);
  return BlankKernelSpecifiers(source, macros).text;
}

std::string WithBlanks(std::string kept) {
  for (size_t at = kept.find(".........."); at != std::string::npos; at = kept.find("..........")) {
    kept.replace(at, 10, "          ");
  }
  return kept;
}

class Specifiers : public testing::TestWithParam<Case> {};

TEST_P(Specifiers, BlankOnlyWhatStandsBesideGlobal) {
  EXPECT_EQ(Blank(GetParam().source), WithBlanks(GetParam().kept));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Specifiers,
    testing::Values(
        Case{"After", "__global__ __aicore__ void k(int x) {}", "__global__ .......... void k(int x) {}"},
        Case{"Before", "__aicore__ __global__ void k(int x) {}", ".......... __global__ void k(int x) {}"},
        Case{"OthersBetween", "extern \"C\" __global__ __vector__ __schedmode__(1) __aicore__ void k(int x);",
             "extern \"C\" __global__ __vector__ __schedmode__(1) .......... void k(int x);"},
        Case{"ArgumentsBefore", "__mix__(0, 1) __aicore__ __global__ void k();",
             "__mix__(0, 1) .......... __global__ void k();"},
        Case{"AttributeBetween", "__global__ __attribute__((noinline)) __aicore__ void k();",
             "__global__ __attribute__((noinline)) .......... void k();"},
        Case{"StandardAttribute", "[[maybe_unused]] __global__ [[gnu::cold]] __aicore__ void k();",
             "[[maybe_unused]] __global__ [[gnu::cold]] .......... void k();"},
        Case{"CommentsAndLines", "__global__ /* __aicore__ */\n  // __aicore__\n  __aicore__\nvoid k();",
             "__global__ /* __aicore__ */\n  // __aicore__\n  ..........\nvoid k();"},
        Case{"Template", "template <typename T, int n = 3>\n__global__ __aicore__ void k(T x) {}",
             "template <typename T, int n = 3>\n__global__ .......... void k(T x) {}"},
        Case{"DeviceFunctionsStay",
             "__aicore__ inline void f() {}\n__global__ __aicore__ void k();\n__aicore__ int g();",
             "__aicore__ inline void f() {}\n__global__ .......... void k();\n__aicore__ int g();"},
        Case{"FollowingFunctionStays", "__global__ void k(int x);\n__aicore__ void f();",
             "__global__ void k(int x);\n__aicore__ void f();"},
        Case{"AccessSpecifierEnds", "struct S { public: __aicore__ S(); }; __global__ void k();",
             "struct S { public: __aicore__ S(); }; __global__ void k();"},
        Case{"ParameterListStays", "__global__ void k(void (*f)(__aicore__ int));",
             "__global__ void k(void (*f)(__aicore__ int));"},
        Case{"AcrossDirectives", "__global__\n#ifdef X\n__vector__\n#endif\n__aicore__ void k();",
             "__global__\n#ifdef X\n__vector__\n#endif\n.......... void k();"},
        Case{"OwnMacro", "#define KERNEL extern \"C\" __global__ __aicore__\nKERNEL void k();",
             "#define KERNEL extern \"C\" __global__ ..........\nKERNEL void k();"},
        Case{"OwnMacroOverLines", "#define KERNEL extern \"C\" \\\n  __global__ \\\n  __aicore__\nKERNEL void k();",
             "#define KERNEL extern \"C\" \\\n  __global__ \\\n  ..........\nKERNEL void k();"},
        Case{"FunctionMacro", "#define KERNEL(name) __global__ __aicore__ void name\nKERNEL(k)(int x);",
             "#define KERNEL(name) __global__ .......... void name\nKERNEL(k)(int x);"},
        Case{"MacroForGlobal", "#define ENTRY __global__\nENTRY __aicore__ void k();",
             "#define ENTRY __global__\nENTRY .......... void k();"},
        Case{"StringsAndCharacters",
             "const char* s = \"__global__ __aicore__\"; char c = '\"'; int n = 1'000;\n__aicore__ void f();",
             "const char* s = \"__global__ __aicore__\"; char c = '\"'; int n = 1'000;\n__aicore__ void f();"},
        Case{"RawString", "auto s = R\"x(__global__ \" __aicore__ )y\" )x\"; __global__ __aicore__ void k();",
             "auto s = R\"x(__global__ \" __aicore__ )y\" )x\"; __global__ .......... void k();"},
        Case{"Unterminated", "__global__ __aicore__ /* never ends", "__global__ .......... /* never ends"},
        Case{"OnlyTheWholeWord", "__global__ my__aicore__ void k();", "__global__ my__aicore__ void k();"}),
    [](const testing::TestParamInfo<Case>& one) { return one.param.name; });

TEST(SpecifiersMacro, AMacroForAicoreIsBlankedWhereItIsUsed) {
  EXPECT_EQ(Blank("#define DEV __aicore__\n__global__ DEV void k();\nDEV void f();"),
            "#define DEV __aicore__\n__global__     void k();\nDEV void f();");
}

TEST(SpecifiersKernels, NamesKernelsAndTheirLines) {
  const BlankedSource source = BlankKernelSpecifiers("\n__global__\n__vector__ void\nadd(int x) {}\n", {});
  ASSERT_EQ(source.kernels.size(), 1u);
  EXPECT_EQ(source.kernels[0].name, "add");
  EXPECT_EQ(source.kernels[0].first_line, 2u);
  EXPECT_EQ(source.kernels[0].last_line, 4u);
  EXPECT_FALSE(source.changed);
}

TEST(SpecifiersRobust, TruncatedSourcesNeverCrash) {
  const std::string whole =
      "template <int n> __mix__(0, 1) __attribute__((x(1))) [[a]] __aicore__ __global__ void k(int (*f)()) { \"s\" 'c' "
      "R\"d(x)d\" /* */ // \n}";
  for (size_t n = 0; n <= whole.size(); ++n) {
    EXPECT_EQ(Blank(whole.substr(0, n)).size(), n);
    EXPECT_EQ(Blank(whole.substr(n)).size(), whole.size() - n);
  }
}

}  // namespace
}  // namespace kernelsmith::emulator
