#include "worker/emulator/runtime/process/findings_output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {

FindingsOutput::FindingsOutput(int device) : device_(device) {
  const char* path = std::getenv("KERNELSMITH_EMULATED_FINDINGS");
  // Without waiting: if nobody reads the pipe, nobody asked.
  if (path != nullptr) fd_ = ::open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd_ >= 0) ::fcntl(fd_, F_SETFL, 0);
}

FindingsOutput::~FindingsOutput() {
  if (fd_ >= 0) ::close(fd_);
}

void FindingsOutput::Launch(const std::string& report) {
  Write(absl::StrCat("{\"device\": ", device_, ", \"launch\": ", report, "}\n"));
}

void FindingsOutput::Leaks(const std::vector<Allocation>& allocations) {
  if (allocations.empty()) return;
  std::string list;
  for (const Allocation& allocation : allocations) {
    absl::StrAppend(&list, list.empty() ? "" : ", ", "{\"address\": ", allocation.address,
                    ", \"bytes\": ", allocation.bytes, "}");
  }
  Write(absl::StrCat("{\"device\": ", device_, ", \"leaks\": [", list, "]}\n"));
}

void FindingsOutput::Write(const std::string& line) {
  if (fd_ < 0) return;
  ::flock(fd_, LOCK_EX);  // a line may be longer than what a pipe takes at once
  for (size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(fd_, line.data() + done, line.size() - done);
    if (wrote > 0) done += static_cast<size_t>(wrote);
    if (wrote < 0 && errno != EINTR) break;
  }
  ::flock(fd_, LOCK_UN);
}

}  // namespace kernelsmith::emulator
