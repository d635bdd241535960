// What the client will be told when it asks: output and failures, and the report of the last launches.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "worker/emulator/runtime/protocol.h"

namespace kernelsmith::emulator {

struct PostedNotice {
  NoticeKind kind = NoticeKind::kNone;
  uint32_t stream = 0;
  uint64_t sequence = 0;
  int code = 0;
  std::string text;
};

class Notices {
 public:
  // Returns how many notices that made. Long texts become several.
  uint64_t PostConsole(const std::string& text);
  uint64_t PostFailure(uint32_t stream, uint64_t sequence, int code, const std::string& text);
  std::optional<PostedNotice> Take();
  size_t waiting() const { return notices_.size(); }

 private:
  std::deque<PostedNotice> notices_;
  size_t console_bytes_ = 0;
};

// The last 64 launches.
class LaunchLog {
 public:
  void Add(std::string launch_json);
  // Up to that number, as numbered by Add from 1.
  void Forget(uint64_t up_to);
  // As kse.h says.
  std::string Report() const;
  uint64_t last() const { return last_; }

 private:
  struct Logged {
    uint64_t number;
    std::string json;
  };
  std::deque<Logged> launches_;
  uint64_t last_ = 0;
};

}  // namespace kernelsmith::emulator
