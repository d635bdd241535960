#include "worker/emulator/device/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {
namespace {

// Type of the kernel at `offset` from the load address, by the section table of the file. A file without one (or with a
// damaged one) tells nothing.
KernelType TypeByFile(const std::string& path, uint64_t offset) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) return KernelType::kUndeclared;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const uint64_t table_bytes = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size() ||
      table_bytes > bytes.size() - header.e_shoff || header.e_shstrndx >= header.e_shnum) {
    return KernelType::kUndeclared;
  }
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, table_bytes);
  const Elf64_Shdr& names = sections[header.e_shstrndx];
  for (const Elf64_Shdr& section : sections) {
    if (offset < section.sh_addr || offset - section.sh_addr >= section.sh_size) continue;
    const uint64_t at = names.sh_offset + section.sh_name;
    if ((section.sh_flags & SHF_EXECINSTR) == 0 || at >= bytes.size()) continue;
    const std::string_view name(bytes.c_str() + at);
    if (name == ".ks.aiv") return KernelType::kVector;
    if (name == ".ks.mix01") return KernelType::kMixVector;
  }
  return KernelType::kUndeclared;
}

}  // namespace

absl::StatusOr<Image> Image::Open(const std::string& path, const std::string& kernel) {
  Image image;
  image.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image.handle_ == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the device image cannot be loaded: ", dlerror()));
  }
  image.entry_ = dlsym(image.handle_, kernel.c_str());
  link_map* map = nullptr;
  if (image.entry_ == nullptr || dlinfo(image.handle_, RTLD_DI_LINKMAP, &map) != 0) {
    return absl::NotFoundError(absl::StrCat("the device image has no kernel ", kernel));
  }
  const uintptr_t base = map->l_addr;
  image.type_ = TypeByFile(path, reinterpret_cast<uintptr_t>(image.entry_) - base);
  struct Search {
    uintptr_t base;
    std::vector<std::pair<uintptr_t, uintptr_t>>* segments;
  } search{base, &image.segments_};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const auto* wanted = static_cast<Search*>(data);
        if (info->dlpi_addr != wanted->base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          wanted->segments->emplace_back(begin, begin + segment.p_memsz);
        }
        return 1;
      },
      &search);
  return image;
}

Image::Image(Image&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      entry_(other.entry_),
      type_(other.type_),
      segments_(std::move(other.segments_)) {}

Image::~Image() {
  if (handle_ != nullptr) dlclose(handle_);
}

bool Image::Readable(uintptr_t address, size_t bytes) const {
  for (const auto& [begin, end] : segments_) {
    if (address >= begin && address < end && bytes <= end - address) return true;
  }
  return false;
}

}  // namespace kernelsmith::emulator
