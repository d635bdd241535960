#include "client/cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/commands/commands.h"
#include "common/coldstart/language.h"

namespace kernelsmith::client {
namespace {

void AddGlobalOptions(CLI::App& program, Session& session) {
  program.add_option("--server", session.server,
                     "coordinator, host:port (else KERNELSMITH_SERVER, else what `up` wrote)");
  program.add_option("--memory", session.memory,
                     "experience memory, host:port (else KERNELSMITH_MEMORY, else what `up` wrote)");
  program.add_option("--data", session.data_folder,
                     "data folder of `up` (else KERNELSMITH_DATA, else ~/.local/state/kernelsmith)");
  program.add_option("--token-file", session.token_file, "file with the bearer token (else KERNELSMITH_TOKEN)");
  program.add_option("--tls-ca-file", session.tls_ca_file, "PEM of the authority that signed the server's certificate");
  program.add_option("--patience-s", session.patience_s, "seconds to go on trying to reach a server (default: 5)")
      ->check(CLI::NonNegativeNumber);
  program.add_flag("--json", session.json, "one JSON document, or one per line for streams");
}

void AddCommands(Command program, Session& session) {
  AddUp(program, session);
  AddSubmit(program, session);
  AddWatch(program, session);
  AddExtend(program, session);
  AddCancel(program, session);
  AddJobs(program, session);
  AddShow(program, session);
  AddBest(program, session);
  AddEval(program, session);
  AddCompare(program, session);
  AddCards(program, session);
  AddDeadLetters(program, session);
  AddMemory(program, session);
  AddDoctor(program, session);
  AddVersion(program, session);
}

// What follows "--" belongs to the command of `up`, whatever it looks like.
std::vector<std::string> TakeTrailing(std::vector<std::string>& arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end() || std::find(arguments.begin(), mark, "up") == mark) return {};
  std::vector<std::string> trailing(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return trailing;
}

// The first word that should name a command and names none; empty if there is no such word.
std::string UnknownCommand(CLI::App& program, const std::vector<std::string>& arguments) {
  CLI::App* within = &program;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.empty() && word[0] == '-') {
      const CLI::Option* option = program.get_option_no_throw(word);
      if (option != nullptr && option->get_items_expected_min() > 0) ++i;  // its value
      continue;
    }
    const std::vector<CLI::App*> named =
        within->get_subcommands([&](CLI::App* command) { return command->get_name() == word; });
    if (named.empty()) return word;
    within = named.front();
    if (within->get_subcommands([](CLI::App*) { return true; }).empty()) return "";
  }
  return "";
}

int FailUsage(const CLI::ParseError& error, CLI::App& program, const std::vector<std::string>& arguments,
              Session& session) {
  const std::string unknown = error.get_name() == "RequiredError" ? UnknownCommand(program, arguments) : "";
  session.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  if (!unknown.empty()) {
    return session.Fail(absl::InvalidArgumentError(
        absl::StrCat("there is no command '", absl::Utf8SafeCEscape(unknown), "'; --help lists them")));
  }
  if (session.json) return session.Fail(absl::InvalidArgumentError(error.what()));
  program.exit(error, session.out(), session.err());
  return kExitUsage;
}

}  // namespace

int RunProgram(std::vector<std::string> arguments, const Surroundings& surroundings) {
  Session session;
  session.surroundings = surroundings;
  session.trailing = TakeTrailing(arguments);
  for (const std::string& argument : arguments) {
    if (common::IsUtf8(argument)) continue;
    return session.Fail(absl::InvalidArgumentError(
        absl::StrCat("the argument '", absl::CHexEscape(argument), "' is no UTF-8 text; rename what it names")));
  }
  CLI::App program("Turns an operator into a fast, verified kernel.", "kernelsmith");
  program.fallthrough();
  program.require_subcommand(1);
  AddGlobalOptions(program, session);
  AddCommands(Command(&program), session);
  program.footer(
      "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 unreachable, 5 refused, 6 cancelled, 130 Ctrl-C.\n"
      "Each command explains itself: kernelsmith submit --help");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {  // CLI11 reports by exception; none leaves this function
    program.parse(reversed);
  } catch (const CLI::Success& help) {
    return program.exit(help, session.out(), session.err());
  } catch (const CLI::ParseError& error) {
    return FailUsage(error, program, arguments, session);
  } catch (const std::exception& error) {
    return session.Fail(absl::InternalError(error.what()));
  }
  return session.exit_code;
}

}  // namespace kernelsmith::client
