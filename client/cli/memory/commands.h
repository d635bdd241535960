// The subcommands of `kernelsmith memory`.
#pragma once

#include "client/cli/command.h"
#include "client/cli/session.h"

namespace kernelsmith::client {

void AddMemorySearch(Command& memory, Session& session);
void AddMemoryItems(Command& memory, Session& session);  // show, add
void AddMemoryLineage(Command& memory, Session& session);
void AddMemoryLoad(Command& memory, Session& session);
void AddMemoryMine(Command& memory, Session& session);
void AddMemoryLifecycle(Command& memory, Session& session);  // supersede, retire, promote, revoke
void AddMemoryRules(Command& memory, Session& session);      // conflicts, residents, policies
void AddMemoryExchange(Command& memory, Session& session);   // export, import
void AddMemoryUpkeep(Command& memory, Session& session);     // verify, backup, seal, stats

}  // namespace kernelsmith::client
