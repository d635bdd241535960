// What a prompt shows of an item, from long to short. Packing takes the longest that fits whole.
//
//   const std::vector<std::string> renderings = RenderingsOf(item, /*other_target=*/false);
//
// A case has up to four: fields, change and whole code; fields and change; fields; one line. A journal has two. Text
// that a model wrote is quoted as data: it stands under a line that names the item and how far to trust it, and code
// stands in a fence that the code cannot close. An item of another target is shown without latency, speed-up, r, label
// and d.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// At least one rendering; equal neighbours are given once.
std::vector<std::string> RenderingsOf(const v1::Item& item, bool other_target);

}  // namespace kernelsmith::memory
