#include "server/proposers/catalog/cpu/vector_math.h"

#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

struct Function {
  std::string name;
  std::vector<std::string> calls;
  std::string text;
};

constexpr char kExp[] = R"(
// exp(x) = 2^n * exp(r), n = round(x / ln 2), |r| <= ln(2) / 2. Below about -87 the result is 0.
inline vec vexp(vec x) {
  x = pick(x < splat(-87.3f), splat(-87.3f), pick(x > splat(89.0f), splat(89.0f), x));
  const vec shifted = x * 1.44269504f + 12582912.0f;  // 1.5 * 2^23: the low bits now hold n
  const vec n = shifted - 12582912.0f;
  const vec r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  vec p = r * 0.00138144626f + 0.00836878083f;
  p = p * r + 0.0416683943f;
  p = p * r + 0.166665201f;
  p = p * r + 0.499999934f;
  p = p * (r * r) + r + 1.0f;
  const ivec half_scale = (__builtin_bit_cast(ivec, shifted) + 126) << 23;  // 2^(n-1)
  return (p + p) * __builtin_bit_cast(vec, half_scale);
}
)";

constexpr char kExpm1[] = R"(
// exp(x) - 1 without cancellation near 0; the reduction is that of exp.
inline vec vexpm1(vec x) {
  x = pick(x < splat(-87.3f), splat(-87.3f), pick(x > splat(89.0f), splat(89.0f), x));
  const vec shifted = x * 1.44269504f + 12582912.0f;
  const vec n = shifted - 12582912.0f;
  const vec r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  vec p = r * 0.00138144626f + 0.00836878083f;
  p = p * r + 0.0416683943f;
  p = p * r + 0.166665201f;
  p = p * r + 0.499999934f;
  const vec q = p * (r * r) + r;
  const vec half_scale = __builtin_bit_cast(vec, (__builtin_bit_cast(ivec, shifted) + 126) << 23);
  return 2.0f * (half_scale * q + (half_scale - 0.5f));
}
)";

constexpr char kLog[] = R"(
// log(x) = e * ln 2 + log(1 + f), x = 2^e * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)).
inline vec vlog(vec x) {
  const mask tiny = x < splat(1.17549435e-38f);
  const ivec bits = __builtin_bit_cast(ivec, pick(tiny, x * 8388608.0f, x));
  const ivec e = (bits - 0x3f3504f3) >> 23;
  const vec f = __builtin_bit_cast(vec, bits - (e << 23)) - 1.0f;
  const vec exponent = to_real(e) + pick(tiny, splat(-23.0f), splat(0.0f));
  vec p = f * 0.067465606f + -0.116756306f;
  p = p * f + 0.118881875f;
  p = p * f + -0.12405594f;
  p = p * f + 0.142195494f;
  p = p * f + -0.166679955f;
  p = p * f + 0.200021188f;
  p = p * f + -0.250000096f;
  p = p * f + 0.333333126f;
  const vec z = f * f;
  const vec low = p * f * z + exponent * -2.12194440e-4f - 0.5f * z;
  const vec y = (f + low) + exponent * 0.693359375f;
  const float infinity = __builtin_inff();
  const vec special = pick(x == splat(0.0f), splat(-infinity), pick(x < splat(0.0f), splat(__builtin_nanf("")), x));
  return pick((x > splat(0.0f)) & (x < splat(infinity)), y, special);
}
)";

constexpr char kLog1p[] = R"(
// log(1 + x); what the sum 1 + x rounds away is put back to first order.
inline vec vlog1p(vec x) {
  const vec u = 1.0f + x;
  const vec y = vlog(u);
  return pick((u <= splat(0.0f)) | (x > splat(1e8f)), y, y + (x - (u - 1.0f)) / u);
}
)";

constexpr char kTanh[] = R"(
// tanh(x): an odd polynomial below 0.625, 1 - 2 / (exp(2|x|) + 1) above.
inline vec vtanh(vec x) {
  const vec a = pick(x < splat(0.0f), -x, x);
  const vec z = x * x;
  vec p = z * -0.00570499381f + 0.0206390941f;
  p = p * z + -0.0537397175f;
  p = p * z + 0.133314422f;
  p = p * z + -0.333332819f;
  const vec small = p * z * x + x;
  const vec large = 1.0f - 2.0f / (vexp(a + a) + 1.0f);
  return pick(a < splat(0.625f), small, pick(x < splat(0.0f), -large, large));
}
)";

constexpr char kErf[] = R"(
// erf(x) = x * P(x^2) / Q(x^2) up to |x| = 3.92, where it rounds to 1.
inline vec verf(vec x) {
  const vec z = x * x;
  vec p = z * 2.0259817e-06f + 0.00028468328f;
  p = p * z + 0.0038078802f;
  p = p * z + 0.0528745708f;
  p = p * z + 0.191543481f;
  p = p * z + 1.12837914f;
  vec q = z * 3.78323406e-05f + 0.00117066138f;
  q = q * z + 0.0150545198f;
  q = q * z + 0.114556826f;
  q = q * z + 0.503083667f;
  q = q * z + 1.0f;
  return pick(x > splat(3.92f), splat(1.0f), pick(x < splat(-3.92f), splat(-1.0f), x * p / q));
}
)";

constexpr char kGelu[] = R"(
inline vec vgelu(vec x) { return (0.5f * x) * (1.0f + verf(x * 0.70710678f)); }
)";

constexpr char kGeluTanh[] = R"(
// 0.5 * (1 + tanh(u)) = 1 / (1 + exp(-2u)), u = sqrt(2 / pi) * (x + 0.044715 * x^3).
inline vec vgelu_tanh(vec x) {
  const vec u = 0.79788456f * x * (1.0f + 0.044715f * x * x);
  return x / (1.0f + vexp(-2.0f * u));
}
)";

constexpr char kMish[] = R"(
// tanh(log(1 + e)) = e * (e + 2) / (e * (e + 2) + 2), e = exp(x); from x = 20 the quotient rounds to 1.
inline vec vmish(vec x) {
  const vec e = vexp(pick(x > splat(20.0f), splat(20.0f), x));
  const vec n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}
)";

std::string SquareRootText(int lanes) {
  std::string intrinsic;
  if (lanes == 1) return "\ninline vec vsqrt(vec x) { return std::sqrt(x); }\n";
  if (lanes == 16) {
    intrinsic =
        "#if defined(__AVX512F__)\n  return __builtin_bit_cast(vec, _mm512_maskz_sqrt_ps(__mmask16(-1), "
        "__builtin_bit_cast(__m512, x)));\n";
  } else if (lanes == 8) {
    intrinsic =
        "#if defined(__AVX__)\n  return __builtin_bit_cast(vec, _mm256_sqrt_ps(__builtin_bit_cast(__m256, x)));\n";
  } else {
    intrinsic = "#if defined(__SSE__)\n  return __builtin_bit_cast(vec, _mm_sqrt_ps(__builtin_bit_cast(__m128, x)));\n";
  }
  return absl::StrCat("\ninline vec vsqrt(vec x) {\n", intrinsic,
                      "#else\n  for (int l = 0; l < kLanes; ++l) x[l] = std::sqrt(x[l]);\n  return x;\n#endif\n}\n");
}

}  // namespace

std::string VectorMathText(const std::set<std::string>& functions, int lanes) {
  const std::vector<Function> all = {
      {"vsqrt", {}, SquareRootText(lanes)},
      {"vexp", {}, kExp},
      {"vexpm1", {}, kExpm1},
      {"vlog", {}, kLog},
      {"vlog1p", {"vlog"}, kLog1p},
      {"vtanh", {"vexp"}, kTanh},
      {"verf", {}, kErf},
      {"vgelu", {"verf"}, kGelu},
      {"vgelu_tanh", {"vexp"}, kGeluTanh},
      {"vmish", {"vexp"}, kMish},
  };
  std::set<std::string> wanted;
  const std::function<void(const std::string&)> want = [&](const std::string& name) {
    wanted.insert(name);
    for (const Function& f : all) {
      if (f.name == name) {
        for (const std::string& callee : f.calls) want(callee);
      }
    }
  };
  for (const std::string& name : functions) want(name);
  std::string text;
  for (const Function& f : all) {
    if (wanted.contains(f.name)) text += f.text;
  }
  return text;
}

}  // namespace kernelsmith::server
