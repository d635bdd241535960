#include "worker/emulator/runtime/process/image_flags.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace kernelsmith::emulator {
namespace {

constexpr std::string_view kSection = ".note.kernelsmith";
constexpr uint64_t kFlagsOffset = 32;  // header 12, name 12, format 4, architecture 4
constexpr uint32_t kAutoSync = 1;
constexpr uint32_t kSanitizer = 2;

template <typename T>
bool Read(const std::string& file, uint64_t offset, T& value) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return false;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return true;
}

}  // namespace

ImageFlags ReadImageFlags(const std::string& path) {
  ImageFlags flags;
  std::ifstream stream(path, std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(stream), {});
  Elf64_Ehdr header;
  Elf64_Shdr names;
  if (!Read(file, 0, header) || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !Read(file, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr), names)) {
    return flags;
  }
  for (uint32_t index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr section;
    if (!Read(file, header.e_shoff + index * sizeof(Elf64_Shdr), section)) return flags;
    const uint64_t name = names.sh_offset + section.sh_name;
    uint32_t bits = 0;
    if (name >= file.size() || std::string_view(file.c_str() + name) != kSection) continue;
    if (!Read(file, section.sh_offset + kFlagsOffset, bits)) continue;
    flags.auto_sync = (bits & kAutoSync) != 0;
    flags.sanitizer = (bits & kSanitizer) != 0;
  }
  return flags;
}

}  // namespace kernelsmith::emulator
