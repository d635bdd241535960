#include "worker/emulator/driver/relocatable.h"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "worker/emulator/driver/passes.h"
#include "worker/emulator/driver/process.h"

namespace kernelsmith::emulator {
namespace {

// Where the device object waits for the linker, and where clang puts what -fcuda-include-gpubinary gives it: only into
// objects with kernels.
constexpr char kDeviceSection[] = ".ks.device";
constexpr char kImageSection[] = ".nv_fatbin";

template <typename T>
std::optional<T> ReadAt(const std::string& bytes, uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::optional<Elf64_Ehdr> HeaderOf(const std::string& bytes) {
  const std::optional<Elf64_Ehdr> header = ReadAt<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  return header;
}

absl::Status WriteWholeFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  return out ? absl::OkStatus() : absl::InternalError(absl::StrCat("cannot write ", path));
}

// libgcc.a, as for a source file.
absl::StatusOr<std::string> CompilersLibrary(const Toolchain& toolchain, const TemporaryFolder& folder) {
  const std::string answer = folder.File("library.answer");
  absl::StatusOr<int> code = Run(
      {.argv = AskForPlainLine(toolchain.clang, {}, toolchain.IncludeFolder(), "/dev/null"), .stderr_file = answer});
  if (!code.ok()) return code.status();
  absl::StatusOr<std::vector<std::string>> plain = PlainLine(ReadWholeFile(answer).value_or(""));
  if (!plain.ok()) return plain.status();
  return SupportLibrary(*plain);
}

absl::Status CopyObject(const Options& options, const std::vector<std::string>& arguments) {
  absl::StatusOr<std::string> objcopy = FindProgram("objcopy", "/usr/bin/objcopy");
  if (!objcopy.ok()) return objcopy.status();
  std::vector<std::string> line = {*objcopy};
  line.insert(line.end(), arguments.begin(), arguments.end());
  ShowCommand(options, line);
  absl::StatusOr<int> code = Run({.argv = line});
  if (!code.ok()) return code.status();
  return *code == 0 ? absl::OkStatus() : absl::InternalError(absl::StrCat("objcopy failed on ", arguments.back()));
}

}  // namespace

std::string SectionOf(const std::string& object, std::string_view section) {
  const std::optional<Elf64_Ehdr> header = HeaderOf(object);
  if (!header) return "";
  const auto section_at = [&](uint64_t index) {
    return ReadAt<Elf64_Shdr>(object, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const std::optional<Elf64_Shdr> names = section_at(header->e_shstrndx);
  if (!names) return "";
  const std::string wanted = std::string(section) + '\0';
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const std::optional<Elf64_Shdr> found = section_at(i);
    if (!found || found->sh_type != SHT_PROGBITS || found->sh_offset > object.size()) continue;
    const uint64_t name = names->sh_offset + found->sh_name;
    if (name < object.size() && object.compare(name, wanted.size(), wanted) == 0) {
      return object.substr(found->sh_offset, found->sh_size);
    }
  }
  return "";
}

absl::Status AddDeviceObject(const Options& options, const std::string& device, const std::string& host_object) {
  return CopyObject(options, {absl::StrCat("--add-section=", kDeviceSection, "=", device), host_object});
}

absl::StatusOr<bool> LinkDeviceObjects(const Toolchain& toolchain, const Options& options,
                                       const std::vector<std::string*>& objects, const TemporaryFolder& folder) {
  std::vector<std::string*> open;
  std::vector<std::string> device;
  for (std::string* object : objects) {
    const std::string code = SectionOf(ReadWholeFile(*object).value_or(""), kDeviceSection);
    if (code.empty()) continue;
    open.push_back(object);
    device.push_back(folder.File(absl::StrCat("open", open.size(), ".device.o")));
    if (absl::Status status = WriteWholeFile(device.back(), code); !status.ok()) return status;
  }
  if (open.empty()) return true;
  absl::StatusOr<std::string> library = CompilersLibrary(toolchain, folder);
  if (!library.ok()) return library.status();
  absl::StatusOr<LinkedImage> image = LinkImage(toolchain, options, device, *library, folder);
  if (!image.ok()) return image.status();
  std::fputs(image->complaints.c_str(), stderr);
  if (image->bytes.empty() || !AcceptImage(image->bytes, "bisheng")) return false;
  const std::string linked = folder.File("linked.image");
  if (absl::Status status = WriteWholeFile(linked, image->bytes); !status.ok()) return status;
  for (size_t i = 0; i < open.size(); ++i) {
    const std::string copy = folder.File(absl::StrCat("open", i, ".o"));
    std::vector<std::string> arguments = {absl::StrCat("--remove-section=", kDeviceSection)};
    if (!SectionOf(ReadWholeFile(*open[i]).value_or(""), kImageSection).empty()) {
      arguments.push_back(absl::StrCat("--update-section=", kImageSection, "=", linked));
    }
    arguments.insert(arguments.end(), {*open[i], copy});
    if (absl::Status status = CopyObject(options, arguments); !status.ok()) return status;
    *open[i] = copy;
  }
  return true;
}

}  // namespace kernelsmith::emulator
