#include "worker/emulator/runtime/client/settings.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "worker/emulator/runtime/protocol.h"

namespace kernelsmith::emulator::acl {
namespace {

constexpr uint64_t kMemoryUnit = uint64_t{2} << 20;
constexpr int kMaxDevices = 64;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : Number(value).value_or(otherwise);
}

// The folder above the one that holds this library.
std::string ToolkitRoot() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&ToolkitRoot), &info) == 0 || info.dli_fname == nullptr) return "";
  char* resolved = ::realpath(info.dli_fname, nullptr);
  if (resolved == nullptr) return "";
  std::string path = resolved;
  std::free(resolved);
  for (int level = 0; level < 2; ++level) {
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  return path;
}

uint64_t MemoryLimit(const SocSummary& soc) {
  const uint64_t ram =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const int64_t wanted = FromEnvironment("KERNELSMITH_EMULATED_MEMORY", static_cast<int64_t>(ram / 4));
  uint64_t bytes = std::min({static_cast<uint64_t>(std::max<int64_t>(wanted, 0)),
                             static_cast<uint64_t>(soc.memory_bytes), kDeviceMemoryWindow});
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<uint64_t>(bytes, limit.rlim_cur);  // device memory is a file to the kernel
  }
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<uint64_t>(bytes, limit.rlim_cur / 2);
  }
  return std::max(bytes / kMemoryUnit, uint64_t{1}) * kMemoryUnit;
}

}  // namespace

std::optional<SocSummary> ParseSocSummary(std::string_view text_proto) {
  SocSummary soc;
  const std::pair<std::string_view, int64_t*> numbers[] = {
      {"npu_arch_number", &soc.npu_arch_number}, {"aic_cores", &soc.aic_cores}, {"aiv_cores", &soc.aiv_cores},
      {"memory_bytes", &soc.memory_bytes},       {"l2_bytes", &soc.l2_bytes},   {"ub_bytes", &soc.ub_bytes},
  };
  int depth = 0;
  while (!text_proto.empty()) {
    const size_t end = text_proto.find('\n');
    std::string_view line = Trim(text_proto.substr(0, end));
    text_proto.remove_prefix(end == std::string_view::npos ? text_proto.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    if (depth == 0) {
      const size_t colon = line.find(':');
      if (colon != std::string_view::npos) {
        const std::string_view key = Trim(line.substr(0, colon));
        std::string_view value = Trim(line.substr(colon + 1));
        if (const size_t comment = value.find('#'); comment != std::string_view::npos)
          value = Trim(value.substr(0, comment));
        if (key == "name" && value.size() >= 2) soc.name = value.substr(1, value.size() - 2);
        for (const auto& [name, field] : numbers) {
          if (key == name) *field = Number(value).value_or(0);
        }
      }
    }
    // Texts in quotes hold no braces that count.
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == '#' && !quoted) break;
      if (c == '{' && !quoted) ++depth;
      if (c == '}' && !quoted) --depth;
    }
  }
  if (soc.name.empty() || soc.aiv_cores <= 0 || soc.memory_bytes <= 0) return std::nullopt;
  return soc;
}

std::vector<int> VisibleDevices(const char* variable, int devices) {
  std::vector<int> visible;
  if (variable == nullptr) {
    for (int device = 0; device < devices; ++device) visible.push_back(device);
    return visible;
  }
  std::string_view rest = variable;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::optional<int64_t> device = Number(Trim(rest.substr(0, comma)));
    if (!device || *device < 0 || *device >= devices) break;
    if (std::find(visible.begin(), visible.end(), *device) != visible.end()) break;
    visible.push_back(static_cast<int>(*device));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return visible;
}

Settings ReadSettings() {
  Settings settings;
  settings.root = ToolkitRoot();
  const char* soc = std::getenv("KERNELSMITH_EMULATED_SOC");
  const std::string name = soc == nullptr || *soc == '\0' ? "Ascend910B3" : soc;
  settings.soc_path = settings.root + "/data/soc/" + name + ".textproto";
  if (name.find('/') == std::string::npos) {
    std::ifstream file(settings.soc_path);
    if (file) settings.soc = ParseSocSummary(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  const int64_t devices = std::clamp<int64_t>(FromEnvironment("KERNELSMITH_EMULATED_DEVICES", 8), 0, kMaxDevices);
  settings.devices = VisibleDevices(std::getenv("ASCEND_RT_VISIBLE_DEVICES"), static_cast<int>(devices));
  if (settings.soc) settings.memory_bytes = MemoryLimit(*settings.soc);
  return settings;
}

}  // namespace kernelsmith::emulator::acl
