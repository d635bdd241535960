#include "memory/embedding/embeddings_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kShown = 200;  // bytes

nlohmann::json Parse(absl::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

const nlohmann::json& Member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

absl::Status Unusable(absl::string_view what) { return absl::UnavailableError(absl::StrCat("the reply ", what)); }

// The numbers, scaled to length 1.
absl::StatusOr<Vector> VectorOf(const nlohmann::json& numbers, int dimensions) {
  if (!numbers.is_array()) return Unusable("has no \"embedding\" with numbers");
  if (numbers.size() != static_cast<size_t>(dimensions)) {
    return absl::FailedPreconditionError(absl::StrCat("the reply has vectors of ", numbers.size(),
                                                      " dimensions, the configuration says ", dimensions,
                                                      "; set embedder.dimensions to what the model returns"));
  }
  std::vector<double> exact;
  exact.reserve(numbers.size());
  double square = 0;
  for (const nlohmann::json& number : numbers) {
    if (!number.is_number()) return Unusable("has a number that is not finite, or no number");
    exact.push_back(number.get<double>());
    square += exact.back() * exact.back();
  }
  if (!std::isfinite(square)) return Unusable("has a number that is not finite");
  if (square == 0) return Unusable("has a vector that is all zero");
  const double length = std::sqrt(square);
  Vector out;
  out.reserve(exact.size());
  for (const double number : exact) out.push_back(static_cast<float>(number / length));
  return out;
}

}  // namespace

std::string EmbeddingsRequest(const std::string& model, absl::Span<const absl::string_view> texts) {
  nlohmann::json request = {{"model", model}, {"encoding_format", "float"}, {"input", nlohmann::json::array()}};
  for (const absl::string_view text : texts) request["input"].push_back(std::string(text));
  return request.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<std::vector<Vector>> ParseEmbeddings(absl::string_view body, size_t count, int dimensions) {
  const nlohmann::json reply = Parse(body);
  const nlohmann::json& data = Member(reply, "data");
  if (!data.is_array()) return Unusable("is no JSON object with \"data\"");
  if (data.size() != count) return Unusable(absl::StrCat("has ", data.size(), " vectors for ", count, " texts"));
  std::vector<Vector> out(count);
  for (size_t i = 0; i < count; ++i) {
    const nlohmann::json& index = Member(data[i], "index");
    const size_t place = index.is_number_unsigned() ? index.get<size_t>() : i;
    if (place >= count || !out[place].empty()) return Unusable(absl::StrCat("has the index ", place, " wrongly"));
    auto vector = VectorOf(Member(data[i], "embedding"), dimensions);
    if (!vector.ok()) return vector.status();
    out[place] = *std::move(vector);
  }
  return out;
}

std::string ErrorIn(absl::string_view body) {
  const nlohmann::json reply = Parse(body);
  const nlohmann::json& error = Member(reply, "error");
  for (const nlohmann::json* const message :
       {&Member(error, "message"), &Member(reply, "message"), &Member(reply, "detail"), &error}) {
    if (message->is_string()) return absl::CHexEscape(absl::string_view(message->get<std::string>()).substr(0, kShown));
  }
  return body.empty() ? "no explanation" : absl::CHexEscape(body.substr(0, kShown));
}

}  // namespace kernelsmith::memory
