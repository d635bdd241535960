// mssanitizer: runs a program and prints what the emulated card found wrong with its kernels.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "worker/emulator/sanitizer/console_text.h"
#include "worker/emulator/sanitizer/options.h"
#include "worker/emulator/sanitizer/watched_program.h"

namespace {

using namespace kernelsmith::emulator;  // NOLINT(google-build-using-namespace)

// "mindstudio_sanitizer_log/mssanitizer_20260822141425_4711.log" in the current folder.
std::string LogPath() {
  constexpr char kFolder[] = "mindstudio_sanitizer_log";
  ::mkdir(kFolder, 0755);
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &local);
  return absl::StrCat(kFolder, "/mssanitizer_", stamp, "_", ::getpid(), ".log");
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = ParseSanitizerOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options.ok()) {
    std::cerr << "[mssanitizer] " << options.status().message() << "\n";
    return 1;
  }
  if (options->help) {
    std::cout << SanitizerUsage();
    return 0;
  }
  const bool to_file = !options->log_file.empty();
  std::ofstream log(to_file ? options->log_file : LogPath());
  if (to_file && !log) {
    std::cerr << "[mssanitizer] cannot write " << options->log_file << "; choose another --log-file\n";
    return 1;
  }
  const auto code = RunWatched(options->program, [&](const std::string& line) {
    const std::string text = ConsoleText(line, *options);
    log << text << std::flush;
    if (!to_file) std::cout << text << std::flush;
  });
  if (code.ok()) return *code;
  std::cerr << "[mssanitizer] " << code.status().message() << "\n";
  return 1;
}
