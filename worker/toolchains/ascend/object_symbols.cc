#include "worker/toolchains/ascend/object_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr absl::string_view kEmptyKernel = "ks_empty";

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the compiled object is no sound ELF file: ", what));
}

class Reader {
 public:
  explicit Reader(absl::string_view elf) : elf_(elf) {}

  absl::StatusOr<ObjectSymbols> Run() {
    Elf64_Ehdr header;
    if (!Get(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0) {
      return Damaged("header");
    }
    for (size_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!Get(header.e_shoff + i * sizeof section, &section)) return Damaged("sections");
      sections_.push_back(section);
    }
    if (header.e_shstrndx >= sections_.size()) return Damaged("names of sections");
    for (const Elf64_Shdr& section : sections_) RETURN_IF_ERROR(Section(section, sections_[header.e_shstrndx]));
    return std::move(result_);
  }

 private:
  template <typename T>
  bool Get(uint64_t at, T* value) const {
    if (at > elf_.size() || elf_.size() - at < sizeof *value) return false;
    std::memcpy(value, elf_.data() + at, sizeof *value);
    return true;
  }

  // Null-terminated text of a string section; empty if it lies outside.
  std::string Text(const Elf64_Shdr& strings, uint64_t at) const {
    if (strings.sh_offset > elf_.size() || strings.sh_size > elf_.size() - strings.sh_offset) return "";
    if (at >= strings.sh_size) return "";
    const absl::string_view all = elf_.substr(strings.sh_offset, strings.sh_size).substr(at);
    return std::string(all.substr(0, all.find('\0')));
  }

  absl::Status Section(const Elf64_Shdr& section, const Elf64_Shdr& names) {
    const std::string name = Text(names, section.sh_name);
    for (const char* initialiser : {".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"}) {
      if (absl::StartsWith(name, initialiser)) result_.initialisers += section.sh_size;
    }
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) return absl::OkStatus();
    if (section.sh_link >= sections_.size()) return Damaged("symbols without names");
    for (uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      Elf64_Sym symbol;
      if (!Get(section.sh_offset + i * sizeof symbol, &symbol)) return Damaged("symbols");
      std::string text = Text(sections_[section.sh_link], symbol.st_name);
      text.resize(std::min(text.size(), text.find('@')));  // without the version
      if (text.empty()) continue;
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF) {
        result_.undefined.insert(std::move(text));
      } else if (type == STT_FUNC || type == STT_GNU_IFUNC) {
        result_.functions.insert(std::move(text));
      }
    }
    return absl::OkStatus();
  }

  const absl::string_view elf_;
  std::vector<Elf64_Shdr> sections_;
  ObjectSymbols result_;
};

// What stands before the kernel's name in the name of a function made for it, lengths of mangled names left out;
// nothing if the name is not in it or something unexpected follows.
bool PrefixBefore(absl::string_view function, absl::string_view kernel, std::string* prefix) {
  const size_t at = function.find(kernel);
  if (at == absl::string_view::npos) return false;
  const absl::string_view rest = function.substr(at + kernel.size());
  if (!rest.empty() && !absl::StrContains("Pv.", rest.substr(0, 1))) return false;
  prefix->clear();
  for (const char c : function.substr(0, at)) {
    if (c < '0' || c > '9') prefix->push_back(c);
  }
  return true;
}

bool StandsForKernel(absl::string_view function, const ObjectSymbols& baseline,
                     absl::Span<const KernelSignature> kernels) {
  std::string prefix;
  std::string known;
  for (const KernelSignature& kernel : kernels) {
    if (!PrefixBefore(function, kernel.name, &prefix)) continue;
    for (const std::string& other : baseline.functions) {
      if (PrefixBefore(other, kEmptyKernel, &known) && known == prefix) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<ObjectSymbols> ReadObjectSymbols(absl::string_view elf) { return Reader(elf).Run(); }

std::string ExcessOf(const ObjectSymbols& object, const ObjectSymbols& baseline,
                     absl::Span<const KernelSignature> kernels) {
  for (const std::string& name : object.undefined) {
    if (baseline.undefined.contains(name)) continue;
    return absl::StrCat("the object needs '", name,
                        "' of the host, which no kernel does; kernel.asc may hold device code only");
  }
  if (object.initialisers != baseline.initialisers) {
    return "the object runs code of its own when it is loaded or unloaded; give global objects no constructors";
  }
  for (const std::string& name : object.functions) {
    if (baseline.functions.contains(name) || StandsForKernel(name, baseline, kernels)) continue;
    return absl::StrCat("'", name, "' is a host function; mark it __aicore__: kernel.asc may hold device code only");
  }
  return "";
}

}  // namespace kernelsmith::worker
