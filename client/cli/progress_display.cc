#include "client/cli/progress_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kernelsmith::client {
namespace {

constexpr absl::Duration kRedraw = absl::Milliseconds(100);
constexpr absl::Duration kLine = absl::Seconds(10);

size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressDisplay::ProgressDisplay(const Session& session, std::string activity)
    : session_(session),
      activity_(std::move(activity)),
      live_(session.surroundings.terminal && !session.json),
      shown_(live_ ? absl::InfinitePast() : absl::Now()) {}

ProgressDisplay::~ProgressDisplay() { Erase(); }

void ProgressDisplay::Erase() {
  if (drawn_) session_.out() << "\r\x1b[2K" << std::flush;
  drawn_ = false;
}

void ProgressDisplay::Show(const ProgressState& state) {
  if (session_.json) return;
  const absl::Time now = absl::Now();
  if (now - shown_ < (live_ ? kRedraw : kLine)) return;
  shown_ = now;
  if (live_) {
    session_.out() << "\r\x1b[2K" << ProgressBar(activity_, state, TerminalWidth()) << std::flush;
    drawn_ = true;
  } else {
    session_.err() << ProgressLine(activity_, state) << std::endl;
  }
}

void ProgressDisplay::Say(const std::string& line) {
  Erase();
  session_.err() << line << std::endl;
}

}  // namespace kernelsmith::client
