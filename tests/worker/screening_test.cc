#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/screening/lexer.h"
#include "worker/screening/screen.h"

namespace kernelsmith::worker {
namespace {

std::vector<v1::Diagnostic> Screen(const std::string& source) {
  v1::Candidate candidate;
  candidate.add_files()->set_name("kernel.cpp");
  candidate.mutable_files(0)->set_content(source);
  return ScreenSources(candidate);
}

TEST(ScreenTest, NamesRuleAndLine) {
  const struct {
    std::string source;
    std::string rule;
    int line;
  } rows[] = {
      {"int x;\nint f() { return system(\"ls\"); }", "process", 2},
      {"void f() { ::fork(); }", "process", 1},
      {"void f() { std::system(\"ls\"); }", "process", 1},
      {"void f() {\n\n  execve(a, b, c);\n}", "process", 3},
      {"void f() { if (kill (1, 9)) return; }", "process", 1},
      {"int s = socket(AF_INET, SOCK_STREAM, 0);", "network", 1},
      {"void* h = dlopen(\"libtorch.so\", 1);", "loader", 1},
      {"auto p = dlsym(h, \"x\");", "loader", 1},
      {"void f() { syscall(SYS_fork); }", "system-call", 1},
      {"void f() { asm volatile(\"syscall\" : : \"a\"(57)); }", "system-call", 1},
      {"void f() {\n  __asm__ volatile(\n    \"mov $57, %eax\\n\"\n    \"int $0x80\");\n}", "system-call", 4},
      {"__attribute__((constructor)) void early() {}", "constructor", 1},
      {"[[gnu::constructor]] void early() {}", "constructor", 1},
      {"FILE* f = fopen(\"/proc/self/maps\", \"r\");", "path", 1},
      {"auto s = R\"(/dev/shm/answer)\";", "path", 1},
      {"#include \"/etc/passwd\"", "include-path", 1},
      {"\n#  include </root/x.h>", "include-path", 2},
      {"#include \"../../secret.h\"", "include-path", 1},
      {"asm(\".incbin \\\"/bin/ls\\\"\");", "incbin", 1},
      {"void f() { std::thread t; pthread_detach(t.native_handle()); }", "detached-thread", 1},
  };
  for (const auto& row : rows) {
    const std::vector<v1::Diagnostic> found = Screen(row.source);
    ASSERT_FALSE(found.empty()) << row.source;
    EXPECT_EQ(found[0].rule(), row.rule) << row.source;
    EXPECT_EQ(found[0].line(), row.line) << row.source;
    EXPECT_EQ(found[0].file(), "kernel.cpp");
    EXPECT_FALSE(found[0].text().empty());
    EXPECT_EQ(found[0].severity(), v1::Diagnostic::ERROR);
  }
}

TEST(ScreenTest, HonestSourcesPass) {
  const std::string sources[] = {
      "// system(\"ls\"), fork() and /proc/self are not used\nint x;",
      "/* dlopen(\"x\") */ int y;",
      "const char* s = \"call system(1) or fork() someday\";",
      "struct Grid { void connect(int); }; void f(Grid g) { g.connect(1); (&g)->connect(2); }",
      "namespace mine { float system(float x) { return x; } } float f() { return mine::system(1); }",
      "float filesystem = 0; int forklift(int); int z = forklift(1);",
      "int constructor = 1; int k = constructor;",
      "asm volatile(\"vfmadd231ps %ymm0, %ymm1, %ymm2\");",
      "const char* s = \"a syscall is slow\";",
      "#include <immintrin.h>\n#include <kernelsmith/kernel_abi.h>\n#include \"tile.h\"",
      "int n = 1'000'000; char c = '\"'; const char* s = \"x\"; // '",
      "const char* s = \"\\\"/* not a comment\"; int w = 1; /* fork() */",
      "double kill = 2; double q = kill * (3);",
      "auto r = R\"x(quote \" and )\" inside)x\"; int v;",
  };
  for (const std::string& source : sources) {
    const std::vector<v1::Diagnostic> found = Screen(source);
    EXPECT_TRUE(found.empty()) << source << "\n" << (found.empty() ? "" : found[0].DebugString());
  }
}

TEST(ScreenTest, UnfinishedLiteralsAndCommentsDoNotConfuseIt) {
  for (const char* source :
       {"\"", "'", "/*", "//", "R\"(", "R\"", "\\", "#include", "\"\\", "R\"abcdefghijklmnopqrs("}) {
    EXPECT_TRUE(Screen(source).empty()) << source;
  }
}

TEST(LexerTest, KeepsLengthAndLines) {
  const std::string source = "int a; // c\nconst char* s = \"x\\\"y\"; /* d\n e */ char q = '\\'';\n";
  const LexedSource lexed = LexCpp(source);
  EXPECT_EQ(lexed.code.size(), source.size());
  EXPECT_EQ(std::count(lexed.code.begin(), lexed.code.end(), '\n'), 3);
  ASSERT_EQ(lexed.strings.size(), 1u);
  EXPECT_EQ(lexed.strings[0].text, "x\\\"y");
  EXPECT_EQ(lexed.strings[0].line, 2);
  EXPECT_EQ(lexed.code.find('d'), std::string::npos);
}

TEST(LexerTest, CommentsContinueAfterABackslash) {
  EXPECT_EQ(LexCpp("// a \\\nfork();\nint x;").code.find("fork"), std::string::npos);
}

}  // namespace
}  // namespace kernelsmith::worker
