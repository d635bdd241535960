#include "client/cli/memory/enum_option.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

std::string NameOf(const google::protobuf::EnumValueDescriptor& value) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(value.name()), {{"_", "-"}});
}

}  // namespace

absl::StatusOr<int> ParseEnum(const google::protobuf::EnumDescriptor& type, absl::string_view value,
                              absl::string_view option) {
  const std::string wanted = absl::StrReplaceAll(absl::AsciiStrToLower(value), {{"_", "-"}});
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0 && NameOf(*type.value(i)) == wanted) return type.value(i)->number();
  }
  return common::InvalidField(option, absl::StrCat("'", value, "' is unknown; known are ", EnumValues(type)));
}

std::string EnumValues(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) names.push_back(NameOf(*type.value(i)));
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace kernelsmith::client
