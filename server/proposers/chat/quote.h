// Foreign text inside a prompt: quoted as data, so that it can neither end its block nor start a turn of its own. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::server {

// Bytes of one memory item in a prompt; what is longer is cut and says so.
inline constexpr size_t kMaxItemBytes = 24'000;

// `text` in which nothing opens or closes a <ks-...> block, no "<|" begins a control token of a chat template, and no
// control character but tab and line feed is left. What looked like one of them stays readable: "<" becomes "&lt;".
std::string Neutralised(absl::string_view text);

// As above, and no line begins a code fence ("```" becomes "'''").
std::string NeutralisedItem(absl::string_view text);

// <ks-block name="specification">
// ...
// </ks-block>
std::string QuoteBlock(absl::string_view name, absl::string_view text);

// <ks-item id="..." kind="case" trust="measured">
// ...
// </ks-item>
// `text` is how memory rendered the item.
std::string QuoteItem(const v1::Item& item, absl::string_view text);

}  // namespace kernelsmith::server
