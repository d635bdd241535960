#include "client/cli/session.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/lib/json.h"
#include "common/status.h"
#include "kernelsmith/client/endpoints.h"

namespace kernelsmith::client {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::string> FindAddress(const std::string& option, const char* variable, const std::string& data_folder,
                                        std::string Endpoints::*field) {
  if (!option.empty()) return option;
  if (std::string value = Environment(variable); !value.empty()) return value;
  absl::StatusOr<Endpoints> endpoints = ReadEndpoints(data_folder);
  if (absl::IsNotFound(endpoints.status())) return absl::UnavailableError(endpoints.status().message());
  RETURN_IF_ERROR(endpoints.status());
  return std::move((*endpoints).*field);
}

}  // namespace

std::string Session::DataFolder() const {
  if (!data_folder.empty()) return data_folder;
  if (std::string value = Environment("KERNELSMITH_DATA"); !value.empty()) return value;
  return DefaultDataFolder();
}

absl::StatusOr<std::string> Session::ServerAddress() const {
  return FindAddress(server, "KERNELSMITH_SERVER", DataFolder(), &Endpoints::server);
}

absl::StatusOr<std::string> Session::MemoryAddress() const {
  return FindAddress(memory, "KERNELSMITH_MEMORY", DataFolder(), &Endpoints::memory);
}

ConnectOptions Session::Options(std::string address) const {
  return {.address = std::move(address),
          .token = Environment("KERNELSMITH_TOKEN"),
          .token_file = token_file,
          .tls_ca_file = tls_ca_file,
          .retry_for = absl::Seconds(patience_s)};
}

absl::StatusOr<Client> Session::ConnectServer() const {
  ASSIGN_OR_RETURN(std::string address, ServerAddress());
  return Client::Connect(Options(std::move(address)));
}

absl::StatusOr<MemoryClient> Session::ConnectMemory() const {
  ASSIGN_OR_RETURN(std::string address, MemoryAddress());
  return MemoryClient::Connect(Options(std::move(address)));
}

void Session::PrintJson(const google::protobuf::Message& message) const {
  out() << ToJson(message, JsonLayout::kIndented) << std::flush;
}

void Session::PrintJsonLine(const std::string& name, const google::protobuf::Message& message) const {
  out() << "{\"" << name << "\":" << ToJson(message, JsonLayout::kOneLine) << "}" << std::endl;
}

int Session::Fail(const absl::Status& status) const {
  if (json) {
    const nlohmann::ordered_json document = {
        {"error", {{"code", absl::StatusCodeToString(status.code())}, {"message", std::string(status.message())}}}};
    err() << document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
  } else {
    err() << "kernelsmith: " << status.message() << std::endl;
  }
  return ExitCodeOf(status);
}

}  // namespace kernelsmith::client
