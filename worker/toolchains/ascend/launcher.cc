#include "worker/toolchains/ascend/launcher.h"

#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {
namespace {

constexpr const char* kIdentifiers[] = {
    "extern", "int",    "uint32_t", "uint64_t", "void",     "switch",   "case",      "return", "default",
    "struct", "const",  "operator", "template", "typename", "unsigned", "namespace", "ks_any", "ks_launch_kernel",
    "index",  "blocks", "stream",   "args",     "value",    "Pointee",  "long",      "nullptr"};

std::string LaunchCase(int index, const KernelSignature& kernel) {
  std::string arguments;
  for (int i = 0; i < kernel.parameters; ++i) {
    absl::StrAppend(&arguments, i == 0 ? "" : ", ", "ks_any{args[", i, "]}");
  }
  return absl::StrCat("    case ", index, ":\n      ", kernel.name, "<<<blocks, nullptr, stream>>>(", arguments,
                      ");\n      return 0;\n");
}

}  // namespace

std::string LauncherText(const std::string& kernel_file, absl::Span<const KernelSignature> kernels) {
  std::string text = absl::StrCat("#include \"", kernel_file, "\"\n");
  for (const char* identifier : kIdentifiers) absl::StrAppend(&text, "#undef ", identifier, "\n");
  for (const KernelSignature& kernel : kernels) absl::StrAppend(&text, "#undef ", kernel.name, "\n");
  // The detour by an integer suits compilers for which device pointers are of another address space.
  absl::StrAppend(&text,
                  "struct ks_any {\n"
                  "  void* value;\n"
                  "  template <typename Pointee>\n"
                  "  operator Pointee*() const { return (Pointee*)(unsigned long)value; }\n"
                  "};\n"
                  "extern \"C\" int ks_launch_kernel(int index, unsigned blocks, void* stream, void** args) {\n"
                  "  switch (index) {\n");
  for (size_t i = 0; i < kernels.size(); ++i) absl::StrAppend(&text, LaunchCase(static_cast<int>(i), kernels[i]));
  absl::StrAppend(&text, "    default:\n      return -1;\n  }\n}\n");
  return text;
}

std::string EmptyKernelText() {
  return "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void ks_empty(GM_ADDR x) {}\n";
}

}  // namespace kernelsmith::worker
