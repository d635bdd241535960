// The subcommands. Each function adds one to the program; its action sets session.exit_code. One file each.
#pragma once

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace kernelsmith::client {

void AddBest(CLI::App& program, Session& session);
void AddCancel(CLI::App& program, Session& session);
void AddCards(CLI::App& program, Session& session);
void AddCompare(CLI::App& program, Session& session);
void AddDoctor(CLI::App& program, Session& session);
void AddEval(CLI::App& program, Session& session);
void AddExtend(CLI::App& program, Session& session);
void AddJobs(CLI::App& program, Session& session);
void AddMemory(CLI::App& program, Session& session);
void AddShow(CLI::App& program, Session& session);
void AddSubmit(CLI::App& program, Session& session);
void AddUp(CLI::App& program, Session& session);
void AddVersion(CLI::App& program, Session& session);
void AddWatch(CLI::App& program, Session& session);

}  // namespace kernelsmith::client
