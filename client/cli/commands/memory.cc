#include "client/cli/commands/commands.h"
#include "client/cli/memory/commands.h"

namespace kernelsmith::client {

void AddMemory(Command& program, Session& session) {
  Command command = program.Add("memory", "search and keep the experience memory");
  command.RequireSubcommand();
  AddMemorySearch(command, session);
  AddMemoryItems(command, session);
  AddMemoryLineage(command, session);
  AddMemoryLoad(command, session);
  AddMemoryMine(command, session);
  AddMemoryLifecycle(command, session);
  AddMemoryRules(command, session);
  AddMemoryExchange(command, session);
  AddMemoryUpkeep(command, session);
  command.Footer("Example:\n  kernelsmith memory search softmax");
}

}  // namespace kernelsmith::client
