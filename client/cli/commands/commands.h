// The subcommands. Each function adds one to the program; its action sets session.exit_code. One file each.
#pragma once

#include "client/cli/command.h"
#include "client/cli/session.h"

namespace kernelsmith::client {

void AddBest(Command& program, Session& session);
void AddCancel(Command& program, Session& session);
void AddCards(Command& program, Session& session);
void AddCompare(Command& program, Session& session);
void AddDeadLetters(Command& program, Session& session);
void AddDoctor(Command& program, Session& session);
void AddEval(Command& program, Session& session);
void AddExtend(Command& program, Session& session);
void AddJobs(Command& program, Session& session);
void AddMemory(Command& program, Session& session);
void AddShow(Command& program, Session& session);
void AddSubmit(Command& program, Session& session);
void AddUp(Command& program, Session& session);
void AddVersion(Command& program, Session& session);
void AddWatch(Command& program, Session& session);

}  // namespace kernelsmith::client
