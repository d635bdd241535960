// Which language a document is written in, as far as retrieval needs to know: English or Chinese.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

// "zh" if the prose outside code has more Chinese characters than Latin words, "en" if it has any word, "" otherwise.
// A Chinese character counts as a word: Chinese documents about an API are full of Latin names.
std::string DetectLanguage(absl::string_view markdown);

// False for bytes that are no UTF-8, surrogates and overlong forms included.
bool IsUtf8(absl::string_view text);

}  // namespace kernelsmith::common
