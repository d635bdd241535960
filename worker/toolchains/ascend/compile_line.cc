#include "worker/toolchains/ascend/compile_line.h"

#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {
namespace {

using Words = std::vector<std::string>;

void Append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// The single command that projects for CANN 8.0 to 8.3 use: the .cce language with its stack and store options.
Words OldFlags(const SocArchitecture& architecture) {
  return {"-shared",
          "-fPIC",
          absl::StrCat("--cce-aicore-arch=", architecture.cce_arch),
          "-O3",
          "-std=c++17",
          "-xcce",
          "--cce-auto-sync=on",
          "-mllvm",
          "-cce-aicore-stack-size=0x8000",
          "-mllvm",
          "-cce-aicore-function-stack-size=0x8000",
          "-mllvm",
          "-cce-aicore-record-overflow=true",
          "-mllvm",
          "-cce-aicore-addr-transform",
          "-mllvm",
          "-cce-aicore-dcci-insert-for-scalar=false",
          "-DASCENDC_DUMP=0"};
}

Words OldPaths(const CannRoot& root) {
  Words words;
  for (const char* sub : {"", "/tikcfw", "/tikcfw/impl", "/tikcfw/interface"}) {
    words.push_back(absl::StrCat("-I", root.path, "/compiler/tikcpp", sub));
  }
  Append(words, {absl::StrCat("-I", root.path, "/include"), absl::StrCat("-L", root.path, "/lib64"), "-lruntime",
                 "-lstdc++", "-lascendcl", "-lm", "-ltiling_api", "-lplatform", "-lc_sec", "-ldl"});
  return words;
}

}  // namespace

std::vector<std::string> KernelFlags(const CannRoot& root, const SocArchitecture& architecture, bool sanitized) {
  Words words = {"-shared",
                 "-fPIC",
                 absl::StrCat("--npu-arch=", architecture.npu_arch),
                 "-O3",
                 "-std=c++17",
                 "--cce-auto-sync=on",
                 "-DASCENDC_DUMP=0"};
  if (!root.version.takes_asc()) words = OldFlags(architecture);
  if (sanitized) Append(words, {"-g", "--cce-enable-sanitizer"});
  return words;
}

std::vector<std::string> KernelCommand(const CannRoot& root, const SocArchitecture& architecture,
                                       const std::string& source, const std::string& object, bool sanitized) {
  Words words = {root.compiler};
  Append(words, KernelFlags(root, architecture, sanitized));
  Append(words, {"-o", object, source});
  if (!root.version.takes_asc()) Append(words, OldPaths(root));
  return words;
}

std::vector<std::string> PlanCommand(const CannRoot& root, const std::string& include, const std::string& source,
                                     const std::string& object) {
  Words words = {"/usr/bin/g++", "-std=c++20", "-O2", "-shared", "-fPIC", absl::StrCat("-I", include)};
  for (const std::string& folder : root.includes) words.push_back(absl::StrCat("-I", folder));
  Append(words, {"-fdiagnostics-format=json", "-fmax-errors=20", "-Wl,-z,defs", "-Wl,--require-defined=ks_plan", "-o",
                 object, source});
  return words;
}

}  // namespace kernelsmith::worker
