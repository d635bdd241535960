#include "worker/emulator/driver/image.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {
namespace {

std::string Demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? std::string(text.get()) : name;
}

// Sections and symbols of an image; reads beyond its end give nothing.
class Elf {
 public:
  explicit Elf(const std::string& bytes) : bytes_(bytes) {}

  bool Load() {
    if (!Read(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return false;
    sections_.resize(header_.e_shnum);
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (!Read(header_.e_shoff + i * sizeof(Elf64_Shdr), sections_[i])) return false;
    }
    return header_.e_shstrndx < sections_.size();
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string NameOf(const Elf64_Shdr& section) const { return Text(sections_[header_.e_shstrndx], section.sh_name); }

  struct Symbol {
    std::string name;
    Elf64_Sym entry;
  };
  std::vector<Symbol> Symbols(uint32_t type) const {
    std::vector<Symbol> symbols;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != type || section.sh_link >= sections_.size()) continue;
      for (const Elf64_Sym& entry : Table<Elf64_Sym>(section)) {
        symbols.push_back({Text(sections_[section.sh_link], entry.st_name), entry});
      }
    }
    return symbols;
  }

  template <typename T>
  std::vector<T> Table(const Elf64_Shdr& section) const {
    std::vector<T> entries;
    for (size_t at = 0; at + sizeof(T) <= section.sh_size; at += sizeof(T)) {
      T entry;
      if (!Read(section.sh_offset + at, entry)) break;
      entries.push_back(entry);
    }
    return entries;
  }

 private:
  template <typename T>
  bool Read(size_t at, T& value) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return true;
  }

  std::string Text(const Elf64_Shdr& strings, size_t at) const {
    const size_t start = strings.sh_offset + at;
    if (start >= bytes_.size()) return "";
    return std::string(bytes_.data() + start, strnlen(bytes_.data() + start, bytes_.size() - start));
  }

  const std::string& bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

bool Provided(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames = {"__sanitizer_cov_trace_pc", "memcpy", "memset", "memmove",
                                                             "memcmp"};
  return name.starts_with("kse_") || name.starts_with("__asan_") ||
         std::find(kNames.begin(), kNames.end(), std::string_view(name)) != kNames.end();
}

// Written by the loader alone, or by nobody.
bool LoadersOwn(const std::string& section) {
  static constexpr std::array<std::string_view, 6> kNames = {".dynamic",     ".got",        ".got.plt",
                                                             ".data.rel.ro", ".bss.rel.ro", ".relro_padding"};
  return std::find(kNames.begin(), kNames.end(), std::string_view(section)) != kNames.end();
}

bool Inside(uint64_t address, const Elf64_Shdr& section) {
  return address >= section.sh_addr && address < section.sh_addr + section.sh_size;
}

std::string RefuseInitialiser(const Elf& elf, const Elf64_Shdr& section) {
  std::string name = "?";
  for (const Elf64_Shdr& table : elf.sections()) {
    if (table.sh_type != SHT_RELA) continue;
    for (const Elf64_Rela& relocation : elf.Table<Elf64_Rela>(table)) {
      if (!Inside(relocation.r_offset, section)) continue;
      for (const Elf::Symbol& symbol : elf.Symbols(SHT_SYMTAB)) {
        if (ELF64_ST_TYPE(symbol.entry.st_info) == STT_FUNC &&
            symbol.entry.st_value == static_cast<uint64_t>(relocation.r_addend)) {
          name = Demangle(symbol.name);
        }
      }
    }
  }
  return absl::StrCat("UNSUPPORTED: device function '", name, "' runs when the image is loaded; call it from a kernel");
}

std::vector<std::string> RefuseWritable(const Elf& elf, const Elf64_Shdr& section) {
  std::vector<std::string> problems;
  for (const Elf::Symbol& symbol : elf.Symbols(SHT_SYMTAB)) {
    const unsigned type = ELF64_ST_TYPE(symbol.entry.st_info);
    if ((type != STT_OBJECT && type != STT_TLS) || !Inside(symbol.entry.st_value, section)) continue;
    problems.push_back(absl::StrCat("UNSUPPORTED: device variable '", Demangle(symbol.name),
                                    "' is writable and outlives a kernel; pass global memory to the kernel, or declare "
                                    "it const"));
  }
  if (problems.empty()) problems.push_back(absl::StrCat("UNSUPPORTED: writable section ", elf.NameOf(section)));
  return problems;
}

}  // namespace

std::vector<std::string> ImageProblems(const std::string& image) {
  Elf elf(image);
  if (!elf.Load()) return {"the linker's output is no device image"};
  std::vector<std::string> problems;
  for (const Elf::Symbol& symbol : elf.Symbols(SHT_DYNSYM)) {
    if (symbol.entry.st_shndx != SHN_UNDEF || symbol.name.empty() || Provided(symbol.name)) continue;
    problems.push_back(absl::StrCat("undefined device function or variable '", Demangle(symbol.name),
                                    "': device code uses only what its own source file defines"));
  }
  for (const Elf64_Shdr& section : elf.sections()) {
    constexpr uint64_t kWritable = SHF_ALLOC | SHF_WRITE;
    if ((section.sh_flags & kWritable) != kWritable || section.sh_size == 0) continue;
    const std::string name = elf.NameOf(section);
    if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY ||
        section.sh_type == SHT_PREINIT_ARRAY || name == ".ctors" || name == ".dtors") {
      problems.push_back(RefuseInitialiser(elf, section));
    } else if (!LoadersOwn(name)) {
      for (std::string& problem : RefuseWritable(elf, section)) problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace kernelsmith::emulator
