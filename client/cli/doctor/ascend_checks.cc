#include "client/cli/doctor/ascend_checks.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/cli/text/format.h"
#include "client/cli/up/cann.h"

namespace kernelsmith::client {
namespace {

using Json = nlohmann::json;

constexpr absl::Duration kLimit = absl::Seconds(180);  // compiles twice and opens a card
constexpr size_t kDetail = 300;

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? OneLine(found->get<std::string>(), kDetail) : "";
}

Finding FindingOf(const Json& step) {
  const auto ok = step.find("ok");
  const bool good = ok != step.end() && ok->is_boolean() && ok->get<bool>();
  return {.name = TextAt(step, "name"),
          .verdict = good ? Verdict::kOk : Verdict::kFail,
          .detail = TextAt(step, "detail"),
          .advice = TextAt(step, "advice")};
}

}  // namespace

std::vector<Finding> JudgeAscend(const absl::StatusOr<CommandResult>& run) {
  std::string why = run.ok() ? OneLine(run->output, kDetail) : std::string(run.status().message());
  if (run.ok()) {
    const size_t begin = run->output.find('[');
    const Json steps = begin == std::string::npos
                           ? Json()
                           : Json::parse(run->output.substr(begin), nullptr, /*allow_exceptions=*/false);
    std::vector<Finding> findings;
    for (const Json& step : steps.is_array() ? steps : Json::array()) {
      if (step.is_object()) findings.push_back(FindingOf(step));
    }
    if (!findings.empty()) return findings;
  }
  return {{.name = "ascend",
           .verdict = Verdict::kFail,
           .detail = absl::StrCat("kernelsmith-worker --check says nothing of use: ", why),
           .advice = "install all programs of one version in one folder"}};
}

std::vector<Finding> AscendFindings(const std::string& programs) {
  config::v1::WorkerConfig worker;
  if (const absl::Status chosen = ChooseCann(programs, worker); !chosen.ok()) {
    return {{.name = "ascend", .verdict = Verdict::kOk, .detail = "no CANN, real or emulated: cpu cards only"}};
  }
  std::vector<std::string> command = {
      programs + "/kernelsmith-worker", "--check", "--card-kind", "ascend", "--cann-root", worker.cann_root()};
  if (!worker.emulated_soc().empty()) {
    command.insert(command.end(), {"--emulated-soc", worker.emulated_soc()});
  }
  return JudgeAscend(RunCommand(command, kLimit));
}

}  // namespace kernelsmith::client
