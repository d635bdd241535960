#include "common/version.h"

#include <nlohmann/json.hpp>
#include <string>

#include "client/cli/commands/commands.h"

namespace kernelsmith::client {

void AddVersion(CLI::App& program, Session& session) {
  CLI::App* command = program.add_subcommand("version", "print the version");
  command->footer("Example:\n  kernelsmith version --json");
  command->callback([&session] {
    const std::string version(common::Version());
    session.out() << (session.json ? nlohmann::json{{"version", version}}.dump() : "kernelsmith " + version)
                  << std::endl;
  });
}

}  // namespace kernelsmith::client
