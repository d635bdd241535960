#include "server/proposers/catalog/operators.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace kernelsmith::server {
namespace {

constexpr bool kIntegerToo = true;
constexpr bool kFloatOnly = false;
constexpr bool kCheap = false;
constexpr bool kCostly = true;

const std::vector<MapFunction>& Functions() {
  static const auto* const functions = new std::vector<MapFunction>{
      // name, arity, scalar, vector, needs, integer, costly
      {"add", 2, "$0 + $1", "$0 + $1", {}, kIntegerToo, kCheap},
      {"sub", 2, "$0 - $1", "$0 - $1", {}, kIntegerToo, kCheap},
      {"mul", 2, "$0 * $1", "$0 * $1", {}, kIntegerToo, kCheap},
      {"div", 2, "$0 / $1", "$0 / $1", {}, kFloatOnly, kCheap},
      {"neg", 1, "-$0", "-$0", {}, kIntegerToo, kCheap},
      {"abs", 1, "$0 < real(0) ? -$0 : $0", "pick($0 < splat(0), -$0, $0)", {}, kIntegerToo, kCheap},
      {"square", 1, "$0 * $0", "$0 * $0", {}, kIntegerToo, kCheap},
      {"relu", 1, "$0 < real(0) ? real(0) : $0", "pick($0 < splat(0), splat(0), $0)", {}, kIntegerToo, kCheap},
      {"maximum",
       2,
       "($1 > $0 || $1 != $1) ? $1 : $0",
       "pick(($1 > $0) | ($1 != $1), $1, $0)",
       {},
       kIntegerToo,
       kCheap},
      {"minimum",
       2,
       "($1 < $0 || $1 != $1) ? $1 : $0",
       "pick(($1 < $0) | ($1 != $1), $1, $0)",
       {},
       kIntegerToo,
       kCheap},
      {"at_least", 2, "$0 < $1 ? $1 : $0", "pick($0 < $1, $1, $0)", {}, kIntegerToo, kCheap},
      {"at_most", 2, "$0 > $1 ? $1 : $0", "pick($0 > $1, $1, $0)", {}, kIntegerToo, kCheap},
      {"sign",
       1,
       "real($0 > real(0)) - real($0 < real(0))",
       "pick($0 > splat(0), splat(1), pick($0 < splat(0), splat(-1), splat(0)))",
       {},
       kIntegerToo,
       kCheap},
      {"leaky_relu", 2, "$0 > real(0) ? $0 : $0 * $1", "pick($0 > splat(0), $0, $0 * $1)", {}, kFloatOnly, kCheap},
      {"reciprocal", 1, "real(1) / $0", "splat(1) / $0", {}, kFloatOnly, kCheap},
      {"hard_sigmoid",
       1,
       "std::fmin(std::fmax($0 + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f)",
       "pick($0 > splat(3), splat(1), pick($0 < splat(-3), splat(0), ($0 + splat(3)) * splat(1.0f / 6.0f)))",
       {},
       kFloatOnly,
       kCheap},
      {"sqrt", 1, "std::sqrt($0)", "vsqrt($0)", {"vsqrt"}, kFloatOnly, kCheap},
      {"rsqrt", 1, "1.0f / std::sqrt($0)", "splat(1) / vsqrt($0)", {"vsqrt"}, kFloatOnly, kCheap},
      {"exp", 1, "std::exp($0)", "vexp($0)", {"vexp"}, kFloatOnly, kCostly},
      {"expm1", 1, "std::expm1($0)", "vexpm1($0)", {"vexpm1"}, kFloatOnly, kCostly},
      {"log", 1, "std::log($0)", "vlog($0)", {"vlog"}, kFloatOnly, kCostly},
      {"log1p", 1, "std::log1p($0)", "vlog1p($0)", {"vlog1p"}, kFloatOnly, kCostly},
      {"tanh", 1, "std::tanh($0)", "vtanh($0)", {"vtanh"}, kFloatOnly, kCostly},
      {"sigmoid",
       1,
       "1.0f / (1.0f + std::exp(-$0))",
       "splat(1) / (splat(1) + vexp(-$0))",
       {"vexp"},
       kFloatOnly,
       kCostly},
      {"silu", 1, "$0 / (1.0f + std::exp(-$0))", "$0 / (splat(1) + vexp(-$0))", {"vexp"}, kFloatOnly, kCostly},
      {"erf", 1, "std::erf($0)", "verf($0)", {"verf"}, kFloatOnly, kCostly},
      {"gelu", 1, "0.5f * $0 * (1.0f + std::erf($0 * 0.70710678f))", "vgelu($0)", {"vgelu"}, kFloatOnly, kCostly},
      {"gelu_tanh",
       1,
       "0.5f * $0 * (1.0f + std::tanh(0.79788456f * ($0 + 0.044715f * $0 * $0 * $0)))",
       "vgelu_tanh($0)",
       {"vgelu_tanh"},
       kFloatOnly,
       kCostly},
      {"elu",
       2,
       "$0 > 0.0f ? $0 : $1 * std::expm1($0)",
       "pick($0 > splat(0), $0, $1 * vexpm1($0))",
       {"vexpm1"},
       kFloatOnly,
       kCostly},
      {"softplus",
       2,
       "$0 > $1 ? $0 : std::log1p(std::exp($0))",
       "pick($0 > $1, $0, vlog1p(vexp($0)))",
       {"vexp", "vlog1p"},
       kFloatOnly,
       kCostly},
      {"mish",
       1,
       "$0 * std::tanh($0 > 20.0f ? $0 : std::log1p(std::exp($0)))",
       "vmish($0)",
       {"vmish"},
       kFloatOnly,
       kCostly},
      {"pow", 2, "std::pow($0, $1)", "", {}, kFloatOnly, kCostly},
      {"sin", 1, "std::sin($0)", "", {}, kFloatOnly, kCostly},
      {"cos", 1, "std::cos($0)", "", {}, kFloatOnly, kCostly},
      {"floor", 1, "std::floor($0)", "", {}, kFloatOnly, kCheap},
      {"ceil", 1, "std::ceil($0)", "", {}, kFloatOnly, kCheap},
      {"round", 1, "std::nearbyint($0)", "", {}, kFloatOnly, kCheap},
  };
  return *functions;
}

}  // namespace

const MapFunction* FindMapFunction(const std::string& name) {
  static const auto* const index = [] {
    auto* by_name = new std::map<std::string, const MapFunction*>;
    for (const MapFunction& f : Functions()) (*by_name)[f.name] = &f;
    return by_name;
  }();
  const auto found = index->find(name);
  return found == index->end() ? nullptr : found->second;
}

std::string Substitute(const std::string& text, const std::vector<std::string>& args) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size()) {
      out += args[static_cast<size_t>(text[++i] - '0')];
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string RealLiteral(double number, bool integer) {
  std::array<char, 64> buffer{};
  if (integer) {
    std::snprintf(buffer.data(), buffer.size(), "%.0f", number);
    return buffer.data();
  }
  if (std::isnan(number)) return "std::numeric_limits<real>::quiet_NaN()";
  if (std::isinf(number)) {
    return number > 0 ? "std::numeric_limits<real>::infinity()" : "-std::numeric_limits<real>::infinity()";
  }
  std::snprintf(buffer.data(), buffer.size(), "%.9g", number);
  std::string text = buffer.data();
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

}  // namespace kernelsmith::server
