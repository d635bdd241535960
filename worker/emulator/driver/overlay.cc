#include "worker/emulator/driver/overlay.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "worker/emulator/driver/tokens.h"

namespace kernelsmith::emulator {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 2000;
constexpr size_t kMaxFileBytes = 16u << 20;

std::optional<std::string> ReadFile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMaxFileBytes) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<fs::path> IncludeFolders(const std::vector<std::string>& options, const fs::path& root) {
  std::vector<fs::path> folders;
  for (size_t i = 0; i < options.size(); ++i) {
    for (std::string_view name : {"-I", "-iquote", "-isystem", "-idirafter"}) {
      if (!std::string_view(options[i]).starts_with(name)) continue;
      std::string folder = options[i].substr(name.size());
      if (folder.empty() && i + 1 < options.size()) folder = options[i + 1];
      const fs::path path = fs::absolute(folder).lexically_normal();
      // Headers of the toolkit and of the system hold no kernels.
      const std::string text = path.string();
      if (text.starts_with(root.string()) || text.starts_with("/usr/")) break;
      folders.push_back(path);
      break;
    }
  }
  return folders;
}

// Names after #include, without their quotes or angles.
std::vector<std::string> IncludedNames(const std::string& text) {
  std::vector<std::string> names;
  for (const std::vector<Token>& directive : Tokenize(text).directives) {
    if (directive.size() < 2 || directive[0].text != "include") continue;
    const size_t start = directive[1].offset;
    if (text[start] == '"' && directive[1].text.size() > 2) {
      names.emplace_back(directive[1].text.substr(1, directive[1].text.size() - 2));
    } else if (text[start] == '<') {
      const size_t end = text.find('>', start);
      if (end != std::string::npos) names.push_back(text.substr(start + 1, end - start - 1));
    }
  }
  return names;
}

void RecordLines(const std::string& author, const std::string& clang, std::map<std::string, std::string>& lines) {
  for (size_t start = 0; start < author.size();) {
    const size_t end = std::min(author.find('\n', start), author.size());
    std::string changed = clang.substr(start, end - start);
    std::string original = author.substr(start, end - start);
    if (changed != original) lines.emplace(std::move(changed), std::move(original));
    start = end + 1;
  }
}

class Collector {
 public:
  explicit Collector(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  // Reads `path` and what it includes. False: it cannot be read.
  bool Add(const fs::path& path) {
    if (files_.contains(path.string()) || files_.size() >= kMaxFiles) return true;
    std::optional<std::string> text = ReadFile(path);
    if (!text) return false;
    const std::string& stored = files_.emplace(path.string(), *std::move(text)).first->second;
    for (const std::string& name : IncludedNames(stored)) {
      if (Add((path.parent_path() / name).lexically_normal())) continue;
      for (const fs::path& folder : folders_) {
        if (Add((folder / name).lexically_normal())) break;
      }
    }
    return true;
  }

  const std::map<std::string, std::string>& Files() const { return files_; }

 private:
  std::vector<fs::path> folders_;
  std::map<std::string, std::string> files_;
};

}  // namespace

absl::StatusOr<Overlay> WriteOverlay(const std::string& main, const std::vector<std::string>& clang_options,
                                     const std::string& toolkit_root, const std::string& folder) {
  Collector collector(IncludeFolders(clang_options, fs::path(toolkit_root)));
  if (!collector.Add(fs::absolute(main).lexically_normal())) {
    return absl::NotFoundError(absl::StrCat("no such file or directory: '", main, "'"));
  }
  SpecifierMacros macros;
  for (const auto& [path, text] : collector.Files()) CollectSpecifierMacros(text, macros);

  Overlay overlay;
  nlohmann::json roots = nlohmann::json::array();
  for (const auto& [path, text] : collector.Files()) {
    BlankedSource blanked = BlankKernelSpecifiers(text, macros);
    for (KernelName& kernel : blanked.kernels) overlay.rewriting.kernels.emplace_back(path, std::move(kernel));
    if (!blanked.changed) continue;
    RecordLines(text, blanked.text, overlay.rewriting.lines);
    const std::string copy = absl::StrCat(folder, "/source", roots.size());
    std::ofstream(copy, std::ios::binary) << blanked.text;
    roots.push_back({{"type", "file"}, {"name", path}, {"external-contents", copy}});
  }
  if (roots.empty()) return overlay;
  const nlohmann::json description = {
      {"version", 0}, {"case-sensitive", "true"}, {"use-external-names", false}, {"roots", roots}};
  overlay.path = absl::StrCat(folder, "/overlay.yaml");
  if (!(std::ofstream(overlay.path) << description.dump()).flush()) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot write ", overlay.path));
  }
  return overlay;
}

}  // namespace kernelsmith::emulator
