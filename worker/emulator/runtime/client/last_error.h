// What went wrong last, per thread: the code of aclrtGetLastError and the text of aclGetRecentErrMsg.
//
// Example:
//   if (stream == nullptr) return Fail(kParamInvalid, "aclrtSynchronizeStream: the stream is unknown; was it
//   destroyed?");
#pragma once

#include <string>

namespace kernelsmith::emulator::acl {

// Remembers both for this thread; returns the code.
int Fail(int code, const std::string& reason);
// Likewise with a text that is complete as it is (a device's own words).
int FailWithText(int code, const std::string& text);

int PeekLastCode();
int TakeLastCode();
// The text, which this call forgets, or null. Valid until the thread's next call.
const char* TakeLastText();

}  // namespace kernelsmith::emulator::acl
