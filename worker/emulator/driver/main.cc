// bisheng of the emulated CANN. See README.md and compile.h.
#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "worker/emulator/driver/compile.h"
#include "worker/emulator/driver/folder.h"
#include "worker/emulator/driver/link.h"
#include "worker/emulator/driver/options.h"
#include "worker/emulator/driver/process.h"

namespace kernelsmith::emulator {
namespace {

absl::StatusOr<int> Version(const Toolchain& toolchain) {
  std::printf("bisheng of the emulated CANN %s\nArchitectures: dav-2201 (vector cores)\nInstalledDir: %s/bin\n",
              KERNELSMITH_VERSION, toolchain.root.c_str());
  std::fflush(stdout);
  return Run({.argv = {toolchain.clang, "--version"}});
}

std::string ObjectName(const std::string& source) {
  return std::filesystem::path(source).filename().replace_extension(".o").string();
}

// Compiles input `index`. With 0 the object is at `object`, or nowhere where none was asked for.
absl::StatusOr<int> CompileInput(const Toolchain& toolchain, const Options& options, const Input& input,
                                 const std::string& object, const TemporaryFolder& folder) {
  if (input.language == Language::kAsc && options.action != Action::kPreprocess) {
    return CompileAsc(toolchain, options, input.path, options.action == Action::kSyntax ? "" : object, folder);
  }
  return CompileHost(toolchain, options, input, options.action == Action::kPreprocess ? options.output : object);
}

absl::StatusOr<int> Build(const Toolchain& toolchain, const Options& options) {
  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
  if (!folder.ok()) return folder.status();
  std::vector<std::string> objects(options.inputs.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    const Input& input = options.inputs[i];
    if (input.language == Language::kLinked) continue;
    objects[i] = folder->File(absl::StrCat("input", i, ".o"));
    absl::StatusOr<int> code = CompileInput(toolchain, options, input, objects[i], *folder);
    if (!code.ok() || *code != 0) return code;
    if (options.action != Action::kObject) continue;
    const std::string output = options.output.empty() ? ObjectName(input.path) : options.output;
    if (absl::Status status = PutFile(objects[i], output); !status.ok()) return status;
  }
  if (options.action > Action::kArchive) return 0;
  const std::string linked = folder->File("output");
  absl::StatusOr<int> code = LinkOutput(toolchain, options, objects, linked, *folder);
  if (!code.ok() || *code != 0) return code;
  if (absl::Status status = PutFile(linked, options.output.empty() ? "a.out" : options.output); !status.ok()) {
    return status;
  }
  return 0;
}

absl::StatusOr<int> Main(const std::vector<std::string>& arguments) {
  absl::StatusOr<Options> options = ParseOptions(arguments);
  if (!options.ok()) return options.status();
  for (const std::string& note : options->notes) std::fprintf(stderr, "bisheng: note: %s\n", note.c_str());
  if (options->action == Action::kHelp) {
    std::fputs(HelpText().c_str(), stdout);
    return 0;
  }
  if (options->action == Action::kPrintTargets) {
    std::puts("  Registered Targets:\n    hiipu64 - emulated NPU, dav-2201 (vector cores)\n    x86-64  - host");
    return 0;
  }
  absl::StatusOr<Toolchain> toolchain = Toolchain::Find();
  if (!toolchain.ok()) return toolchain.status();
  if (options->action == Action::kVersion || options->inputs.empty()) return Version(*toolchain);
  return Build(*toolchain, *options);
}

}  // namespace
}  // namespace kernelsmith::emulator

int main(int argc, char** argv) {
  namespace emulator = kernelsmith::emulator;
  emulator::InterruptScope interrupts;
  absl::StatusOr<int> code = emulator::Main(std::vector<std::string>(argv + 1, argv + argc));
  if (code.ok()) return *code;
  if (const int number = emulator::InterruptScope::Received(); number != 0) {
    signal(number, SIG_DFL);
    raise(number);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
  }
  std::fprintf(stderr, "bisheng: error: %s%s\n", absl::IsUnimplemented(code.status()) ? "UNSUPPORTED: " : "",
               std::string(code.status().message()).c_str());
  return 1;
}
