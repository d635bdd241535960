#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"
#include "tests/worker/support/compiled_candidate.h"
#include "worker/diagnostics/gcc_messages.h"
#include "worker/diagnostics/printable.h"
#include "worker/toolchains/compile_cache.h"
#include "worker/toolchains/cpu_toolchain.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing_support::CandidateOf;
using testing_support::kDouble;

class ToolchainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto toolchain = MakeCpuToolchain({.cache_dir = folder_.path() + "/cache"});
    ASSERT_TRUE(toolchain.ok()) << toolchain.status();
    toolchain_ = *std::move(toolchain);
  }

  CompileResult Compile(const v1::Candidate& candidate, CompileLimits limits = {}) {
    auto result = toolchain_->Compile(candidate, limits);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(CompileResult());
  }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("toolchain-test");
  std::unique_ptr<Toolchain> toolchain_;
};

TEST_F(ToolchainTest, CompilesAndServesTheSecondRequestFromTheCache) {
  EXPECT_THAT(toolchain_->version(), StartsWith("g++ "));
  EXPECT_THAT(toolchain_->flags(), HasSubstr("-O3 -march=native"));
  const CompileResult first = Compile(CandidateOf(kDouble));
  EXPECT_EQ(first.outcome, CompileOutcome::kOk) << first.log;
  EXPECT_FALSE(first.cache_hit);
  EXPECT_EQ((*common::ReadFile(first.object_path)).substr(1, 3), "ELF");
  const CompileResult second = Compile(CandidateOf(kDouble));
  EXPECT_TRUE(second.cache_hit);
  EXPECT_EQ(second.object_path, first.object_path);
  EXPECT_FALSE(Compile(CandidateOf(absl::StrCat(kDouble, "\n"))).cache_hit);
}

TEST_F(ToolchainTest, ErrorsCarryFileLineAndColumn) {
  const CompileResult result =
      Compile(CandidateOf("extern \"C\" int ks_kernel(const ks_call* call) {\n  return undeclared;\n}\n"));
  EXPECT_EQ(result.outcome, CompileOutcome::kError);
  ASSERT_FALSE(result.diagnostics.empty());
  const v1::Diagnostic& first = result.diagnostics[0];
  EXPECT_EQ(first.file(), "kernel.cpp");
  EXPECT_EQ(first.line(), 3);
  EXPECT_EQ(first.column(), 10);
  EXPECT_EQ(first.severity(), v1::Diagnostic::ERROR);
  EXPECT_THAT(first.text(), HasSubstr("undeclared"));
}

TEST_F(ToolchainTest, MissingKernelAndUndefinedFunctionsAreCompileErrors) {
  const CompileResult missing = Compile(CandidateOf("int other() { return 0; }\n"));
  EXPECT_EQ(missing.outcome, CompileOutcome::kError);
  EXPECT_THAT(missing.log, HasSubstr("ks_kernel"));
  const CompileResult undefined =
      Compile(CandidateOf("int elsewhere(); extern \"C\" int ks_kernel(const ks_call*) { return elsewhere(); }\n"));
  EXPECT_EQ(undefined.outcome, CompileOutcome::kError);
  EXPECT_TRUE(std::any_of(undefined.diagnostics.begin(), undefined.diagnostics.end(),
                          [](const v1::Diagnostic& d) { return absl::StrContains(d.text(), "elsewhere"); }));
}

TEST_F(ToolchainTest, SeveralFilesAndHeadersWork) {
  v1::Candidate candidate = CandidateOf(
      "#include \"scale.h\"\n"
      "extern \"C\" int ks_kernel(const ks_call*) { return Scale() - 3; }\n");
  v1::SourceFile* header = candidate.add_files();
  header->set_name("scale.h");
  header->set_content("int Scale();\n");
  v1::SourceFile* unit = candidate.add_files();
  unit->set_name("scale.cpp");
  unit->set_content("#include \"scale.h\"\nint Scale() { return 3; }\n");
  EXPECT_EQ(Compile(candidate).outcome, CompileOutcome::kOk);
}

TEST_F(ToolchainTest, HostileSourcesReadNothingOfTheHostAndEnd) {
  const std::string secret = folder_.path() + "/secret";
  ASSERT_TRUE(common::WriteFileAtomically(secret, "int hidden_token;").ok());
  const std::string sources[] = {
      absl::StrCat("#include \"", secret, "\"\n"),
      "#include \"/etc/shadow\"\n",
      "asm(\".incbin \\\"/etc/shadow\\\"\");\n",
      "constexpr int Endless(int n) { while (true) n ^= 1; return n; }\nconstexpr int x = Endless(1);\n",
      "template <int N> struct Deep { static constexpr int v = Deep<N + 1>::v; }; int y = Deep<0>::v;\n",
  };
  for (const std::string& source : sources) {
    const CompileResult result = Compile(CandidateOf(source), {.wall = absl::Seconds(60)});
    EXPECT_NE(result.outcome, CompileOutcome::kOk) << source;
    EXPECT_THAT(result.log, Not(HasSubstr("hidden_token"))) << source;
    EXPECT_LE(result.diagnostics.size(), 50u);
  }
}

TEST_F(ToolchainTest, EndlessCompilationIsStoppedAtTheLimit) {
  // 2^26 instantiations.
  const CompileResult result =
      Compile(CandidateOf("template <int D, int I> struct Tree { Tree<D - 1, 2 * I> a; Tree<D - 1, 2 * I + 1> b; };\n"
                          "template <int I> struct Tree<0, I> { int v = I; };\n"
                          "extern \"C\" int ks_kernel(const ks_call*) { return sizeof(Tree<26, 0>) == 1; }\n"),
              {.wall = absl::Seconds(1)});
  EXPECT_EQ(result.outcome, CompileOutcome::kTimeout);
}

TEST_F(ToolchainTest, CompilerMemoryIsBounded) {
  const CompileResult result =
      Compile(CandidateOf("template <int D, int I> struct Tree { Tree<D - 1, 2 * I> a; Tree<D - 1, 2 * I + 1> b; };\n"
                          "template <int I> struct Tree<0, I> { int v = I; };\n"
                          "extern \"C\" int ks_kernel(const ks_call*) { return sizeof(Tree<26, 0>) == 1; }\n"),
              {.wall = absl::Seconds(100), .memory_bytes = int64_t{256} << 20});
  EXPECT_EQ(result.outcome, CompileOutcome::kOutOfMemory) << result.log;
}

TEST_F(ToolchainTest, WrongCandidatesAreInvalidAndNameTheField) {
  v1::Candidate kind = CandidateOf("");
  kind.set_kind(v1::Candidate::ASCEND_KERNEL);
  v1::Candidate path = CandidateOf("");
  path.mutable_files(0)->set_name("../kernel.cpp");
  v1::Candidate twice = CandidateOf("");
  *twice.add_files() = twice.files(0);
  v1::Candidate none = CandidateOf("");
  none.mutable_files(0)->set_name("kernel.h");
  const std::pair<v1::Candidate, std::string> rows[] = {{kind, "candidate.kind"},
                                                        {path, "candidate.files.name"},
                                                        {twice, "candidate.files.name"},
                                                        {none, "candidate.files"}};
  for (const auto& [candidate, field] : rows) {
    EXPECT_EQ(common::FieldOf(toolchain_->Compile(candidate, {}).status()), field);
  }
}

TEST_F(ToolchainTest, ParallelRequestsBuildOnce) {
  int misses = 0;
  std::vector<std::thread> threads;
  std::vector<CompileResult> results(4);
  for (CompileResult& result : results) {
    threads.emplace_back([this, &result] { result = Compile(CandidateOf(absl::StrCat(kDouble, "\n// parallel"))); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CompileResult& result : results) misses += result.cache_hit ? 0 : 1;
  EXPECT_EQ(misses, 1);
}

TEST(ToolchainStartTest, MissingCompilerSaysWhatToDo) {
  const absl::Status status =
      MakeCpuToolchain({.cache_dir = testing::TempDir() + "/unused", .compiler = "/usr/bin/no-such-compiler"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

TEST(CompileCacheTest, OldestUseIsEvictedFirstAndRecentUseIsKept) {
  auto folder = *common::TemporaryFolder::Make("cache-test");
  const CompileCache cache = *CompileCache::Open(folder.path(), 250);
  const std::string block(100, 'x');
  const auto age = [](const std::string& path, int hours) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  const std::string a = *cache.Store("aaaa", block);
  age(a, 5);
  const std::string b = *cache.Store("bbbb", block);
  age(b, 9);
  ASSERT_TRUE(cache.Store("cccc", block).ok());
  EXPECT_TRUE(cache.Find("aaaa").has_value());  // now used just now
  EXPECT_FALSE(cache.Find("bbbb").has_value());
  ASSERT_TRUE(cache.Store("dddd", block).ok());  // too much, but everything is in use
  EXPECT_TRUE(cache.Find("aaaa").has_value());
  struct stat info = {};
  ASSERT_EQ(::stat(a.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
}

TEST(GccMessagesTest, ReadsJsonLinkerLinesAndGarbage) {
  const std::string text =
      R"([{"kind":"warning","message":"unused","option":"-Wunused","locations":[{"caret":{"file":"src/a.cpp","line":4,"column":2}}],"children":[]},)"
      R"({"kind":"error","message":"bad","locations":[{"caret":{"file":"src/a.cpp","line":9,"column":7}}],"children":[{"kind":"note","message":"here","locations":[]}]}])"
      "\n[{\"kind\": truncated\n/usr/bin/ld: x.o: undefined reference to `f()'\nharmless line\n[1, \"x\", null]\n";
  const std::vector<v1::Diagnostic> found = ParseGccMessages(text, "src/", 50);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].text(), "bad");
  EXPECT_EQ(found[0].line(), 9);
  EXPECT_EQ(found[0].file(), "a.cpp");
  EXPECT_THAT(found[1].text(), HasSubstr("undefined reference"));
  EXPECT_EQ(found[2].rule(), "-Wunused");
  EXPECT_EQ(found[3].severity(), v1::Diagnostic::NOTE);
  EXPECT_EQ(ParseGccMessages(text, "src/", 1).size(), 1u);
  EXPECT_TRUE(ParseGccMessages("", "src/", 50).empty());
}

TEST(PrintableTest, EscapesWhatIsNoText) {
  const std::pair<std::string, std::string> rows[] = {
      {"plain\n\ttext", "plain\n\ttext"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"\xff\xfe", "\\xff\\xfe"},
      {"\x1b[31m", "\\x1b[31m"},
      {"größe 漢", "größe 漢"},
      {"\xc0\xaf", "\\xc0\\xaf"},           // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // surrogate
      {"\xe6\xbc", "\\xe6\\xbc"},           // cut short
  };
  for (const auto& [bytes, text] : rows) EXPECT_EQ(Printable(bytes, 1000), text);
  EXPECT_EQ(Printable("abcdef", 3), "abc…");
  EXPECT_EQ(Printable("ab漢", 4), "ab…");
}

}  // namespace
}  // namespace kernelsmith::worker
