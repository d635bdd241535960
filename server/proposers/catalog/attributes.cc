#include "server/proposers/catalog/attributes.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace kernelsmith::server {
namespace {

std::optional<nlohmann::json> Find(const v1::OpNode& node, const std::string& name) {
  const auto found = node.attributes().find(name);
  if (found == node.attributes().end()) return std::nullopt;
  nlohmann::json value = nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) value = found->second;
  if (value.is_null()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> NumberAttribute(const v1::OpNode& node, const std::string& name) {
  const std::optional<nlohmann::json> value = Find(node, name);
  if (!value) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  if (value->is_string()) {
    const auto text = value->get<std::string>();
    if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

std::optional<bool> BoolAttribute(const v1::OpNode& node, const std::string& name) {
  const std::optional<nlohmann::json> value = Find(node, name);
  if (!value || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

std::optional<std::string> TextAttribute(const v1::OpNode& node, const std::string& name) {
  const std::optional<nlohmann::json> value = Find(node, name);
  if (!value || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::vector<int64_t>> IntegersAttribute(const v1::OpNode& node, const std::string& name) {
  const std::optional<nlohmann::json> value = Find(node, name);
  if (!value) return std::nullopt;
  if (value->is_number_integer()) return std::vector<int64_t>{value->get<int64_t>()};
  if (!value->is_array()) return std::nullopt;
  std::vector<int64_t> out;
  for (const nlohmann::json& element : *value) {
    if (!element.is_number_integer()) return std::nullopt;
    out.push_back(element.get<int64_t>());
  }
  return out;
}

}  // namespace kernelsmith::server
