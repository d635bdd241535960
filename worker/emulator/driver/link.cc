#include "worker/emulator/driver/link.h"

#include <cstdlib>
#include <filesystem>

#include "worker/emulator/driver/process.h"
#include "worker/emulator/driver/relocatable.h"

namespace kernelsmith::emulator {
namespace {

std::vector<std::string> ArchiveLine(const std::string& ar, const Options& options,
                                     const std::vector<std::string>& objects, const std::string& output) {
  std::vector<std::string> line = {ar, "rcs", output};
  for (size_t i = 0; i < objects.size(); ++i) line.push_back(objects[i].empty() ? options.inputs[i].path : objects[i]);
  return line;
}

}  // namespace

absl::StatusOr<int> LinkOutput(const Toolchain& toolchain, const Options& options,
                               const std::vector<std::string>& objects, const std::string& output,
                               const TemporaryFolder& folder) {
  std::vector<std::string> line;
  if (options.action == Action::kArchive) {
    absl::StatusOr<std::string> ar = FindProgram("ar", "/usr/bin/ar");
    if (!ar.ok()) return ar.status();
    line = ArchiveLine(*ar, options, objects, output);
  } else {
    std::vector<std::string> words = options.linker;
    std::vector<std::string*> host_objects;
    for (std::string& word : words) {
      if (word[0] == '\1') word = objects[std::strtoul(word.c_str() + 1, nullptr, 10)];
      if (word[0] != '-' && word.ends_with(".o")) host_objects.push_back(&word);
    }
    absl::StatusOr<bool> accepted = LinkDeviceObjects(toolchain, options, host_objects, folder);
    if (!accepted.ok()) return accepted.status();
    if (!*accepted) return 1;
    line = {toolchain.clang, "--driver-mode=g++", "--ld-path=" + toolchain.lld, "-Wno-unused-command-line-argument"};
    line.insert(line.end(), options.clang.begin(), options.clang.end());
    if (options.action == Action::kShared) line.emplace_back("-shared");
    line.insert(line.end(), {"-o", output});
    line.insert(line.end(), words.begin(), words.end());
    const std::string libraries = toolchain.root + "/lib64";
    line.insert(line.end(), {libraries + "/libascendc_runtime.a", "-L" + libraries, "-Wl,-rpath," + libraries});
    // A root without a runtime still makes shared objects and programs of host code.
    if (std::filesystem::exists(libraries + "/libascendcl.so")) line.emplace_back("-lascendcl");
    line.insert(line.end(), {"-ldl", "-lpthread"});
  }
  ShowCommand(options, line);
  return Run({.argv = line});
}

}  // namespace kernelsmith::emulator
