#include "tests/worker/emulator/device/kernel_run.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "worker/emulator/soc/soc.h"
#include "worker/emulator/trace/reader.h"

namespace kernelsmith::emulator {
namespace {

constexpr size_t kRegionBytes = size_t{256} << 20;
constexpr size_t kTraceBytes = size_t{256} << 20;
constexpr size_t kGap = 512;

std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// The image that the driver embedded into a host object.
std::string EmbeddedImage(const std::string& object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), object.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* names = object.data() + sections[header.e_shstrndx].sh_offset;
  for (const Elf64_Shdr& section : sections) {
    if (std::strcmp(names + section.sh_name, ".nv_fatbin") == 0)
      return object.substr(section.sh_offset, section.sh_size);
  }
  return "";
}

class ImageFolder {
 public:
  ImageFolder() {
    std::string pattern = std::string(::testing::TempDir()) + "/ks-kernels-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~ImageFolder() { std::system(("rm -rf '" + path_ + "'").c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::string CompiledImage(const std::string& name) {
  static ImageFolder folder;
  static std::map<std::string, std::string> images;
  const std::string base = folder.path() + "/" + name.substr(name.rfind('/') + 1);  // also without a '/'
  auto [entry, added] = images.try_emplace(name, base + ".so");
  if (!added) return entry->second;
  const std::string object = base + ".o";
  const std::string command = std::string("'") + KERNELSMITH_CANN_ROOT + "/bin/bisheng' -O2 -c --npu-arch=dav-2201 '" +
                              KERNELSMITH_SOURCE_DIR + "/tests/worker/emulator/device/kernels/" + name + "' -o '" +
                              object + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const std::string bytes = FileBytes(object);
  if (bytes.size() < sizeof(Elf64_Ehdr)) return entry->second;
  std::ofstream(entry->second, std::ios::binary) << EmbeddedImage(bytes);
  return entry->second;
}

KernelRun::KernelRun(const std::string& image) : image_(CompiledImage(image)) {
  absl::StatusOr<v1::Soc> soc =
      LoadSocByName(std::string(KERNELSMITH_SOURCE_DIR) + "/worker/emulator/soc/data", "Ascend910B3");
  EXPECT_TRUE(soc.ok()) << soc.status();
  if (soc.ok()) soc_ = *soc;
  void* region =
      mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(region, MAP_FAILED);
  region_ = static_cast<std::byte*>(region);
}

KernelRun::~KernelRun() { munmap(region_, kRegionBytes); }

void* KernelRun::AllocateBytes(size_t bytes) {
  std::byte* at = region_ + used_;
  used_ += (bytes + 2 * kGap - 1) / kGap * kGap;
  memory_.allocations.push_back({reinterpret_cast<uint64_t>(at), bytes});
  return at;
}

KernelRun& KernelRun::Launch(const std::string& kernel, uint32_t blocks) {
  emulator::Launch launch;
  launch.image_path = image_;
  launch.kernel = kernel;
  launch.blocks = blocks;
  launch.step_limit = step_limit_;
  for (const std::vector<std::byte>& argument : arguments_) {
    launch.arguments.push_back({argument.data(), static_cast<uint32_t>(argument.size())});
  }
  void* block = mmap(nullptr, kTraceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(block, MAP_FAILED);
  std::FILE* console = std::tmpfile();
  {
    TraceBuffer trace(static_cast<std::byte*>(block), kTraceBytes);
    end_ = ExecuteLaunch(launch, soc_, memory_, fileno(console), trace, message_);
  }
  ReadTrace(static_cast<const std::byte*>(block), kTraceBytes);
  munmap(block, kTraceBytes);
  std::fseek(console, 0, SEEK_END);
  console_.resize(static_cast<size_t>(std::ftell(console)));
  std::rewind(console);
  EXPECT_EQ(std::fread(console_.data(), 1, console_.size(), console), console_.size());
  std::fclose(console);
  return *this;
}

void KernelRun::ReadTrace(const std::byte* block, size_t bytes) {
  if (end_ == LaunchEnd::kUnknownKernel) return;
  absl::StatusOr<TraceReader> trace = TraceReader::Open({block, bytes});
  ASSERT_TRUE(trace.ok()) << trace.status();
  for (const Entry& entry : *trace) {
    const Record& record = *entry.record;
    records_.push_back(
        {record, {entry.accesses.begin(), entry.accesses.end()}, std::string(trace->text(record.operation))});
    if (record.kind != Kind::kFinding) continue;
    findings_.push_back({static_cast<Check>(record.a), record.b != 0, std::string(trace->text(record.c)),
                         std::string(trace->text(record.operation)), record.line, record.core});
  }
}

std::vector<Check> KernelRun::Errors() const {
  std::vector<Check> errors;
  for (const SeenFinding& finding : findings_) {
    if (finding.error && std::find(errors.begin(), errors.end(), finding.check) == errors.end()) {
      errors.push_back(finding.check);
    }
  }
  return errors;
}

SeenFinding KernelRun::Find(Check check) const {
  for (const SeenFinding& finding : findings_) {
    if (finding.check == check) return finding;
  }
  ADD_FAILURE() << "no finding of kind " << static_cast<int>(check) << "; the launch said: " << message_;
  return {};
}

size_t KernelRun::Count(Kind kind) const {
  return static_cast<size_t>(std::count_if(records_.begin(), records_.end(),
                                           [kind](const SeenRecord& seen) { return seen.record.kind == kind; }));
}

}  // namespace kernelsmith::emulator
