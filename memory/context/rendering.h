// What a prompt shows of an item, from long to short. Packing takes the longest that fits whole.
//
//   const std::vector<std::string> renderings = RenderingsOf(item, /*other_target=*/false);
//
//   CASE                fields, change and whole code; fields and change; fields; one line
//   JOURNAL             all of it; one line
//   DOCUMENT, TRACE     all of it up to a cap; its beginning; one line
//   API_TEMPLATE        name, where it applies and the template; its beginning; name and title
//   digests, insights,  where it applies and all of its text; its beginning; one line
//   practices, rules
//
// Everything is quoted as data (quoting.h) and capped in size. An item of another target is shown without latency,
// speed-up, r, label and d, and says that it was learned elsewhere.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/context/quoting.h"

namespace kernelsmith::memory {

// At least one rendering, each shorter than the one before.
std::vector<std::string> RenderingsOf(const v1::Item& item, bool other_target);

// A child of the start point: what it changed and what came of it, without the whole code.
std::vector<std::string> ChildRenderings(const v1::Item& item, bool other_target);

// A resident: the rule that was distilled from `item`, as one form.
std::vector<std::string> ResidentRenderings(const v1::Item& item, absl::string_view rule_text);

}  // namespace kernelsmith::memory
