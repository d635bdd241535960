#include "worker/emulator/runtime/process/notices.h"

#include <algorithm>
#include <utility>

namespace kernelsmith::emulator {
namespace {

constexpr size_t kPiece = 64 * 1024;
constexpr size_t kMaxConsoleBytes = size_t{16} << 20;  // waiting for a client that does not ask
constexpr size_t kMaxLaunches = 64;

}  // namespace

uint64_t Notices::PostConsole(const std::string& text) {
  uint64_t posted = 0;
  for (size_t at = 0; at < text.size() && console_bytes_ < kMaxConsoleBytes; at += kPiece, ++posted) {
    notices_.push_back({.kind = NoticeKind::kConsole, .text = text.substr(at, kPiece)});
    console_bytes_ += notices_.back().text.size();
  }
  return posted;
}

uint64_t Notices::PostFailure(uint32_t stream, uint64_t sequence, int code, const std::string& text) {
  notices_.push_back({NoticeKind::kFailure, stream, sequence, code, text.substr(0, kPiece)});
  return 1;
}

std::optional<PostedNotice> Notices::Take() {
  if (notices_.empty()) return std::nullopt;
  PostedNotice first = std::move(notices_.front());
  notices_.pop_front();
  if (first.kind == NoticeKind::kConsole) console_bytes_ -= first.text.size();
  return first;
}

void LaunchLog::Add(std::string launch_json) {
  launches_.push_back({++last_, std::move(launch_json)});
  if (launches_.size() > kMaxLaunches) launches_.pop_front();
}

void LaunchLog::Forget(uint64_t up_to) {
  while (!launches_.empty() && launches_.front().number <= up_to) launches_.pop_front();
}

std::string LaunchLog::Report() const {
  std::string report = "{\"launches\": [";
  for (const Logged& launch : launches_) {
    if (report.back() == '}') report += ", ";
    report += launch.json;
  }
  return report + "]}";
}

}  // namespace kernelsmith::emulator
