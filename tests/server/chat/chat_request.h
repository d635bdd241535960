// A request as the round loop makes it, and replies to it.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/proposers/proposer.h"

namespace kernelsmith::server {

inline constexpr char kKernelBlock[] =
    "```cpp kernel.cpp\nextern \"C\" int ks_kernel(const ks_call* call) { return 0; }\n```\n";

// A reply whose adoption is `adoption` as JSON or a placeholder of the scripted server.
inline std::string ReplyText(const std::string& adoption = "{{adopted}}") {
  return absl::StrCat("I will try this.\n", kKernelBlock, "```json\n{\"adoption\": ", adoption,
                      R"(, "thought": {"id": "threads", "title": "Use both threads", "layer": "core_partition"},)",
                      R"( "hypothesis": "half the time", "rationale": "rows are independent"})", "\n```\n");
}

inline ProposalRequest RoundRequest(const std::vector<std::string>& item_ids = {"item-1", "item-2"}) {
  ProposalRequest request;
  request.job_id = "j-1";
  request.attempt_id = "j-1/1";
  request.round = 1;
  request.card_kind = "cpu";
  v1::ChatProposer& chat = *request.spec.mutable_proposer()->mutable_chat();
  chat.set_endpoint("test");
  chat.set_temperature(0.25);
  auto add = [&](const std::string& name, const std::string& text, v1::Tier tier, const std::string& item_id) {
    v1::ContextBlock& block = *request.context.add_blocks();
    block.set_name(name);
    block.set_text(text);
    block.set_tier(tier);
    block.set_item_id(item_id);
  };
  add("specification", "softmax over rows", v1::REQUIRED, "");
  for (const std::string& id : item_ids) {
    v1::Item& item = *request.context.add_items()->mutable_item();
    item.set_id(id);
    item.set_kind(v1::CASE);
    item.set_trust("measured");
    item.set_text(absl::StrCat("text of ", id));
    add("title", absl::StrCat("rendered ", id), v1::WARM, id);
  }
  add("feedback", "nothing yet", v1::REQUIRED, "");
  return request;
}

}  // namespace kernelsmith::server
