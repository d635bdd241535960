#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/cli/memory/commands.h"
#include "client/cli/text/lineage_svg.h"
#include "client/cli/text/lineage_text.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

struct LineageOptions {
  std::string job_id;
  std::string operator_name;
  std::string svg_file;
};

int WriteSvg(const std::vector<v1::LineageNode>& nodes, const std::string& file, const Session& session) {
  const absl::Status written = common::WriteFileAtomically(file, LineageSvg(nodes));
  if (!written.ok()) return session.Fail(common::InvalidField("svg", written.message()));
  if (session.json) {
    session.out() << nlohmann::json{{"svg", file}, {"attempts", nodes.size()}}.dump() << std::endl;
  } else {
    session.out() << nodes.size() << " attempts drawn in " << file << std::endl;
  }
  return kExitOk;
}

int Lineage(const LineageOptions& options, const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<std::vector<v1::LineageNode>> nodes = memory->Lineage(options.job_id, options.operator_name);
  if (!nodes.ok()) return session.Fail(nodes.status());
  if (!options.svg_file.empty()) return WriteSvg(*nodes, options.svg_file, session);
  if (session.json) {
    v1::LineageResponse document;
    document.mutable_nodes()->Add(nodes->begin(), nodes->end());
    session.PrintJson(document);
  } else {
    session.out() << LineageText(*nodes) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddMemoryLineage(Command& memory, Session& session) {
  auto options = std::make_shared<LineageOptions>();
  Command command = memory.Add("lineage", "which attempt came from which, with r, label, d and latency");
  command.Option("job,--job,--session", options->job_id, "attempts of this job (default: all of the team)");
  command.Option("--operator", options->operator_name, "attempts at this operator");
  command.Option("--svg", options->svg_file, "draw the forest into this file instead");
  command.Footer(
      "Examples:\n  kernelsmith memory lineage job-0123456789ab\n  kernelsmith memory lineage --operator softmax --svg "
      "softmax.svg");
  command.Run([options, &session] { session.exit_code = Lineage(*options, session); });
}

}  // namespace kernelsmith::client
