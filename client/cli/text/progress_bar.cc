#include "client/cli/text/progress_bar.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/text/format.h"

namespace kernelsmith::client {
namespace {

constexpr int64_t kBarWidth = 24;

double Share(const ProgressState& state) {
  return std::clamp(static_cast<double>(state.done) / static_cast<double>(state.total), 0.0, 1.0);
}

std::string Detail(const ProgressState& state) { return state.detail.empty() ? "" : absl::StrCat(", ", state.detail); }

}  // namespace

std::string ProgressBar(const std::string& activity, const ProgressState& state, size_t width) {
  if (state.total <= 0) return OneLine(absl::StrCat(activity, Detail(state)), width);
  const auto filled = static_cast<size_t>(Share(state) * kBarWidth);
  return OneLine(
      absl::StrFormat("%s [%s%s] %3d %%%s", activity, std::string(filled, '#'), std::string(kBarWidth - filled, '-'),
                      static_cast<int>(Share(state) * 100), Detail(state)),
      width);
}

std::string ProgressLine(const std::string& activity, const ProgressState& state) {
  if (state.total <= 0) return absl::StrCat(activity, Detail(state));
  return absl::StrFormat("%s: %d %%%s", activity, static_cast<int>(Share(state) * 100), Detail(state));
}

}  // namespace kernelsmith::client
