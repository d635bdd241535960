#include "client/lib/json.h"

#include "google/protobuf/util/json_util.h"

namespace kernelsmith::client {

std::string ToJson(const google::protobuf::Message& message, JsonLayout layout) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  options.add_whitespace = layout == JsonLayout::kIndented;
  std::string text;
  // Fails only for unresolvable Any fields, which the contract does not have.
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  return status.ok() ? text : "{}";
}

}  // namespace kernelsmith::client
