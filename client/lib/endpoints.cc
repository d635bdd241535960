#include "kernelsmith/client/endpoints.h"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultDataFolder() {
  if (const std::string state = Environment("XDG_STATE_HOME"); !state.empty()) return state + "/kernelsmith";
  if (const std::string home = Environment("HOME"); !home.empty()) return home + "/.local/state/kernelsmith";
  return absl::StrCat("/tmp/kernelsmith-", getuid());
}

std::string EndpointsPath(const std::string& data_folder) { return data_folder + "/endpoints.json"; }

std::string FormatEndpoints(const Endpoints& endpoints) {
  nlohmann::ordered_json document = {{"server", endpoints.server},
                                     {"memory", endpoints.memory},
                                     {"supervisor_pid", endpoints.supervisor_pid},
                                     {"daemons", nlohmann::ordered_json::array()}};
  for (const DaemonEndpoint& daemon : endpoints.daemons) {
    document["daemons"].push_back({{"name", daemon.name},
                                   {"address", daemon.address},
                                   {"metrics_address", daemon.metrics_address},
                                   {"log_file", daemon.log_file}});
  }
  return document.dump(2) + "\n";
}

absl::StatusOr<Endpoints> ParseEndpoints(absl::string_view text, const std::string& name) {
  const auto document = nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  const auto string_of = [](const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!document.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is not a JSON object; remove it, and start `kernelsmith up`"));
  }
  Endpoints endpoints;
  endpoints.server = string_of(document, "server");
  endpoints.memory = string_of(document, "memory");
  if (endpoints.server.empty()) return absl::InvalidArgumentError(absl::StrCat(name, " has no field 'server'"));
  if (const auto pid = document.find("supervisor_pid"); pid != document.end() && pid->is_number_integer()) {
    endpoints.supervisor_pid = pid->get<int>();
  }
  if (const auto daemons = document.find("daemons"); daemons != document.end() && daemons->is_array()) {
    for (const auto& daemon : *daemons) {
      if (!daemon.is_object()) continue;
      endpoints.daemons.push_back({.name = string_of(daemon, "name"),
                                   .address = string_of(daemon, "address"),
                                   .metrics_address = string_of(daemon, "metrics_address"),
                                   .log_file = string_of(daemon, "log_file")});
    }
  }
  return endpoints;
}

absl::StatusOr<Endpoints> ReadEndpoints(const std::string& data_folder) {
  const std::string path = EndpointsPath(data_folder);
  const absl::StatusOr<std::string> text = common::ReadFile(path);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat("no server is known: there is no ", path,
                                            "; start one with `kernelsmith up`, or name one with --server or "
                                            "KERNELSMITH_SERVER"));
  }
  if (text.status().code() == absl::StatusCode::kFailedPrecondition) {
    return absl::InvalidArgumentError(absl::StrCat(data_folder, " is no data folder: ", text.status().message()));
  }
  RETURN_IF_ERROR(text.status());
  return ParseEndpoints(*text, path);
}

}  // namespace kernelsmith::client
