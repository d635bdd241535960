// A round's context as messages for a chat model. Pure: the same request renders the same bytes, whenever it is
// rendered.
//
// The system message depends on the card kind alone and comes first; the blocks follow in memory's order, which has
// what is stable before what changes from round to round; the round's own directions come last. So consecutive prompts
// of a job share a long prefix, which servers cache.
#pragma once

#include <string>
#include <vector>

#include "server/model/chat_completion.h"
#include "server/proposers/chat/candidate_form.h"
#include "server/proposers/proposer.h"

namespace kernelsmith::server {

// Role, candidate form, how to read quoted blocks, and the reply's format. At most 2048 tokens (synthesis keeps as many
// free).
std::string SystemPrompt(const CandidateForm& form);

std::vector<ChatMessage> RenderPrompt(const ProposalRequest& request, const CandidateForm& form);

// The one repair turn: the messages so far, the reply, and what is wrong with it.
std::vector<ChatMessage> RenderRepair(std::vector<ChatMessage> messages, const std::string& reply,
                                      const std::vector<std::string>& errors);

}  // namespace kernelsmith::server
