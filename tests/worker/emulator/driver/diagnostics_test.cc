#include "worker/emulator/driver/diagnostics.h"

#include <string>

#include "gtest/gtest.h"

namespace kernelsmith::emulator {
namespace {

constexpr char kUndeclared[] =
    "In file included from k.asc:1:\n"
    "op.h:7:5: error: use of undeclared identifier 'Foo'\n"
    "    Foo(x);\n"
    "    ^\n";

TEST(Diagnostics, SayOnceWhatBothPassesSay) {
  const std::string text = std::string(kUndeclared) + "1 error generated when compiling for x86-64.\n";
  EXPECT_EQ(MergeDiagnostics({text, std::string(kUndeclared) + "1 error generated when compiling for host.\n"}, {}),
            std::string(kUndeclared) + "1 error generated.\n");
}

TEST(Diagnostics, KeepWhatOnlyOnePassSays) {
  const std::string host = "k.asc:9:1: warning: unused variable 'a' [-Wunused-variable]\n  int a;\n  ^\n";
  EXPECT_EQ(MergeDiagnostics({kUndeclared, std::string(kUndeclared) + host}, {}),
            std::string(kUndeclared) + host + "1 warning and 1 error generated.\n");
}

TEST(Diagnostics, TheSameLineTwiceInOnePassIsTwoDiagnostics) {
  const std::string one = "k.asc:3:1: note: here\n";
  const std::string error = "k.asc:2:1: error: bad\n" + one;
  EXPECT_EQ(MergeDiagnostics({error + error}, {}), error + error + "2 errors generated.\n");
}

TEST(Diagnostics, SpeakOfAscendC) {
  EXPECT_EQ(MergeDiagnostics({"k.asc:1:2: error: reference to __device__ function 'f' in __host__ function\n"}, {}),
            "k.asc:1:2: error: reference to __aicore__ function 'f' in __host__ function\n1 error generated.\n");
}

TEST(Diagnostics, ShowTheAuthorsLine) {
  Rewriting rewriting;
  rewriting.lines["__global__            void k()"] = "__global__ __aicore__ void k()";
  EXPECT_EQ(MergeDiagnostics({"k.asc:1:2: error: bad\n__global__            void k()\n ^\n"}, rewriting),
            "k.asc:1:2: error: bad\n__global__ __aicore__ void k()\n ^\n1 error generated.\n");
}

TEST(Diagnostics, NameTheKernelThatNeedsOtherCores) {
  Rewriting rewriting;
  rewriting.kernels = {{"/src/other.asc", {"no", 1, 9}}, {"/src/k.asc", {"first", 1, 2}}, {"/src/k.asc", {"mm", 4, 6}}};
  const std::string output =
      "k.asc:5:1: error: UNSUPPORTED: this kernel runs on cube cores\n__cube__\n^\n"
      "/t/ks/language.h:30:1: note: expanded from macro '__cube__'\n  _Pragma\n  ^\n";
  EXPECT_EQ(MergeDiagnostics({output}, rewriting),
            "k.asc:5:1: error: UNSUPPORTED: kernel 'mm' runs on cube cores\n__cube__\n^\n1 error generated.\n");
}

TEST(Diagnostics, AreNothingWhereNothingWasSaid) { EXPECT_EQ(MergeDiagnostics({"", "\n"}, {}), ""); }

TEST(DriverComplaints, AreClangsUnderTheDriversName) {
  EXPECT_EQ(DriverComplaints("clang: error: unknown argument: '-foo'\nDebian clang version 16.0.6\n"
                             "Thread model: posix\nclang-16: warning: optimization flag '-X' is not supported\n"
                             " \"/usr/bin/clang\" \"-cc1\" \"-DA=error: \"\n"),
            "bisheng: error: unknown argument: '-foo'\nbisheng: warning: optimization flag '-X' is not supported\n");
}

}  // namespace
}  // namespace kernelsmith::emulator
