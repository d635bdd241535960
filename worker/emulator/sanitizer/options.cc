#include "worker/emulator/sanitizer/options.h"

#include <map>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {
namespace {

const std::map<std::string, SanitizerTool>& Tools() {
  static const std::map<std::string, SanitizerTool> tools = {{"memcheck", SanitizerTool::kMemcheck},
                                                             {"racecheck", SanitizerTool::kRacecheck},
                                                             {"initcheck", SanitizerTool::kInitcheck},
                                                             {"synccheck", SanitizerTool::kSynccheck}};
  return tools;
}

absl::Status Unknown(const std::string& word) {
  return absl::InvalidArgumentError(absl::StrCat("mssanitizer does not understand ", word, "; see mssanitizer --help"));
}

absl::Status Set(SanitizerOptions& options, const std::string& name, const std::string& value) {
  const bool yes = value == "yes";
  const bool flag = yes || value == "no";
  if (name == "-t" || name == "--tool") {
    const auto tool = Tools().find(value);
    if (tool == Tools().end()) return Unknown(absl::StrCat(name, " ", value));
    options.tool = tool->second;
  } else if (name == "--leak-check" && flag) {
    options.leak_check = yes;
  } else if (name == "--kernel-name") {
    options.kernel_name = value;
  } else if (name == "--log-file") {
    options.log_file = value;
  } else if (name == "--block-id") {
    int block = 0;
    if (!absl::SimpleAtoi(value, &block) || block < 0) return Unknown(absl::StrCat(name, "=", value));
    options.block = block;
  } else if (name != "--cache-size" && name != "--demangle" &&
             !(flag && (name == "--full-backtrace" || name == "--check-unused-memory"))) {
    return Unknown(absl::StrCat(name, "=", value));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SanitizerOptions> ParseSanitizerOptions(const std::vector<std::string>& words) {
  SanitizerOptions options;
  size_t at = 0;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.empty() || word[0] != '-') break;  // the program
    if (word == "-h" || word == "--help") {
      options.help = true;
      return options;
    }
    const size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (at + 1 < words.size()) {
      value = words[++at];
    } else {
      return absl::InvalidArgumentError(absl::StrCat("mssanitizer: ", word, " needs a value"));
    }
    if (absl::Status set = Set(options, name, value); !set.ok()) return set;
  }
  options.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  if (options.program.empty()) return absl::InvalidArgumentError("mssanitizer: no program to run; put it after --");
  return options;
}

std::string SanitizerUsage() {
  return "usage: mssanitizer [options] [--] program [arguments]\n"
         "  -t, --tool=memcheck|racecheck|initcheck|synccheck   what to look for (memcheck)\n"
         "  --leak-check=yes|no      device memory that the program does not give back (no)\n"
         "  --kernel-name=TEXT       kernels whose name contains it\n"
         "  --block-id=N             findings of one block\n"
         "  --log-file=FILE          write there instead of on the console\n"
         "accepted without effect: --cache-size, --full-backtrace, --demangle, --check-unused-memory\n";
}

}  // namespace kernelsmith::emulator
