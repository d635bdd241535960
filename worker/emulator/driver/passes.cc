#include "worker/emulator/driver/passes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {
namespace {

void Append(std::vector<std::string>& to, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) to.emplace_back(word);
}

template <size_t N>
bool OneOf(const std::string& text, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), std::string_view(text)) != list.end();
}

// Of the plain line, what both passes keep: everything but program, language, input, output and action.
std::vector<std::string> Common(const std::vector<std::string>& plain, const PassSettings& settings) {
  // The language comes before what the author includes by -include.
  std::vector<std::string> line = {settings.clang, "-cc1", "-include",
                                   absl::StrCat(settings.include_root, "/ks/language.h")};
  for (size_t i = 2; i + 1 < plain.size(); ++i) {
    if (plain[i] == "-o" || plain[i] == "-x") {
      ++i;
    } else if (plain[i] != "-emit-obj" && plain[i] != "-fsyntax-only") {
      line.push_back(plain[i]);
    }
  }
  return line;
}

void AppendLanguage(std::vector<std::string>& line, const PassSettings& settings) {
  const bool chosen =
      std::any_of(line.begin(), line.end(), [](const std::string& word) { return word.starts_with("-std="); });
  if (!chosen) line.emplace_back("-std=gnu++17");
  Append(line, {"-U__CUDA__", "-U__CLANG_CUDA_APPROX_TRANSCENDENTALS__"});
  if (!settings.overlay.empty()) {
    line.emplace_back("-ivfsoverlay");
    line.push_back(settings.overlay);
  }
}

void AppendFiles(std::vector<std::string>& line, const PassSettings& settings) {
  if (settings.output.empty()) {
    line.emplace_back("-fsyntax-only");
  } else {
    Append(line, {"-emit-obj", "-o"});
    line.push_back(settings.output);
  }
  Append(line, {"-x", "cuda"});
  line.push_back(settings.input);
}

// Drops what concerns host code alone: dependency files, host sanitizers, position independence of executables.
std::vector<std::string> WithoutHostOptions(const std::vector<std::string>& line) {
  static constexpr std::array<std::string_view, 5> kWithValue = {"-dependency-file", "-MT", "-mrelocation-model",
                                                                 "-pic-level", "-stack-protector"};
  static constexpr std::array<std::string_view, 6> kAlone = {"-pic-is-pie",  "-sys-header-deps", "-MP",
                                                             "-fmath-errno", "-faddrsig",        "-ffp-contract=on"};
  std::vector<std::string> kept;
  for (size_t i = 0; i < line.size(); ++i) {
    if (OneOf(line[i], kWithValue)) {
      ++i;
    } else if (!OneOf(line[i], kAlone) && !line[i].starts_with("-fsanitize") && !line[i].starts_with("-fvisibility")) {
      kept.push_back(line[i]);
    }
  }
  return kept;
}

}  // namespace

std::vector<std::string> AskForPlainLine(const std::string& clang, const std::vector<std::string>& options,
                                         const std::string& include_root, const std::string& input) {
  std::vector<std::string> line = {clang, "--driver-mode=g++", "-###"};
  line.insert(line.end(), options.begin(), options.end());
  Append(line, {"-isystem"});
  line.push_back(include_root);
  Append(line, {"-x", "c++", "-c", "-o", "object"});
  line.push_back(input);
  return line;
}

absl::StatusOr<std::vector<std::string>> PlainLine(const std::string& answer) {
  std::string_view text(answer);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  text = text.substr(text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1);
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    std::string word;
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      word.push_back(text[i]);
    }
    words.push_back(std::move(word));
  }
  if (words.size() < 3 || words[1] != "-cc1") {
    return absl::InternalError(absl::StrCat("clang did not say how it compiles; it said: ", answer));
  }
  return words;
}

std::string SupportLibrary(const std::vector<std::string>& plain) {
  // Its folder is the one from which clang reaches the headers of the C++ library: .../lib/gcc/<triple>/<version>/../..
  for (const std::string& word : plain) {
    const size_t gcc = word.find("/lib/gcc/");
    const size_t up = word.find("/..", gcc == std::string::npos ? 0 : gcc);
    if (gcc != std::string::npos && up != std::string::npos) return absl::StrCat(word.substr(0, up), "/libgcc.a");
  }
  return "";
}

std::vector<std::string> DevicePass(const std::vector<std::string>& plain, const PassSettings& settings) {
  std::vector<std::string> line = WithoutHostOptions(Common(plain, settings));
  Append(line, {"-aux-triple", "x86_64-pc-linux-gnu", "-fcuda-is-device", "-fcuda-allow-variadic-functions",
                "-mrelocation-model", "pic", "-pic-level", "2", "-fvisibility=hidden", "-ftype-visibility=default",
                "-ffp-contract=off", "-fno-gnu-inline-asm", "-fno-threadsafe-statics",
                // while (true) {} runs for ever on a card; C++ lets a compiler drop it.
                "-fno-finite-loops"});
  // Every load and store of the kernel's own asks the executor, every basic block counts as a step.
  Append(line, {"-fsanitize=kernel-address", "-mllvm", "-asan-instrumentation-with-call-threshold=0", "-mllvm",
                "-asan-stack=0", "-mllvm", "-asan-globals=0", "-mllvm", "-asan-constructor-kind=none", "-mllvm",
                "-asan-kernel-mem-intrinsic-prefix=1", "-fsanitize-coverage-type=3", "-fsanitize-coverage-trace-pc",
                "-fsanitize-coverage-no-prune"});
  // __SANITIZE_ADDRESS__ is about host code in headers of the C library.
  Append(line, {"-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", "-D__DAV_C220_VEC__=1", "-DKSE_DEVICE_PASS=1",
                "-U__SANITIZE_ADDRESS__"});
  line.push_back(absl::StrCat("-DKSE_IMAGE_FLAGS=", (settings.auto_sync ? 1 : 0) | (settings.sanitizer ? 2 : 0)));
  line.push_back(absl::StrCat("-DKSE_IMAGE_VERSION=\"", KERNELSMITH_VERSION, "\""));
  AppendLanguage(line, settings);
  AppendFiles(line, settings);
  return line;
}

std::vector<std::string> HostPass(const std::vector<std::string>& plain, const PassSettings& settings) {
  std::vector<std::string> line = Common(plain, settings);
  Append(line, {"-aux-triple", "x86_64-pc-linux-gnu", "-target-sdk-version=8.0"});
  if (!settings.output.empty()) Append(line, {"-fcuda-include-gpubinary", "/dev/stdin"});
  AppendLanguage(line, settings);
  AppendFiles(line, settings);
  return line;
}

}  // namespace kernelsmith::emulator
