#include "worker/emulator/driver/options.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernelsmith::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<Options> Parse(const std::string& line) {
  return ParseOptions(absl::StrSplit(line, ' ', absl::SkipEmpty()));
}

Options Good(const std::string& line) {
  absl::StatusOr<Options> options = Parse(line);
  EXPECT_TRUE(options.ok()) << line << ": " << options.status();
  return options.ok() ? *options : Options{};
}

TEST(OptionsAction, ALineForASharedObject) {
  const Options options = Good("-shared -fPIC --npu-arch=dav-2201 k.asc -o libk.so");
  EXPECT_EQ(options.action, Action::kShared);
  ASSERT_EQ(options.inputs.size(), 1u);
  EXPECT_EQ(options.inputs[0].language, Language::kAsc);
  EXPECT_EQ(options.output, "libk.so");
  EXPECT_THAT(options.clang, ElementsAre("-O2", "-fPIC"));
  EXPECT_THAT(options.linker, ElementsAre("\1"
                                          "0"));
  EXPECT_THAT(options.notes, IsEmpty());
}

TEST(OptionsAction, TheStrongestActionWins) {
  EXPECT_EQ(Good("a.cpp").action, Action::kExecutable);
  EXPECT_EQ(Good("--shared a.cpp").action, Action::kShared);
  EXPECT_EQ(Good("-shared -c a.cpp").action, Action::kObject);
  EXPECT_EQ(Good("-dc a.cpp").action, Action::kObject);
  EXPECT_EQ(Good("-lib a.cpp -o a.a").action, Action::kArchive);
  EXPECT_EQ(Good("-c -fsyntax-only a.cpp").action, Action::kSyntax);
  EXPECT_EQ(Good("-E a.cpp").action, Action::kPreprocess);
  EXPECT_EQ(Good("--help").action, Action::kHelp);
  EXPECT_EQ(Good("--version").action, Action::kVersion);
  EXPECT_EQ(Good("-print-targets").action, Action::kPrintTargets);
}

TEST(OptionsInput, LanguagesComeFromExtensionsAndFromX) {
  const Options options = Good("--npu-arch=dav-2201 a.asc b.cpp c.o -xasc d.cpp -x c++ e.txt -x none f.so.1 -o x");
  std::vector<Language> languages;
  for (const Input& input : options.inputs) languages.push_back(input.language);
  EXPECT_THAT(languages, ElementsAre(Language::kAsc, Language::kHost, Language::kLinked, Language::kAsc,
                                     Language::kHost, Language::kLinked));
  EXPECT_EQ(options.inputs[4].clang_language, "c++");
}

TEST(OptionsInput, TheCMakeRuleNamesAnAscSource) {
  EXPECT_EQ(Good("-std=c++17 --npu-arch=dav-2201 -o k.o -c --asc-aicore-lang k.cpp").inputs[0].language,
            Language::kAsc);
}

TEST(OptionsLink, LibrariesOfTheToolkitAreAbsorbedOthersKeepTheirPlace) {
  const Options options =
      Good("--npu-arch=dav-2201 -xasc -L/x/lib64 -lruntime -lascendcl -lm -l tiling_api -ldl k.cpp -Wl,-z,defs");
  EXPECT_THAT(options.linker, ElementsAre("-L", "/x/lib64", "-l", "m", "-l", "dl",
                                          "\1"
                                          "0",
                                          "-Wl,-z,defs"));
}

TEST(OptionsCompile, ClangsOptionsAreHandedOnWithTheirValues) {
  EXPECT_THAT(Good("-O3 -g -DX=1 -D Y -I/a -I b -isystem c -include d -std=c++20 -Wall -MF deps a.cpp").clang,
              ElementsAre("-O3", "-g", "-DX=1", "-D", "Y", "-I/a", "-I", "b", "-isystem", "c", "-include", "d",
                          "-std=c++20", "-Wall", "-MF", "deps"));
}

TEST(OptionsAscend, SynchronisationAndSanitizerAreRecorded) {
  EXPECT_TRUE(Good("a.cpp").auto_sync);
  EXPECT_TRUE(Good("--cce-auto-sync a.cpp").auto_sync);
  EXPECT_FALSE(Good("--cce-auto-sync=off a.cpp").auto_sync);
  EXPECT_TRUE(Good("--cce-auto-sync=off --cce-auto-sync=on a.cpp").auto_sync);
  EXPECT_TRUE(Good("--sanitizer -g a.cpp").sanitizer);
  EXPECT_TRUE(Good("--cce-enable-sanitizer a.cpp").sanitizer);
}

TEST(OptionsAscend, WhatHasNoMeaningIsNoted) {
  const Options options =
      Good("-mllvm -cce-aicore-stack-size=0x8000 --cce-long-call=true -mllvm -inline-threshold=9 a.cpp");
  EXPECT_THAT(options.notes, ElementsAre(HasSubstr("-cce-aicore-stack-size"), HasSubstr("--cce-long-call")));
  EXPECT_THAT(options.clang, ElementsAre("-O2", "-mllvm", "-inline-threshold=9"));
}

TEST(OptionsAscend, ACardStandsForItsArchitecture) {
  Good("--npu-soc=Ascend910B3 k.asc");
  Good("--npu-soc=Ascend910_9391 k.asc");
  Good("--npu-soc=Ascend310P3 --npu-arch=dav-2201 k.asc");
  Good("-xcce --cce-aicore-arch=dav-c220 k.cpp");
}

struct Refusal {
  std::string line;
  absl::StatusCode code;
  std::string says;
};

class OptionsRefused : public testing::TestWithParam<Refusal> {};

TEST_P(OptionsRefused, WithAReason) {
  const absl::StatusOr<Options> options = Parse(GetParam().line);
  EXPECT_EQ(options.status().code(), GetParam().code) << GetParam().line;
  EXPECT_THAT(std::string(options.status().message()), HasSubstr(GetParam().says)) << GetParam().line;
}

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

INSTANTIATE_TEST_SUITE_P(
    Table, OptionsRefused,
    testing::Values(Refusal{"", kInvalid, "no input files"}, Refusal{"-shared -o x", kInvalid, "no input files"},
                    Refusal{"k.asc", kInvalid, "--npu-arch=dav-2201"},
                    Refusal{"--npu-arch=dav-3510 k.asc", kUnimplemented, "dav-3510"},
                    Refusal{"--npu-arch=dav-9999 k.asc", kInvalid, "unknown architecture 'dav-9999'"},
                    Refusal{"--npu-arch= k.asc", kInvalid, "unknown architecture ''"},
                    Refusal{"--npu-arch k.asc", kInvalid, "needs a value"},
                    Refusal{"--npu-soc=Ascend310P3 k.asc", kUnimplemented, "Ascend310P3"},
                    Refusal{"--npu-soc=H100 k.asc", kInvalid, "unknown card 'H100'"},
                    Refusal{"--cce-aicore-arch=dav-c220-cube k.asc", kUnimplemented, "dav-c220-cube"},
                    Refusal{"a.cpp -o", kInvalid, "argument to '-o' is missing"},
                    Refusal{"a.cpp -I", kInvalid, "argument to '-I' is missing"},
                    Refusal{"a.cpp -l", kInvalid, "argument to '-l' is missing"},
                    Refusal{"a.cpp -x", kInvalid, "argument to '-x' is missing"},
                    Refusal{"-x fortran a.f", kInvalid, "language not recognized: 'fortran'"},
                    Refusal{"kernel.txt", kInvalid, "file type of 'kernel.txt'"},
                    Refusal{"- ", kInvalid, "standard input"},
                    Refusal{"-c a.cpp b.cpp -o c.o", kInvalid, "multiple output files"},
                    Refusal{"-lib a.cpp", kInvalid, "-o lib<name>.a"},
                    Refusal{"--cce-auto-sync=maybe a.cpp", kInvalid, "on or off"},
                    Refusal{"--enable-simt a.cpp", kUnimplemented, "dav-3510"},
                    Refusal{"--run-mode=cpu a.cpp", kUnimplemented, "--run-mode=cpu"},
                    Refusal{"--cce-aicore-only a.cpp", kUnimplemented, "--cce-aicore-only"},
                    Refusal{"-S a.cpp", kUnimplemented, "'-S'"}));

}  // namespace
}  // namespace kernelsmith::emulator
