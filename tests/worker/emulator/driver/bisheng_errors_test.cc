// What bisheng says about bad sources and bad command lines, and that it leaves nothing behind.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/driver/compiler.h"

namespace kernelsmith::emulator {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Bad {
  std::string name;
  std::string source;
  std::vector<std::string> says;  // each exactly once
};

class BadSource : public CompilerTest, public testing::WithParamInterface<Bad> {};

size_t Times(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_P(BadSource, IsRefusedOnceAtItsPlace) {
  Write("k.asc", GetParam().source);
  Write("k.o", "before");
  const Outcome outcome = Bisheng("-Wall -c k.asc -o k.o");
  EXPECT_EQ(outcome.code, 1);
  for (const std::string& text : GetParam().says)
    EXPECT_EQ(Times(outcome.output, text), 1u) << text << "\n" << outcome.output;
  EXPECT_EQ(Read("k.o"), "before");
  EXPECT_FALSE(LeftTemporaryFiles());
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSource,
    testing::Values(
        Bad{"Syntax",
            "__global__ __aicore__ void k(GM_ADDR x) { int a = 1 }\n",
            {"k.asc:1:52: error: expected ';'", "__global__ __aicore__ void k(GM_ADDR x) { int a = 1 }",
             "1 error generated."}},
        Bad{"MissingFunction",
            "namespace AscendC {}\n__global__ __aicore__\nvoid k(GM_ADDR x) {\n  AscendC::Mmad(x);\n}\n",
            {"k.asc:4:12: error: no type named 'Mmad' in namespace 'AscendC'", "1 error generated."}},
        Bad{"MissingFunctionInTemplate",
            "template <typename T> struct Op { __aicore__ inline void Run(T x) { Softmix(x); } };\n"
            "__global__ __aicore__ void k(GM_ADDR x) { Op<GM_ADDR> op; op.Run(x); }\n",
            {"k.asc:1:69: error: use of undeclared identifier 'Softmix'"}},
        Bad{"HostFunctionOnDevice",
            "int host();\n__global__ __aicore__ void k(GM_ADDR x) { *x = host(); }\n",
            {"k.asc:2:48: error: no matching function for call to 'host'",
             "call to __host__ function from __global__ function"}},
        Bad{"DeviceFunctionOnHost",
            "__aicore__ int f() { return 1; }\nint g() { return f(); }\n",
            {"k.asc:2:18: error: no matching function for call to 'f'",
             "call to __aicore__ function from __host__ function"}},
        Bad{"HostVariableOnDevice",
            "int n;\n__global__ __aicore__ void k(GM_ADDR x) { *x = n; }\n",
            {"k.asc:2:48: error: reference to __host__ variable 'n'"}},
        Bad{"KernelCalledAsFunction", "__global__ __aicore__ void k() {}\nvoid f() { k(); }\n", {"k.asc:2:13: error:"}},
        Bad{"KernelThatReturns",
            "__global__ __aicore__ int k() { return 1; }\n",
            {"error: kernel function type", "must have void return type"}},
        Bad{"WrongArgument",
            "__global__ __aicore__ void k(int n) {}\nvoid f() { k<<<1, 0, nullptr>>>(\"x\"); }\n",
            {"k.asc:2:33: error: cannot initialize a parameter of type 'int'"}},
        Bad{"WritableGlobal",
            "namespace a { __aicore__ int counter; }\n__global__ __aicore__ void k() { a::counter++; }\n",
            {"k.asc: error: UNSUPPORTED: device variable 'a::counter'", "1 error generated."}},
        Bad{"StaticLocal",
            "__global__ __aicore__ void k(GM_ADDR x) { static int calls; *x = ++calls; }\n",
            {"UNSUPPORTED: device variable 'k(unsigned char*)::calls'"}},
        Bad{"StaticInitialiser",
            "struct S { int n; __aicore__ S() { n = 3; } };\n__aicore__ S s;\n",
            {"k.asc:2:14: error: dynamic initialization is not supported for __aicore__ variables"}},
        Bad{"UndefinedFunction",
            "__aicore__ void other(int);\n__global__ __aicore__ void k() { other(1); }\n",
            {"k.asc: error: undefined device function or variable 'other(int)'"}},
        Bad{"InlineAssembly",
            "__global__ __aicore__ void k() { asm volatile(\"nop\"); }\n",
            {"inline assembly is disabled"}},
        Bad{"CubeKernel",
            "#include <cstdint>\n__global__ __aicore__\n__cube__ void mm(GM_ADDR x) {}\n",
            {"k.asc:3:1: error: UNSUPPORTED: kernel 'mm' runs on cube cores", "error: "}},
        Bad{"MixKernel",
            "extern \"C\" __global__ __mix__(1, 2) void fused(GM_ADDR x) {}\n",
            {"UNSUPPORTED: kernel 'fused' runs on cube cores"}},
        Bad{"WarningBesideError",
            "__aicore__ void f() { int unused; }\nint g() { return \"x\"; }\n",
            {"warning: unused variable 'unused'", "1 warning and 1 error generated."}},
        Bad{"HostOnlyError", "#ifndef __NPU_ARCH__\n#error on the host\n#endif\n", {"k.asc:2:2: error: on the host"}},
        Bad{"DeviceOnlyError", "#ifdef __NPU_ARCH__\n#error on the card\n#endif\n", {"k.asc:2:2: error: on the card"}}),
    [](const testing::TestParamInfo<Bad>& one) { return one.param.name; });

using BishengErrors = CompilerTest;

TEST_F(BishengErrors, NameTheAuthorsHeaders) {
  Write("ops/op.h", "__global__ __aicore__ void k(GM_ADDR x) {\n  Missing(x);\n}\n");
  Write("k.asc", "\n#include \"ops/op.h\"\n");
  const Outcome outcome = Bisheng("-c k.asc");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("In file included from k.asc:2:\n./ops/op.h:2:3: error: use of undeclared "
                                        "identifier 'Missing'\n  Missing(x);"));
  EXPECT_FALSE(Exists("k.o"));
}

TEST_F(BishengErrors, OneBadSourceOfSeveralLeavesNoProgram) {
  Write("good.cpp", "int g() { return 0; }\n");
  Write("bad.asc", "int f() { return x; }\n");
  EXPECT_EQ(Bisheng("-shared -fPIC good.cpp bad.asc -o lib.so").code, 1);
  EXPECT_FALSE(Exists("lib.so"));
}

TEST_F(BishengErrors, ALinkThatFailsLeavesNoProgram) {
  Write("m.cpp", "int missing(); int main() { return missing(); }\n");
  const Outcome outcome = Bisheng("m.cpp -o demo");
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("missing()"));
  EXPECT_FALSE(Exists("demo"));
}

TEST_F(BishengErrors, CommandLinesAreRefusedWithAReason) {
  Write("k.asc", "int f();\n");
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"", "bisheng: error: no input files"},
      {"nothing.asc", "no such file or directory: 'nothing.asc'"},
      {"-c k.asc -fno-such-option", "bisheng: error: unknown argument: '-fno-such-option'"},
      {"-c k.asc -std=c++99", "error: invalid value 'c++99' in '-std=c++99'"},
      {"-c k.asc -o no/such/folder/k.o", "unable to open output file 'no/such/folder/k.o'"},
      {"--npu-arch=dav-3510 -c k.asc", "bisheng: error: UNSUPPORTED: architecture 'dav-3510'"},
  };
  for (const auto& [line, says] : lines) {
    const Outcome outcome = Bisheng(line);
    EXPECT_EQ(outcome.code, 1) << line;
    EXPECT_THAT(outcome.output, HasSubstr(says)) << line;
  }
  EXPECT_FALSE(LeftTemporaryFiles());
}

TEST_F(BishengErrors, NotesDoNotStopACompilation) {
  Write("k.asc", "int f();\n");
  const Outcome outcome = Bisheng("-c k.asc -mllvm -cce-aicore-addr-transform --cce-something");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(Times(outcome.output, "bisheng: note: "), 2u);
}

// A header that is a pipe keeps clang waiting for as long as the test wants.
TEST_F(BishengErrors, AnInterruptLeavesNothingBehind) {
  for (const int number : {SIGTERM, SIGINT}) {
    Write("k.asc", "#include \"pipe.h\"\n");
    const std::string pipe = folder_ + "/pipe.h";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      setenv("TMPDIR", (folder_ + "/tmp").c_str(), 1);
      if (chdir(folder_.c_str()) == 0) {
        execl(KERNELSMITH_CANN_ROOT "/bin/bisheng", "bisheng", "--npu-arch=dav-2201", "-c", "k.asc", nullptr);
      }
      _exit(127);
    }
    // Opening succeeds once clang reads.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int fd = -1;
    while (fd < 0 && std::chrono::steady_clock::now() < deadline) {
      fd = open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
      if (fd < 0) std::this_thread::yield();
    }
    ASSERT_GE(fd, 0);
    kill(pid, number);
    int status = 0;
    waitpid(pid, &status, 0);
    close(fd);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_FALSE(LeftTemporaryFiles());
    EXPECT_FALSE(Exists("k.o"));
    unlink(pipe.c_str());
  }
}

}  // namespace
}  // namespace kernelsmith::emulator
