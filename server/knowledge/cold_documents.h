// Documents in a prompt: the cold tier that memory does not fill, because documents are part of the program and not of
// a team's experience. They take no credit and need no adoption record, so they are blocks of the context and not
// items.
#pragma once

#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "server/knowledge/knowledge.h"

namespace kernelsmith::server {

// Adds as many documents, in their order, as fit into min(0.25 * (B - H), 30k) tokens and into what is left of the
// budget B; H are the tokens of required blocks. Of a document that does not fit whole, the sections that fit are added
// (common/coldstart/documents.h), under its id with their number behind it; no section is cut. They stand behind the
// stable required blocks, so that prompt caches hit them. Each one has a decision that says why it is in or out. Adding
// them twice changes nothing.
void AddColdDocuments(const std::vector<Document>& documents, v1::AssembleContextResponse* context);

}  // namespace kernelsmith::server
