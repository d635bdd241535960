#include "worker/emulator/runtime/client/kernel_image.h"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>

namespace kernelsmith::emulator::acl {
namespace {

// Reads structures out of a file of `bytes` bytes.
class Reader {
 public:
  Reader(const void* data, size_t bytes) : data_(static_cast<const char*>(data)), bytes_(bytes) {}

  template <typename T>
  bool Read(uint64_t offset, T& value) const {
    if (offset > bytes_ || sizeof(T) > bytes_ - offset) return false;
    std::memcpy(&value, data_ + offset, sizeof(T));
    return true;
  }

  std::string Text(uint64_t offset, uint64_t end) const {
    if (end > bytes_) end = bytes_;
    if (offset >= end) return "";
    return std::string(data_ + offset, ::strnlen(data_ + offset, end - offset));
  }

 private:
  const char* data_;
  size_t bytes_;
};

// "add" of "void ns::add<half>(half*, int)".
std::string_view BareName(std::string_view demangled) {
  size_t end = demangled.find('(');
  if (const size_t angle = demangled.find('<'); angle < end) end = angle;
  std::string_view name = demangled.substr(0, end);
  if (const size_t space = name.rfind(' '); space != std::string_view::npos) name.remove_prefix(space + 1);
  if (const size_t colon = name.rfind(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
  return name;
}

}  // namespace

std::vector<std::string> ExportedFunctions(const void* elf, size_t bytes) {
  std::vector<std::string> names;
  const Reader file(elf, bytes);
  Elf64_Ehdr header;
  if (!file.Read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return names;
  }
  for (uint32_t index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr symbols;
    if (!file.Read(header.e_shoff + index * sizeof(Elf64_Shdr), symbols)) return names;
    if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= header.e_shnum) continue;
    Elf64_Shdr texts;
    if (!file.Read(header.e_shoff + symbols.sh_link * sizeof(Elf64_Shdr), texts)) return names;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!file.Read(symbols.sh_offset + at, symbol)) return names;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      std::string name = file.Text(texts.sh_offset + symbol.st_name, texts.sh_offset + texts.sh_size);
      if (!name.empty()) names.push_back(std::move(name));
    }
  }
  return names;
}

std::string ResolveKernel(const std::vector<std::string>& exported, std::string_view name) {
  std::string found;
  for (const std::string& candidate : exported) {
    if (candidate == name) return candidate;
    int status = -1;
    char* demangled = abi::__cxa_demangle(candidate.c_str(), nullptr, nullptr, &status);
    if (status == 0 && BareName(demangled) == name) {
      if (!found.empty()) {
        std::free(demangled);
        return "";
      }
      found = candidate;
    }
    std::free(demangled);
  }
  return found;
}

}  // namespace kernelsmith::emulator::acl
