#include "server/model/json_fields.h"

#include <limits>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

const nlohmann::json& Null() {
  static const nlohmann::json* const null = new nlohmann::json;
  return *null;
}

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(absl::string_view text, absl::string_view what) {
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& error) {
    // The library counts from 1 and reports the byte after the last one at the end of the text.
    return absl::InvalidArgumentError(absl::StrCat(what, " is not JSON: the error is at byte ",
                                                   error.byte > 0 ? error.byte - 1 : 0, " of ", text.size()));
  } catch (const nlohmann::json::exception&) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is not JSON: a number in it is out of range"));
  }
}

const nlohmann::json& Member(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return Null();
  const auto found = object.find(name);
  return found == object.end() ? Null() : *found;
}

const nlohmann::json& Element(const nlohmann::json& array, size_t index) {
  return array.is_array() && index < array.size() ? array[index] : Null();
}

std::string StringMember(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = Member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

int64_t CountMember(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = Member(object, name);
  if (!value.is_number_unsigned()) return 0;
  const uint64_t count = value.get<uint64_t>();
  return count > uint64_t{std::numeric_limits<int64_t>::max()} ? 0 : static_cast<int64_t>(count);
}

std::string JsonText(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kernelsmith::server
