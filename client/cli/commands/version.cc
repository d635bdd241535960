#include "common/version.h"

#include <nlohmann/json.hpp>
#include <string>

#include "client/cli/commands/commands.h"

namespace kernelsmith::client {

void AddVersion(Command& program, Session& session) {
  Command command = program.Add("version", "print the version");
  command.Footer("Example:\n  kernelsmith version --json");
  command.Run([&session] {
    const std::string version(common::Version());
    session.out() << (session.json ? nlohmann::json{{"version", version}}.dump() : "kernelsmith " + version)
                  << std::endl;
  });
}

}  // namespace kernelsmith::client
