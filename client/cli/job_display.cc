#include "client/cli/job_display.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/text/format.h"
#include "client/lib/json.h"
#include "client/lib/retry.h"

namespace kernelsmith::client {
namespace {

// Outside a terminal, transient progress is worth a line when nothing else was said for this long.
constexpr int64_t kQuietUs = 10'000'000;

size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

absl::Time StartOf(const v1::Job& job) {
  return job.submitted_unix_us() > 0 ? absl::FromUnixMicros(job.submitted_unix_us()) : absl::Now();
}

}  // namespace

JobDisplay::JobDisplay(const Session& session, const v1::Job& job, uint64_t from_sequence)
    : session_(session),
      live_(session.surroundings.terminal && !session.json),
      started_(StartOf(job)),
      progress_(job, from_sequence) {
  if (!live_) return;
  ticker_ = std::jthread([this](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "ks-spinner");
    while (SleepUnlessStopped(absl::Milliseconds(120), stop)) {
      common::MutexLock lock(mutex_);
      ++frame_;
      Draw();
    }
  });
}

JobDisplay::~JobDisplay() {
  if (!live_) return;
  ticker_.request_stop();
  ticker_.join();
  common::MutexLock lock(mutex_);
  Erase();
}

void JobDisplay::Erase() { session_.out() << "\r\x1b[2K" << std::flush; }

void JobDisplay::Draw() {
  const LiveLineOptions options{.width = TerminalWidth(),
                                .frame = frame_,
                                .elapsed_s = std::max(0.0, absl::ToDoubleSeconds(absl::Now() - started_))};
  session_.out() << "\r\x1b[2K" << LiveLine(progress_, options) << std::flush;
}

void JobDisplay::ShowTransient(const v1::JobEvent& event) {
  const std::string text = OneLine(event.progress().activity(), 200);
  if (text == last_transient_ || event.at_unix_us() < last_line_unix_us_ + kQuietUs) return;
  last_transient_ = text;
  last_line_unix_us_ = event.at_unix_us();
  session_.out() << "  " << text << std::endl;
}

void JobDisplay::Show(const v1::JobEvent& event) {
  common::MutexLock lock(mutex_);
  progress_.Apply(event);
  if (session_.json) {
    session_.out() << ToJson(event, JsonLayout::kOneLine) << std::endl;
    return;
  }
  if (!live_ && event.has_progress()) {
    ShowTransient(event);
    return;
  }
  const auto lines = live_ ? ScrollLines(event, progress_) : PlainLines(event, progress_);
  if (live_) Erase();
  for (const std::string& line : lines) session_.out() << line << "\n";
  if (!lines.empty()) last_line_unix_us_ = event.at_unix_us();
  session_.out() << std::flush;
  if (live_) Draw();
}

void JobDisplay::Say(const std::string& line) {
  common::MutexLock lock(mutex_);
  if (live_) Erase();
  session_.err() << line << std::endl;
  if (live_) Draw();
}

}  // namespace kernelsmith::client
