// Recognises a section that describes one API: its heading is the exact name, and its code shows the signature and a
// use. Such a section is kept whole as an API template, found by its name.
//
//   ### DataCopyPad
//   ```cpp
//   template <typename T> void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, ...);
//   ```
//   DataCopyPad(local, x[offset], copy, padding);
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

// The API that a heading names: a C++ identifier, also qualified, in code marks, with an argument list or a remark in
// parentheses behind it. Empty if it is something else. "AscendC::" is left away: kernels write the name without it.
std::string ApiNameOf(absl::string_view heading);

// True if `code` declares `name` (a statement with its result type) and also uses it.
bool ShowsSignatureAndUse(absl::string_view code, absl::string_view name);

}  // namespace kernelsmith::common
