#include "worker/emulator/driver/compile.h"

#include <climits>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "worker/emulator/driver/diagnostics.h"
#include "worker/emulator/driver/image.h"
#include "worker/emulator/driver/overlay.h"
#include "worker/emulator/driver/passes.h"
#include "worker/emulator/driver/process.h"
#include "worker/emulator/driver/relocatable.h"

namespace kernelsmith::emulator {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

// Numbers the temporary files of one source file.
std::string Unique(const TemporaryFolder& folder, const std::string& name) {
  static int count = 0;
  return folder.File(absl::StrCat(count++, ".", name));
}

std::string Contents(const std::string& path) { return ReadWholeFile(path).value_or(""); }

// The two passes over one file.
class Passes {
 public:
  Passes(const Toolchain& toolchain, const Options& options, const TemporaryFolder& folder, const std::string& source,
         std::string object)
      : toolchain_(toolchain), options_(options), folder_(folder), source_(source), object_(std::move(object)) {}

  absl::StatusOr<int> Run() {
    absl::StatusOr<Overlay> overlay = WriteOverlay(source_, options_.clang, toolchain_.root, folder_.path());
    if (!overlay.ok()) return overlay.status();
    absl::StatusOr<std::vector<std::string>> plain = AskClang();
    if (!plain.ok()) return plain.status();
    if (plain->empty()) return 1;

    PassSettings settings{toolchain_.clang,   source_,           "", overlay->path, toolchain_.IncludeFolder(),
                          options_.auto_sync, options_.sanitizer};
    if (!object_.empty()) settings.output = Unique(folder_, "device.o");
    device_object_ = settings.output;
    absl::StatusOr<Child> device = Start(DevicePass(*plain, settings), device_errors_, false);
    if (!device.ok()) return device.status();
    settings.output = object_;
    absl::StatusOr<Child> host = Start(HostPass(*plain, settings), host_errors_, true);
    if (!host.ok()) return host.status();

    absl::StatusOr<int> device_code = device->Wait();
    if (!device_code.ok()) return device_code.status();
    LinkedImage image;
    if (*device_code == 0 && !object_.empty() && options_.relocatable) {
      image.bytes = Contents(device_object_);
    } else if (*device_code == 0 && !object_.empty()) {
      absl::StatusOr<LinkedImage> linked =
          LinkImage(toolchain_, options_, {device_object_}, SupportLibrary(*plain), folder_);
      if (!linked.ok()) return linked.status();
      image = *std::move(linked);
    }
    host->Feed(image.bytes);
    absl::StatusOr<int> host_code = host->Wait();
    if (!host_code.ok()) return host_code.status();
    return Conclude(*device_code, *host_code, image, *overlay);
  }

 private:
  // Empty: clang refused the options and said why.
  absl::StatusOr<std::vector<std::string>> AskClang() {
    const std::string file = Unique(folder_, "answer");
    const std::vector<std::string> line =
        AskForPlainLine(toolchain_.clang, options_.clang, toolchain_.IncludeFolder(), source_);
    ShowCommand(options_, line);
    absl::StatusOr<int> code = emulator::Run({.argv = line, .stderr_file = file});
    if (!code.ok()) return code.status();
    const std::string answer = Contents(file);
    Print(DriverComplaints(answer));
    if (*code != 0) return std::vector<std::string>();
    return PlainLine(answer);
  }

  absl::StatusOr<Child> Start(const std::vector<std::string>& line, std::string& errors, bool feeds) {
    errors = Unique(folder_, "errors");
    ShowCommand(options_, line);
    return Child::Start({.argv = line, .stderr_file = errors, .feeds_stdin = feeds});
  }

  absl::StatusOr<int> Conclude(int device_code, int host_code, const LinkedImage& image, const Overlay& overlay) {
    Print(MergeDiagnostics({Contents(device_errors_), Contents(host_errors_)}, overlay.rewriting));
    Print(image.complaints);
    for (int code : {device_code, host_code}) {
      if (code > 128) return absl::InternalError(absl::StrCat("the compiler ended by signal ", code - 128));
      if (code != 0) return code;
    }
    if (object_.empty()) return 0;
    if (image.bytes.empty()) return 1;
    if (!options_.relocatable) return AcceptImage(image.bytes, source_) ? 0 : 1;
    if (absl::Status status = AddDeviceObject(options_, device_object_, object_); !status.ok()) return status;
    return 0;
  }

  const Toolchain& toolchain_;
  const Options& options_;
  const TemporaryFolder& folder_;
  const std::string& source_;
  std::string object_;
  std::string device_object_;
  std::string device_errors_;
  std::string host_errors_;
};

}  // namespace

absl::StatusOr<Toolchain> Toolchain::Find() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return absl::InternalError(absl::StrCat("cannot find my own toolkit: ", error.message()));
  absl::StatusOr<std::string> clang = FindProgram("clang-16", KERNELSMITH_CLANG);
  if (!clang.ok()) return clang.status();
  absl::StatusOr<std::string> lld = FindProgram("ld.lld-16", KERNELSMITH_LLD);
  if (!lld.ok()) return lld.status();
  return Toolchain{*std::move(clang), *std::move(lld), self.parent_path().parent_path().string()};
}

absl::StatusOr<LinkedImage> LinkImage(const Toolchain& toolchain, const Options& options,
                                      const std::vector<std::string>& objects, const std::string& support_library,
                                      const TemporaryFolder& folder) {
  const std::string image = Unique(folder, "image");
  const std::string errors = Unique(folder, "errors");
  std::vector<std::string> line = {toolchain.lld,    "-shared", "-O1", "-Bsymbolic", "--hash-style=gnu",
                                   "--exclude-libs", "ALL",     "-o",  image};
  line.insert(line.end(), objects.begin(), objects.end());
  if (!support_library.empty()) line.push_back(support_library);
  ShowCommand(options, line);
  absl::StatusOr<int> code = Run({.argv = line, .stderr_file = errors});
  if (!code.ok()) return code.status();
  LinkedImage result{"", Contents(errors)};
  if (*code == 0) result.bytes = Contents(image);
  return result;
}

bool AcceptImage(const std::string& image, const std::string& source) {
  const std::vector<std::string> problems = ImageProblems(image);
  for (const std::string& problem : problems) Print(absl::StrCat(source, ": error: ", problem, "\n"));
  if (problems.empty()) return true;
  Print(absl::StrCat(problems.size(), problems.size() == 1 ? " error" : " errors", " generated.\n"));
  return false;
}

absl::StatusOr<int> CompileAsc(const Toolchain& toolchain, const Options& options, const std::string& source,
                               const std::string& object, const TemporaryFolder& folder) {
  return Passes(toolchain, options, folder, source, object).Run();
}

absl::StatusOr<int> CompileHost(const Toolchain& toolchain, const Options& options, const Input& input,
                                const std::string& object) {
  std::vector<std::string> line = {toolchain.clang, "--driver-mode=g++"};
  line.insert(line.end(), options.clang.begin(), options.clang.end());
  line.insert(line.end(), {"-isystem", toolchain.IncludeFolder()});
  if (options.action == Action::kSyntax) {
    line.emplace_back("-fsyntax-only");
  } else if (options.action != Action::kPreprocess) {
    line.insert(line.end(), {"-c", "-o", object});
  } else if (!object.empty()) {
    line.insert(line.end(), {"-o", object});
  }
  std::string language = input.clang_language;
  if (input.language == Language::kAsc) {
    line.insert(line.end(), {"-include", toolchain.IncludeFolder() + "/ks/language.h"});
    language = "c++";
  }
  if (!language.empty()) line.insert(line.end(), {"-x", language});
  line.push_back(input.path);
  ShowCommand(options, line);
  return Run({.argv = line});
}

void ShowCommand(const Options& options, const std::vector<std::string>& argv) {
  if (!options.verbose) return;
  std::string text;
  for (const std::string& word : argv) absl::StrAppend(&text, " \"", word, "\"");
  Print(text + "\n");
}

}  // namespace kernelsmith::emulator
