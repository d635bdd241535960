// Progress of long work: a bar that is redrawn on a terminal, a line now and then elsewhere, nothing with --json.
//
//   ProgressDisplay progress(session, "importing");
//   progress.Show({.done = bytes, .total = all, .detail = "120 rows"});
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "client/cli/session.h"
#include "client/cli/text/progress_bar.h"

namespace kernelsmith::client {

class ProgressDisplay {
 public:
  ProgressDisplay(const Session& session, std::string activity);
  // Takes the bar away.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void Show(const ProgressState& state);
  // A line that stays.
  void Say(const std::string& line);

 private:
  void Erase();

  const Session& session_;
  const std::string activity_;
  const bool live_;
  absl::Time shown_;
  bool drawn_ = false;
};

}  // namespace kernelsmith::client
