// The JSON block of a reply: which items were adopted, and the idea behind the code. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::server {

struct Account {
  std::vector<v1::AdoptionRecord> adoption;  // the records that are right, one an item at most
  v1::Thought thought;
  std::string hypothesis;
  std::string rationale;
};

// Reads what is right in `json` and says in `errors`, as sentences to the model, what is not: no JSON (with the
// offset), an item of `item_ids` without a record, a record of something else, a second record, an unknown state or
// layer, a missing reason, thought or hypothesis, a wrong type.
Account ReadAccount(absl::string_view json, const std::vector<std::string>& item_ids, std::vector<std::string>& errors);

}  // namespace kernelsmith::server
