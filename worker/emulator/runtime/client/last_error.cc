#include "worker/emulator/runtime/client/last_error.h"

#include <unistd.h>

#include <utility>

#include "worker/emulator/runtime/error_text.h"

namespace kernelsmith::emulator::acl {
namespace {

struct LastError {
  int code = 0;
  std::string text;
  std::string returned;
};

LastError& Mine() {
  thread_local LastError mine;
  return mine;
}

}  // namespace

int Fail(int code, const std::string& reason) {
  return FailWithText(code, ErrorText(code / 1000 == 507 ? "EE9999" : "EE1001", ::getpid(), ErrorTime(), reason));
}

int FailWithText(int code, const std::string& text) {
  LastError& mine = Mine();
  mine.code = code;
  mine.text = text;
  return code;
}

int PeekLastCode() { return Mine().code; }
int TakeLastCode() { return std::exchange(Mine().code, 0); }

const char* TakeLastText() {
  LastError& mine = Mine();
  if (mine.text.empty()) return nullptr;
  mine.returned = std::move(mine.text);
  mine.text.clear();
  return mine.returned.c_str();
}

}  // namespace kernelsmith::emulator::acl
