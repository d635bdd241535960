// Reading JSON that somebody else wrote: a wrong type reads as absent, never as an exception.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::server {

// INVALID_ARGUMENT "<what> is not JSON: ... at byte N" (N from 0).
absl::StatusOr<nlohmann::json> ParseJson(absl::string_view text, absl::string_view what);

// The member, or null if `object` is no object or has none.
const nlohmann::json& Member(const nlohmann::json& object, const char* name);
// The element, or null.
const nlohmann::json& Element(const nlohmann::json& array, size_t index);

// Empty unless a string.
std::string StringMember(const nlohmann::json& object, const char* name);
// 0 unless a non-negative integer.
int64_t CountMember(const nlohmann::json& object, const char* name);

// Any value as text; bytes that are no UTF-8 become U+FFFD.
std::string JsonText(const nlohmann::ordered_json& value);

}  // namespace kernelsmith::server
