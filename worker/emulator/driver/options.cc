#include "worker/emulator/driver/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "worker/emulator/driver/cards.h"

namespace kernelsmith::emulator {
namespace {

bool Has(const std::string& text, std::string_view prefix) { return std::string_view(text).starts_with(prefix); }

template <size_t N>
bool OneOf(const std::string& text, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), std::string_view(text)) != list.end();
}

// clang's options whose value is the next word.
constexpr std::array<std::string_view, 22> kCompilingWithValue = {
    "-D",        "-U",        "-I",       "-isystem",     "-iquote",        "-idirafter",  "-include",
    "-imacros",  "-MF",       "-MT",      "-MQ",          "-Xclang",        "-mllvm",      "-target",
    "-isysroot", "--sysroot", "-iprefix", "-iwithprefix", "-Xpreprocessor", "-Xassembler", "--param",
    "-arch"};
constexpr std::array<std::string_view, 6> kLinkingWithValue = {"-L", "-l", "-Xlinker", "-T", "-u", "-z"};
constexpr std::array<std::string_view, 12> kLinkingFlags = {
    "-rdynamic",      "-s",          "-static",        "-pie",          "-no-pie",
    "-nostdlib",      "-static-pie", "-nodefaultlibs", "-nostartfiles", "-static-libstdc++",
    "-static-libgcc", "-r"};

// Libraries of a real CANN whose functions are in libascendcl.so, in headers, or without meaning here.
constexpr std::array<std::string_view, 18> kAbsorbedLibraries = {
    "runtime",    "ascendc_runtime", "profapi",  "unified_dlog", "mmpa",           "ascend_dump",
    "c_sec",      "error_manager",   "register", "graph_base",   "platform",       "tiling_api",
    "ascendalog", "acl_rt",          "nnopbase", "msprofiler",   "ge_common_base", "ascendcl"};

// Options of the Ascend toolchain that change nothing an emulated vector card could show.
constexpr std::array<std::string_view, 6> kWithoutMeaning = {"--cce-disable-vf-stack-reserved-ubuf",
                                                             "--cce-disable-asc-reserved-ubuf",
                                                             "--cce-enable-print",
                                                             "-fcce-print",
                                                             "--run-mode=npu",
                                                             "--run-mode=sim"};

std::string Extension(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const size_t dot = path.find_last_of('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  return path.substr(dot + 1);
}

absl::StatusOr<Input> Classify(const std::string& path, const std::string& language) {
  Input input{path, Language::kHost, ""};
  if (language == "asc" || language == "cce") {
    input.language = Language::kAsc;
    return input;
  }
  if (!language.empty() && language != "none") {
    input.clang_language = language;
    return input;
  }
  const std::string extension = Extension(path);
  if (extension == "asc" || extension == "cce") {
    input.language = Language::kAsc;
  } else if (extension == "o" || extension == "a" || extension == "so" || extension == "obj" || extension == "lo" ||
             path.find(".so.") != std::string::npos) {
    input.language = Language::kLinked;
  } else if (static constexpr std::array<std::string_view, 7> kHostExtensions = {"c", "cc", "cpp", "cxx", "C", "c++",
                                                                                 "s"};
             !OneOf(extension, kHostExtensions)) {
    return absl::InvalidArgumentError(
        absl::StrCat("file type of '", path, "' is not recognized; say what it is with -x asc or -x c++"));
  }
  return input;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  absl::StatusOr<Options> Parse() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      if (absl::Status status = Next(arguments_[at_]); !status.ok()) return status;
    }
    return Finish();
  }

 private:
  // The value of an option written as two words.
  absl::StatusOr<std::string> Value() {
    if (at_ + 1 >= arguments_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument to '", arguments_[at_], "' is missing (expected 1 value)"));
    }
    return arguments_[++at_];
  }

  absl::Status Next(const std::string& word) {
    if (word.empty()) return absl::InvalidArgumentError("empty argument");
    if (word[0] != '-' || word == "-") return AddInput(word);
    if (word == "-o" || Has(word, "-o")) return SetOutput(word);
    if (word == "-x" || Has(word, "-x")) return SetLanguage(word);
    if (absl::StatusOr<bool> done = Ascend(word); !done.ok()) {
      return done.status();
    } else if (*done) {
      return absl::OkStatus();
    }
    if (TakeAction(word)) return absl::OkStatus();
    if (TakeLinking(word)) return link_error_;
    return TakeCompiling(word);
  }

  absl::Status AddInput(const std::string& path) {
    if (path == "-")
      return absl::InvalidArgumentError("reading a source from standard input is not supported: name a file");
    absl::StatusOr<Input> input = Classify(path, language_);
    if (!input.ok()) return input.status();
    if (input->language == Language::kLinked) {
      options_.linker.push_back(path);
    } else {
      options_.linker.push_back(absl::StrCat("\1", options_.inputs.size()));
    }
    options_.inputs.push_back(*std::move(input));
    return absl::OkStatus();
  }

  absl::Status SetOutput(const std::string& word) {
    absl::StatusOr<std::string> value = word == "-o" ? Value() : absl::StatusOr<std::string>(word.substr(2));
    if (!value.ok()) return value.status();
    options_.output = *std::move(value);
    return absl::OkStatus();
  }

  absl::Status SetLanguage(const std::string& word) {
    absl::StatusOr<std::string> value = word == "-x" ? Value() : absl::StatusOr<std::string>(word.substr(2));
    if (!value.ok()) return value.status();
    static constexpr std::array<std::string_view, 6> kLanguages = {"asc", "cce", "c", "c++", "none", "assembler"};
    if (!OneOf(*value, kLanguages)) {
      return absl::InvalidArgumentError(absl::StrCat("language not recognized: '", *value, "'"));
    }
    language_ = *std::move(value);
    return absl::OkStatus();
  }

  // Options of the Ascend toolchain. True: this was one.
  absl::StatusOr<bool> Ascend(const std::string& word) {
    if (word == "--npu-arch" || word == "--npu-soc") {
      return absl::InvalidArgumentError(absl::StrCat("'", word, "' needs a value, as in --npu-arch=dav-2201"));
    }
    if (Has(word, "--npu-arch=")) return SetArch(word.substr(11));
    if (Has(word, "--npu-soc=")) {
      soc_ = word.substr(10);
      return true;
    }
    if (Has(word, "--cce-aicore-arch=")) return SetArch(word.substr(18));
    if (word == "--asc-aicore-lang") {
      language_ = "asc";
      return true;
    }
    if (word == "--cce-auto-sync" || word == "--cce-auto-sync=on") {
      options_.auto_sync = true;
      return true;
    }
    if (word == "--cce-auto-sync=off") {
      options_.auto_sync = false;
      return true;
    }
    if (Has(word, "--cce-auto-sync=")) {
      return absl::InvalidArgumentError(
          absl::StrCat("invalid value '", word.substr(16), "' in '", word, "': on or off"));
    }
    if (word == "--sanitizer" || word == "--cce-enable-sanitizer") {
      options_.sanitizer = true;
      return true;
    }
    if (word == "--enable-simt") {
      return absl::UnimplementedError(
          "'--enable-simt' is for cards of architecture dav-3510; the emulated card is dav-2201");
    }
    if (word == "--cce-aicore-only") {
      return absl::UnimplementedError("'--cce-aicore-only' (device objects without host code) is not supported");
    }
    if (Has(word, "--run-mode=") && !OneOf(word, kWithoutMeaning)) {
      return absl::UnimplementedError(absl::StrCat("'", word, "' is not supported: npu or sim"));
    }
    if (OneOf(word, kWithoutMeaning)) return true;
    if (Has(word, "--cce-")) {
      options_.notes.push_back(absl::StrCat("'", word, "' has no meaning for the emulated card and is ignored"));
      return true;
    }
    if (word == "-mllvm" && at_ + 1 < arguments_.size() && Has(arguments_[at_ + 1], "-cce-")) {
      options_.notes.push_back(
          absl::StrCat("'-mllvm ", arguments_[at_ + 1], "' has no meaning for the emulated card and is ignored"));
      ++at_;
      return true;
    }
    return false;
  }

  absl::StatusOr<bool> SetArch(const std::string& arch) {
    if (absl::Status status = CheckArch(arch); !status.ok()) return status;
    arch_ = arch;
    return true;
  }

  bool TakeAction(const std::string& word) {
    static constexpr std::array<std::pair<std::string_view, Action>, 15> kActions = {
        {{"-c", Action::kObject},
         {"-dc", Action::kObject},
         {"-shared", Action::kShared},
         {"--shared", Action::kShared},
         {"-lib", Action::kArchive},
         {"--cce-build-static-lib", Action::kArchive},
         {"-fsyntax-only", Action::kSyntax},
         {"-E", Action::kPreprocess},
         {"-M", Action::kPreprocess},
         {"-MM", Action::kPreprocess},
         {"--help", Action::kHelp},
         {"-help", Action::kHelp},
         {"--version", Action::kVersion},
         {"-print-targets", Action::kPrintTargets},
         {"--print-targets", Action::kPrintTargets}}};
    if (word == "-v") {
      options_.verbose = true;
      return true;
    }
    for (const auto& [name, action] : kActions) {
      if (word != name) continue;
      if (word == "-dc") options_.relocatable = true;
      options_.action = std::max(options_.action, action);
      if (action == Action::kPreprocess) options_.clang.push_back(word);
      return true;
    }
    return false;
  }

  bool TakeLinking(const std::string& word) {
    if (OneOf(word, kLinkingFlags) || Has(word, "-Wl,") || Has(word, "-fuse-ld=")) {
      options_.linker.push_back(word);
      return true;
    }
    for (std::string_view option : kLinkingWithValue) {
      const std::string name(option);
      if (word != name && !(name.size() == 2 && name != "-u" && Has(word, name))) continue;
      std::string value = word.substr(name.size());
      if (word == name) {
        absl::StatusOr<std::string> next = Value();
        link_error_ = next.status();
        if (!next.ok()) return true;
        value = *std::move(next);
      }
      if (name == "-l" && OneOf(value, kAbsorbedLibraries)) return true;
      options_.linker.push_back(name);
      options_.linker.push_back(std::move(value));
      return true;
    }
    return false;
  }

  absl::Status TakeCompiling(const std::string& word) {
    static constexpr std::array<std::string_view, 3> kOutputs = {"-S", "-emit-llvm", "-flto"};
    if (OneOf(word, kOutputs)) return absl::UnimplementedError(absl::StrCat("'", word, "' is not supported"));
    if (Has(word, "-O")) optimised_ = true;
    options_.clang.push_back(word);
    if (!OneOf(word, kCompilingWithValue)) return absl::OkStatus();
    absl::StatusOr<std::string> value = Value();
    if (!value.ok()) return value.status();
    options_.clang.push_back(*std::move(value));
    return absl::OkStatus();
  }

  absl::StatusOr<Options> Finish() {
    if (options_.action >= Action::kHelp || (options_.verbose && options_.inputs.empty())) return std::move(options_);
    if (options_.inputs.empty()) return absl::InvalidArgumentError("no input files");
    if (arch_.empty() && !soc_.empty()) {
      absl::StatusOr<std::string> arch = ArchOfSoc(soc_);
      if (!arch.ok()) return arch.status();
      arch_ = *std::move(arch);
    }
    size_t compiled = 0;
    for (const Input& input : options_.inputs) {
      if (input.language != Language::kLinked) ++compiled;
      if (input.language == Language::kAsc && arch_.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", input.path, "' holds kernels: say for which card, with --npu-arch=dav-2201"));
      }
    }
    if (options_.action == Action::kObject && compiled > 1 && !options_.output.empty()) {
      return absl::InvalidArgumentError("cannot specify -o when generating multiple output files");
    }
    if (options_.action == Action::kArchive && options_.output.empty()) {
      return absl::InvalidArgumentError("-lib needs the archive's name: -o lib<name>.a");
    }
    if (!optimised_) options_.clang.insert(options_.clang.begin(), "-O2");
    return std::move(options_);
  }

  const std::vector<std::string>& arguments_;
  size_t at_ = 0;
  Options options_;
  std::string language_;
  std::string arch_;
  std::string soc_;
  bool optimised_ = false;
  absl::Status link_error_;
};

}  // namespace

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments) { return Parser(arguments).Parse(); }

std::string HelpText() {
  return R"(OVERVIEW: bisheng of the emulated CANN: compiles Ascend C for the emulated card

USAGE: bisheng [options] file...

INPUTS: .asc (kernels and host code), .c .cc .cpp .cxx (host code), .o .a .so

OPTIONS:
  --npu-arch=dav-2201     architecture of the card; required for kernels
  --npu-soc=<name>        card, such as Ascend910B3; --npu-arch wins
  -x asc                  the files that follow hold kernels, whatever they are called
  -o <file>               output
  -c, -dc                 compile to an object, do not link
  -shared                 make a shared object
  -lib                    make a static library
  -fsyntax-only           check, write nothing
  -E, -M, -MM             preprocess the host code
  -O0 .. -O3              optimisation; -O2 where none is given
  --cce-auto-sync=on|off  synchronisation inserted by the compiler; on where none is given
  --sanitizer             mark the kernels for mssanitizer
  -v, --version, -print-targets, --help
Other --cce-* options and -mllvm -cce-* are accepted and ignored; all other options are clang's.
)";
}

}  // namespace kernelsmith::emulator
