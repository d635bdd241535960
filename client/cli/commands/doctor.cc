#include <filesystem>
#include <system_error>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/doctor/ascend_checks.h"
#include "client/cli/doctor/check.h"
#include "client/cli/doctor/host_checks.h"
#include "client/cli/doctor/server_checks.h"

namespace kernelsmith::client {
namespace {

int Doctor(const Session& session) {
  std::vector<Finding> findings = HostFindings(session.DataFolder());
  std::error_code error;
  const std::string programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
  for (Finding& finding : AscendFindings(programs)) findings.push_back(std::move(finding));
  for (Finding& finding : ServerFindings(session)) findings.push_back(std::move(finding));
  session.out() << (session.json ? FindingsJson(findings) : FindingsText(findings)) << std::flush;
  return AnyFailed(findings) ? kExitFailed : kExitOk;
}

}  // namespace

void AddDoctor(Command& program, Session& session) {
  Command command = program.Add("doctor", "check what an installation needs, and say what to do");
  command.Footer("Example:\n  kernelsmith doctor --json");
  command.Run([&session] { session.exit_code = Doctor(session); });
}

}  // namespace kernelsmith::client
