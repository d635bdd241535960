#include "server/proposers/catalog/ascend/vector_functions.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

using Statements = std::vector<std::string>;

// x * P(z) / Q(z) with z = x^2, x cut to [-limit, limit]; the argument stands in $a. Coefficients from the highest
// power down. Leaves the quotient in $d.
Statements OddQuotient(const char* limit, const std::vector<const char*>& p, const std::vector<const char*>& q) {
  Statements s = {absl::StrCat("Mins($a, $a, ", limit, ", $n)"), absl::StrCat("Maxs($a, $a, -", limit, ", $n)"),
                  "Mul($b, $a, $a, $n)"};
  const auto polynomial = [&](const char* into, const std::vector<const char*>& c) {
    s.push_back(absl::StrCat("Muls(", into, ", $b, ", c[0], ", $n)"));
    for (size_t i = 1; i < c.size(); ++i) {
      s.push_back(absl::StrCat("Adds(", into, ", ", into, ", ", c[i], ", $n)"));
      if (i + 1 < c.size()) s.push_back(absl::StrCat("Mul(", into, ", ", into, ", $b, $n)"));
    }
  };
  polynomial("$d", p);
  s.push_back("Mul($d, $d, $a, $n)");
  polynomial("$a", q);
  s.push_back("Div($d, $d, $a, $n)");
  return s;
}

// tanh up to |x| = 9, where it rounds to 1: relative error 2e-8 before rounding (own fit, weighted least squares).
Statements Tanh() {
  return OddQuotient("9.0f", {"1.33533538e-08f", "2.06081641e-05f", "0.00349553348f", "0.133809801f", "0.99999998f"},
                     {"7.77603054e-07f", "0.000328554463f", "0.0258767756f", "0.467142957f", "1.0f"});
}

// erf up to |x| = 3.92; the same fit as in cpu/vector_math.cc.
Statements Erf() {
  return OddQuotient(
      "3.92f", {"2.0259817e-06f", "0.00028468328f", "0.0038078802f", "0.0528745708f", "0.191543481f", "1.12837914f"},
      {"3.78323406e-05f", "0.00117066138f", "0.0150545198f", "0.114556826f", "0.503083667f", "1.0f"});
}

Statements Joined(std::initializer_list<Statements> parts) {
  Statements all;
  for (const Statements& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// sin(r) * (-1)^k for r = x - (k + shift) * pi, where $b holds k and $c what is multiplied by pi. The constant pi is
// taken off in three parts. The polynomial has degree 9 on [-pi/2, pi/2], relative error 6e-9 (own fit).
Statements SineOfRest() {
  return {"Muls($a, $c, -3.140625f, $n)",
          "Add($d, $0, $a, $n)",
          "Muls($a, $c, -9.67502594e-04f, $n)",
          "Add($d, $d, $a, $n)",
          "Muls($a, $c, -1.50995799e-07f, $n)",
          "Add($d, $d, $a, $n)",
          "Muls($a, $b, 0.5f, $n)",
          "Cast($a, $a, RoundMode::CAST_FLOOR, $n)",
          "Muls($a, $a, -2.0f, $n)",
          "Add($b, $b, $a, $n)",
          "Muls($b, $b, -2.0f, $n)",
          "Adds($b, $b, 1.0f, $n)",
          "Mul($a, $d, $d, $n)",
          "Mul($b, $b, $d, $n)",
          "Muls($d, $a, 2.59996185e-06f, $n)",
          "Adds($d, $d, -0.000198065505f, $n)",
          "Mul($d, $d, $a, $n)",
          "Adds($d, $d, 0.00833301315f, $n)",
          "Mul($d, $d, $a, $n)",
          "Adds($d, $d, -0.166666562f, $n)",
          "Mul($d, $d, $a, $n)",
          "Adds($d, $d, 0.999999994f, $n)",
          "Mul($d, $d, $b, $n)"};
}

const std::vector<VectorFunction>& FloatFunctions() {
  static const auto* const functions = new std::vector<VectorFunction>{
      {"add", "tt", 0, {"Add($d, $0, $1, $n)"}},
      {"add", "ts", 0, {"Adds($d, $0, $1, $n)"}},
      {"add", "st", 0, {"Adds($d, $1, $0, $n)"}},
      {"sub", "tt", 0, {"Sub($d, $0, $1, $n)"}},
      {"sub", "ts", 0, {"Adds($d, $0, -($1), $n)"}},
      {"sub", "st", 0, {"Muls($d, $1, real(-1), $n)", "Adds($d, $d, $0, $n)"}},
      {"mul", "tt", 0, {"Mul($d, $0, $1, $n)"}},
      {"mul", "ts", 0, {"Muls($d, $0, $1, $n)"}},
      {"mul", "st", 0, {"Muls($d, $1, $0, $n)"}},
      {"div", "tt", 0, {"Div($d, $0, $1, $n)"}},
      {"div", "ts", 0, {"Muls($d, $0, real(1) / ($1), $n)"}},
      {"neg", "t", 0, {"Muls($d, $0, real(-1), $n)"}},
      {"abs", "t", 0, {"Abs($d, $0, $n)"}},
      {"square", "t", 0, {"Mul($d, $0, $0, $n)"}},
      {"relu", "t", 0, {"Relu($d, $0, $n)"}},
      {"maximum", "tt", 0, {"Max($d, $0, $1, $n)"}},
      {"maximum", "ts", 0, {"Maxs($d, $0, $1, $n)"}},
      {"minimum", "tt", 0, {"Min($d, $0, $1, $n)"}},
      {"minimum", "ts", 0, {"Mins($d, $0, $1, $n)"}},
      {"at_least", "tt", 0, {"Max($d, $0, $1, $n)"}},
      {"at_least", "ts", 0, {"Maxs($d, $0, $1, $n)"}},
      {"at_most", "tt", 0, {"Min($d, $0, $1, $n)"}},
      {"at_most", "ts", 0, {"Mins($d, $0, $1, $n)"}},
      // Every normal number times 3e38 is at least 1 or at most -1.
      {"sign", "t", 0, {"Muls($d, $0, 3e38f, $n)", "Mins($d, $d, 1.0f, $n)", "Maxs($d, $d, -1.0f, $n)"}},
      {"leaky_relu", "ts", 0, {"LeakyRelu($d, $0, $1, $n)"}},
      {"leaky_relu",
       "tt",
       1,
       {"Maxs($a, $0, 0.0f, $n)", "Mins($d, $0, 0.0f, $n)", "Mul($d, $d, $1, $n)", "Add($d, $d, $a, $n)"}},
      {"reciprocal", "t", 1, {"Duplicate($a, 1.0f, $n)", "Div($d, $a, $0, $n)"}},
      {"hard_sigmoid",
       "t",
       0,
       {"Adds($d, $0, 3.0f, $n)", "Maxs($d, $d, 0.0f, $n)", "Mins($d, $d, 6.0f, $n)",
        "Muls($d, $d, 0.166666667f, $n)"}},
      {"sqrt", "t", 0, {"Sqrt($d, $0, $n)"}},
      {"rsqrt", "t", 1, {"Sqrt($d, $0, $n)", "Duplicate($a, 1.0f, $n)", "Div($d, $a, $d, $n)"}},
      {"exp", "t", 0, {"Exp($d, $0, $n)"}},
      // tanh(x / 2) * (exp(x) + 1), which keeps small results exact.
      {"expm1", "t", 2,
       Joined(
           {{"Muls($a, $0, 0.5f, $n)"}, Tanh(), {"Exp($a, $0, $n)", "Adds($a, $a, 1.0f, $n)", "Mul($d, $d, $a, $n)"}})},
      {"log", "t", 0, {"Ln($d, $0, $n)"}},
      {"log1p", "t", 0, {"Adds($d, $0, 1.0f, $n)", "Ln($d, $d, $n)"}},
      {"tanh", "t", 2, Joined({{"Muls($a, $0, 1.0f, $n)"}, Tanh()})},
      {"sigmoid",
       "t",
       1,
       {"Muls($d, $0, -1.0f, $n)", "Exp($d, $d, $n)", "Adds($d, $d, 1.0f, $n)", "Duplicate($a, 1.0f, $n)",
        "Div($d, $a, $d, $n)"}},
      {"silu", "t", 1, {"Muls($a, $0, -1.0f, $n)", "Exp($a, $a, $n)", "Adds($a, $a, 1.0f, $n)", "Div($d, $0, $a, $n)"}},
      {"erf", "t", 2, Joined({{"Muls($a, $0, 1.0f, $n)"}, Erf()})},
      {"gelu", "t", 2,
       Joined({{"Muls($a, $0, 0.707106781f, $n)"},
               Erf(),
               {"Adds($d, $d, 1.0f, $n)", "Mul($d, $d, $0, $n)", "Muls($d, $d, 0.5f, $n)"}})},
      // x * sigmoid(2u), u = sqrt(2 / pi) * (x + 0.044715 x^3).
      {"gelu_tanh",
       "t",
       1,
       {"Mul($a, $0, $0, $n)", "Muls($a, $a, -0.0713548163f, $n)", "Adds($a, $a, -1.59576912f, $n)",
        "Mul($a, $a, $0, $n)", "Exp($a, $a, $n)", "Adds($a, $a, 1.0f, $n)", "Div($d, $0, $a, $n)"}},
      {"elu",
       "ts",
       1,
       {"Mins($a, $0, 0.0f, $n)", "Exp($a, $a, $n)", "Adds($a, $a, -1.0f, $n)", "Muls($a, $a, $1, $n)",
        "Maxs($d, $0, 0.0f, $n)", "Add($d, $d, $a, $n)"}},
      // max(x, 0) + log(1 + exp(-|x|)): beyond the threshold the second term is below half an ulp.
      {"softplus",
       "ts",
       1,
       {"Abs($a, $0, $n)", "Muls($a, $a, -1.0f, $n)", "Exp($a, $a, $n)", "Adds($a, $a, 1.0f, $n)", "Ln($a, $a, $n)",
        "Maxs($d, $0, 0.0f, $n)", "Add($d, $d, $a, $n)"}},
      // x * n / (n + 2), n = e * (e + 2), e = exp(x); from x = 20 the quotient rounds to 1.
      {"mish",
       "t",
       2,
       {"Mins($a, $0, 20.0f, $n)", "Exp($a, $a, $n)", "Adds($b, $a, 2.0f, $n)", "Mul($b, $b, $a, $n)",
        "Adds($a, $b, 2.0f, $n)", "Div($b, $b, $a, $n)", "Mul($d, $b, $0, $n)"}},
      // Of a positive base; see AscendTarget's check.
      {"pow", "ts", 1, {"Ln($a, $0, $n)", "Muls($a, $a, $1, $n)", "Exp($d, $a, $n)"}},
      {"sin", "t", 3,
       Joined({{"Muls($a, $0, 0.318309886f, $n)", "Cast($b, $a, RoundMode::CAST_RINT, $n)", "Muls($c, $b, 1.0f, $n)"},
               SineOfRest()})},
      {"cos", "t", 3,
       Joined({{"Muls($a, $0, 0.318309886f, $n)", "Adds($a, $a, 0.5f, $n)", "Cast($b, $a, RoundMode::CAST_RINT, $n)",
                "Adds($c, $b, -0.5f, $n)"},
               SineOfRest()})},
      {"floor", "t", 0, {"Cast($d, $0, RoundMode::CAST_FLOOR, $n)"}},
      {"ceil", "t", 0, {"Cast($d, $0, RoundMode::CAST_CEIL, $n)"}},
      {"round", "t", 0, {"Cast($d, $0, RoundMode::CAST_RINT, $n)"}},
  };
  return *functions;
}

// Those that differ for int32_t.
const std::vector<VectorFunction>& IntegerFunctions() {
  static const auto* const functions = new std::vector<VectorFunction>{
      {"abs", "t", 1, {"Muls($a, $0, real(-1), $n)", "Max($d, $0, $a, $n)"}},
      {"sign", "t", 0, {"Mins($d, $0, real(1), $n)", "Maxs($d, $d, real(-1), $n)"}},
  };
  return *functions;
}

const std::map<std::string, std::string>& ScalarTexts() {
  static const auto* const texts = new std::map<std::string, std::string>{
      {"maximum", "$1 > $0 ? $1 : $0"},
      {"minimum", "$1 < $0 ? $1 : $0"},
      {"hard_sigmoid", "($0 < -3.0f ? 0.0f : $0 > 3.0f ? 6.0f : $0 + 3.0f) * 0.166666667f"},
      {"sqrt", "ScalarSqrt($0)"},
      {"rsqrt", "1.0f / ScalarSqrt($0)"},
      {"exp", "ScalarExp($0)"},
      {"expm1", "ScalarTanh(0.5f * $0) * (ScalarExp($0) + 1.0f)"},
      {"log", "ScalarLn($0)"},
      {"log1p", "ScalarLn(1.0f + $0)"},
      {"tanh", "ScalarTanh($0)"},
      {"sigmoid", "1.0f / (1.0f + ScalarExp(-$0))"},
      {"silu", "$0 / (1.0f + ScalarExp(-$0))"},
      {"erf", "ScalarErf($0)"},
      {"gelu", "0.5f * $0 * (1.0f + ScalarErf($0 * 0.707106781f))"},
      {"gelu_tanh", "$0 / (1.0f + ScalarExp(-1.59576912f * $0 * (1.0f + 0.044715f * $0 * $0)))"},
      {"elu", "$0 > 0.0f ? $0 : $1 * (ScalarExp($0) - 1.0f)"},
      {"softplus", "$0 > $1 ? $0 : ScalarLn(1.0f + ScalarExp($0))"},
      {"mish", "$0 * ScalarTanh($0 > 20.0f ? $0 : ScalarLn(1.0f + ScalarExp($0)))"},
      {"pow", "ScalarExp($1 * ScalarLn($0))"},
      {"sin", "ScalarSin($0)"},
      {"cos", "ScalarSin($0 + 1.57079633f)"},
      {"floor", "ScalarFloor($0)"},
      {"ceil", "-ScalarFloor(-$0)"},
      {"round", "ScalarRound($0)"},
  };
  return *texts;
}

struct ScalarFunction {
  const char* name;
  std::vector<const char*> calls;
  const char* text;
};

// The scalar unit has no library; these are written out. Exponents are built from bits.
const std::vector<ScalarFunction>& ScalarFunctions() {
  static const auto* const functions = new std::vector<ScalarFunction>{
      {"ScalarExp", {}, R"(
// exp by x = k ln 2 + r and a polynomial in r.
__aicore__ inline float ScalarExp(float x) {
  if (x > 88.7f) return __builtin_inff();
  if (x < -87.3f) return 0.0f;
  const float scaled = x * 1.44269504f;
  const int32_t k = static_cast<int32_t>(scaled < 0.0f ? scaled - 0.5f : scaled + 0.5f);
  const float r = (x - static_cast<float>(k) * 0.693359375f) + static_cast<float>(k) * 2.12194440e-4f;
  float p = 0.00138888889f * r + 0.00833333333f;
  p = p * r + 0.0416666667f;
  p = p * r + 0.166666667f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  union {
    int32_t bits;
    float number;
  } scale;
  scale.bits = (k > 127 ? 254 : k + 127) << 23;
  return k > 127 ? p * scale.number * 2.0f : p * scale.number;
}
)"},
      {"ScalarLn", {}, R"(
// ln by x = 2^k m and an odd series in (m - 1) / (m + 1).
__aicore__ inline float ScalarLn(float x) {
  if (!(x > 0.0f)) return x == 0.0f ? -__builtin_inff() : __builtin_nanf("");
  if (x == __builtin_inff()) return x;
  union {
    float number;
    int32_t bits;
  } value;
  value.number = x;
  int32_t k = (value.bits >> 23) - 127;
  value.bits = (value.bits & 0x7fffff) | 0x3f800000;
  float m = value.number;
  if (m > 1.41421356f) {
    m = m * 0.5f;
    k = k + 1;
  }
  const float t = (m - 1.0f) / (m + 1.0f);
  const float z = t * t;
  float p = 0.111111111f * z + 0.142857143f;
  p = p * z + 0.2f;
  p = p * z + 0.333333333f;
  p = p * z + 1.0f;
  return 2.0f * t * p + static_cast<float>(k) * 0.693147181f;
}
)"},
      {"ScalarSqrt", {}, R"(
// Newton's iteration from a guess with half the exponent.
__aicore__ inline float ScalarSqrt(float x) {
  if (x < 0.0f) return __builtin_nanf("");
  if (x == 0.0f || x == __builtin_inff()) return x;
  union {
    float number;
    int32_t bits;
  } guess;
  guess.number = x;
  guess.bits = (guess.bits >> 1) + 0x1fbd1df5;
  float y = guess.number;
  y = 0.5f * (y + x / y);
  y = 0.5f * (y + x / y);
  return 0.5f * (y + x / y);
}
)"},
      {"ScalarTanh", {}, R"(
__aicore__ inline float ScalarTanh(float x) {
  x = x > 9.0f ? 9.0f : x < -9.0f ? -9.0f : x;
  const float z = x * x;
  float p = 1.33533538e-08f * z + 2.06081641e-05f;
  p = p * z + 0.00349553348f;
  p = p * z + 0.133809801f;
  p = p * z + 0.99999998f;
  float q = 7.77603054e-07f * z + 0.000328554463f;
  q = q * z + 0.0258767756f;
  q = q * z + 0.467142957f;
  q = q * z + 1.0f;
  return x * p / q;
}
)"},
      {"ScalarErf", {}, R"(
__aicore__ inline float ScalarErf(float x) {
  x = x > 3.92f ? 3.92f : x < -3.92f ? -3.92f : x;
  const float z = x * x;
  float p = 2.0259817e-06f * z + 0.00028468328f;
  p = p * z + 0.0038078802f;
  p = p * z + 0.0528745708f;
  p = p * z + 0.191543481f;
  p = p * z + 1.12837914f;
  float q = 3.78323406e-05f * z + 0.00117066138f;
  q = q * z + 0.0150545198f;
  q = q * z + 0.114556826f;
  q = q * z + 0.503083667f;
  q = q * z + 1.0f;
  return x * p / q;
}
)"},
      {"ScalarRound", {}, R"(
// To the nearest integer, halves to even: adding 1.5 * 2^23 leaves no bits for a fraction.
__aicore__ inline float ScalarRound(float x) {
  if (x > 4194304.0f || x < -4194304.0f) return x;
  volatile float shifted = x + 12582912.0f;
  return shifted - 12582912.0f;
}
)"},
      {"ScalarFloor", {"ScalarRound"}, R"(
__aicore__ inline float ScalarFloor(float x) {
  const float rounded = ScalarRound(x);
  return rounded > x ? rounded - 1.0f : rounded;
}
)"},
      {"ScalarSin", {"ScalarRound", "ScalarFloor"}, R"(
__aicore__ inline float ScalarSin(float x) {
  const float k = ScalarRound(x * 0.318309886f);
  float r = x - k * 3.140625f;
  r = r - k * 9.67502594e-04f;
  r = r - k * 1.50995799e-07f;
  const float z = r * r;
  float p = 2.59996185e-06f * z - 0.000198065505f;
  p = p * z + 0.00833301315f;
  p = p * z - 0.166666562f;
  p = p * z + 0.999999994f;
  const float odd = k - 2.0f * ScalarFloor(0.5f * k);
  return (1.0f - 2.0f * odd) * r * p;
}
)"},
  };
  return *functions;
}

}  // namespace

const VectorFunction* FindVectorFunction(const std::string& name, const std::string& form, bool integer) {
  const auto find = [&](const std::vector<VectorFunction>& functions) -> const VectorFunction* {
    for (const VectorFunction& f : functions) {
      if (f.name == name && f.form == form) return &f;
    }
    return nullptr;
  };
  const VectorFunction* found = integer ? find(IntegerFunctions()) : nullptr;
  return found != nullptr ? found : find(FloatFunctions());
}

std::string ScalarDeviceText(const Value& value, const std::vector<std::string>& args) {
  const auto own = ScalarTexts().find(value.function);
  return Substitute(own != ScalarTexts().end() ? own->second : FindMapFunction(value.function)->scalar, args);
}

std::string ScalarFunctionsText(const Program& program) {
  std::set<std::string> wanted;
  for (const Value& v : program.values) {
    if (v.kind != ValueKind::kMap) continue;
    const std::string text = ScalarDeviceText(v, std::vector<std::string>(3, "x"));
    for (const ScalarFunction& f : ScalarFunctions()) {
      if (text.find(absl::StrCat(f.name, "(")) == std::string::npos) continue;
      wanted.insert(f.name);
      wanted.insert(f.calls.begin(), f.calls.end());
    }
  }
  std::string text;
  for (const ScalarFunction& f : ScalarFunctions()) {
    if (wanted.contains(f.name)) text += f.text;
  }
  return text;
}

}  // namespace kernelsmith::server
