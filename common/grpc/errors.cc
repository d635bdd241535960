#include "common/grpc/errors.h"

namespace kernelsmith::common {

google::rpc::Status ToMessage(const absl::Status& status) {
  google::rpc::Status details;
  details.set_code(static_cast<int32_t>(status.code()));
  details.set_message(std::string(status.message()));
  status.ForEachPayload([&details](absl::string_view url, const absl::Cord& payload) {
    auto* any = details.add_details();
    any->set_type_url(std::string(url));
    any->set_value(std::string(payload));
  });
  return details;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status details = ToMessage(status);
  const auto code = static_cast<grpc::StatusCode>(status.code());  // both number the canonical codes alike
  if (details.details().empty()) return grpc::Status(code, details.message());
  return grpc::Status(code, details.message(), details.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& any : details.details()) result.SetPayload(any.type_url(), absl::Cord(any.value()));
  }
  return result;
}

}  // namespace kernelsmith::common
