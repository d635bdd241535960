#include "worker/devices/ascend/card_baseline.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/diagnostics/printable.h"
#include "worker/jail/jail.h"
#include "worker/toolchains/ascend/cann_root.h"

namespace kernelsmith::worker {
namespace {

constexpr const char* kPython = "/usr/bin/python3";
constexpr absl::Duration kTryLimit = absl::Seconds(120);  // the first use of a card copies files to it
constexpr size_t kTextBytes = 300;

// The last line that a Python program printed about its end: "ModuleNotFoundError: No module named 'torch_npu'".
std::string LastLine(const std::string& text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n', absl::SkipWhitespace());
  return lines.empty() ? "it said nothing" : Printable(lines.back(), kTextBytes);
}

}  // namespace

absl::StatusOr<BaselineCard> FindCardBaseline(const AscendCardOptions& options, bool emulated) {
  if (emulated) {
    return absl::FailedPreconditionError("an emulated card has no PyTorch baseline, torch_npu needs a real one");
  }
  BaselineCard card;
  card.device = absl::StrCat("npu:", options.device);
  card.nodes = options.device_nodes;
  for (const auto& [name, value] : CannEnvironment(options.root)) {
    if (absl::StartsWith(name, "ASCEND") || name == "LD_LIBRARY_PATH") card.env.emplace_back(name, value);
  }
  card.read_only = CannMounts(options.root);
  return TryCardBaseline(std::move(card), kPython);
}

absl::StatusOr<BaselineCard> TryCardBaseline(BaselineCard card, const std::string& python) {
  JailSpec spec;
  spec.argv = {python, "-B", "-s", "-c",
               absl::StrCat("import torch, torch_npu\ntorch.npu.set_device('", card.device,
                            "')\nprint('torch_npu', torch_npu.__version__)")};
  spec.env = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/tmp"}, {"LANG", "C.UTF-8"}};
  spec.env.insert(spec.env.end(), card.env.begin(), card.env.end());
  spec.read_only = card.read_only;
  spec.devices = card.nodes;
  spec.limits.memory_bytes = 0;  // the driver reserves huge ranges of addresses
  spec.limits.processes = 1024;
  ASSIGN_OR_RETURN(const std::unique_ptr<JailedProcess> process, JailedProcess::Start(spec));
  const ExitReport exit = process->Wait(absl::Now() + kTryLimit);
  if (exit.kind != ExitKind::kExited || exit.code != 0) {
    return absl::FailedPreconditionError(absl::StrCat("no PyTorch baseline: ", python,
                                                      " cannot use the card through torch_npu (", LastLine(exit.errors),
                                                      "); install torch_npu for it"));
  }
  card.software = LastLine(exit.output);
  return card;
}

}  // namespace kernelsmith::worker
