#include "server/proposers/catalog/cpu/prelude.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::server {
namespace {

constexpr char kHalf[] = R"(
struct f16 {
  uint16_t bits;
};
inline real get(f16 h) {
#if defined(__F16C__)
  return _cvtsh_ss(h.bits);
#else
  const uint32_t sign = uint32_t(h.bits & 0x8000) << 16;
  const uint32_t rest = h.bits & 0x7fff;
  if (rest >= 0x7c00) return __builtin_bit_cast(real, sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest < 0x400) return __builtin_bit_cast(real, sign | 0x3f800000) * real(rest) * 0x1p-24f;
  return __builtin_bit_cast(real, sign | ((rest << 13) + 0x38000000));
#endif
}
inline void put(f16* p, real v) {
#if defined(__F16C__)
  p->bits = _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT);
#else
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  const uint32_t a = bits & 0x7fffffff;
  uint32_t h = 0;
  if (a > 0x7f800000) {
    h = 0x7e00;
  } else if (a >= 0x477ff000) {
    h = 0x7c00;  // rounds past the largest finite value
  } else if (a < 0x38800000) {
    h = uint32_t(std::nearbyint(__builtin_bit_cast(real, a) * 0x1p24f));
  } else {
    h = (a - 0x38000000 + 0xfff + ((a >> 13) & 1)) >> 13;
  }
  p->bits = uint16_t((bits >> 16 & 0x8000) | h);
#endif
}
)";

constexpr char kBfloat[] = R"(
struct bf16 {
  uint16_t bits;
};
inline real get(bf16 b) { return __builtin_bit_cast(real, uint32_t(b.bits) << 16); }
inline void put(bf16* p, real v) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  p->bits = uint16_t(v != v ? 0x7fc0 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
)";

constexpr char kScalarVector[] = R"(
// One lane: a vec is a real.
constexpr int kLanes = 1;
using vec = real;
using ivec = int32_t;
using mask = bool;
inline vec splat(real x) { return x; }
inline vec pick(mask m, vec a, vec b) { return m ? a : b; }
inline real to_real(ivec x) { return real(x); }
template <class T>
inline vec load(const T* p) {
  return get(*p);
}
template <class T>
inline void store(T* p, vec v) {
  put(p, v);
}
template <class T>
inline vec load_first(const T* p, int64_t n) {
  return n > 0 ? load(p) : vec(0);
}
template <class T>
inline void store_first(T* p, vec v, int64_t n) {
  if (n > 0) store(p, v);
}
inline vec first(vec v, int64_t n, real rest) { return n > 0 ? v : rest; }
inline real across_sum(vec v) { return v; }
inline real across_max(vec v) { return v; }
inline real across_min(vec v) { return v; }
template <class F>
inline vec each(vec v, F f) {
  return f(v);
}
template <class F>
inline vec each(vec a, vec b, F f) {
  return f(a, b);
}
)";

constexpr char kWideVector[] = R"(
// GCC vectors: the compiler maps them to the registers it has.
constexpr int kLanes = @LANES@;
typedef real vec __attribute__((vector_size(@BYTES@)));
typedef int32_t ivec __attribute__((vector_size(@BYTES@)));
using mask = ivec;
inline vec splat(real x) { return x - vec{}; }
inline vec pick(mask m, vec a, vec b) { return m ? a : b; }
inline vec to_real(ivec x) { return __builtin_convertvector(x, vec); }
inline vec load(const real* p) {
  vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(real* p, vec v) { std::memcpy(p, &v, sizeof v); }
// The first n lanes in memory; the others are 0.
template <class T>
inline vec load_first(const T* p, int64_t n) {
  T room[kLanes] = {};
  std::memcpy(room, p, sizeof(T) * size_t(n));
  return load(room);
}
template <class T>
inline void store_first(T* p, vec v, int64_t n) {
  T room[kLanes];
  store(room, v);
  std::memcpy(p, room, sizeof(T) * size_t(n));
}
// The first n lanes of v and `rest` in the others.
inline vec first(vec v, int64_t n, real rest) {
  for (int l = 0; l < kLanes; ++l) v[l] = l < n ? v[l] : rest;
  return v;
}
template <class F>
inline vec each(vec v, F f) {
  for (int l = 0; l < kLanes; ++l) v[l] = f(v[l]);
  return v;
}
template <class F>
inline vec each(vec a, vec b, F f) {
  for (int l = 0; l < kLanes; ++l) a[l] = f(a[l], b[l]);
  return a;
}
)";

constexpr char kAcross[] = R"(
inline real across_sum(vec v) {
  for (int w = kLanes / 2; w > 0; w /= 2) {
    for (int l = 0; l < w; ++l) v[l] += v[l + w];
  }
  return v[0];
}
inline real across_max(vec v) {
  real m = v[0];
  for (int l = 1; l < kLanes; ++l) m = (v[l] > m || v[l] != v[l]) ? v[l] : m;
  return m;
}
inline real across_min(vec v) {
  real m = v[0];
  for (int l = 1; l < kLanes; ++l) m = (v[l] < m || v[l] != v[l]) ? v[l] : m;
  return m;
}
)";

constexpr char kWideInteger[] = R"(
inline vec load(const int32_t* p) {
  ivec v;
  std::memcpy(&v, p, sizeof v);
  return to_real(v);
}
)";

constexpr char kWideBfloat[] = R"(
typedef uint16_t hvec __attribute__((vector_size(@BYTES@ / 2)));
typedef uint32_t uvec __attribute__((vector_size(@BYTES@)));
inline vec load(const bf16* p) {
  hvec h;
  std::memcpy(&h, p, sizeof h);
  return __builtin_bit_cast(vec, __builtin_convertvector(h, uvec) << 16);
}
inline void store(bf16* p, vec v) {
  const uvec bits = __builtin_bit_cast(uvec, v);
  const uvec rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uvec quiet = uvec{} + 0x7fc0;
  const hvec h = __builtin_convertvector(v != v ? quiet : rounded, hvec);
  std::memcpy(p, &h, sizeof h);
}
)";

constexpr char kWideHalf[] = R"(
inline vec load(const f16* p) {
#if defined(@HAVE@)
  return __builtin_bit_cast(vec, @LOAD@);
#else
  vec v;
  for (int l = 0; l < kLanes; ++l) v[l] = get(p[l]);
  return v;
#endif
}
inline void store(f16* p, vec v) {
#if defined(@HAVE@)
  @STORE@;
#else
  for (int l = 0; l < kLanes; ++l) put(p + l, v[l]);
#endif
}
)";

std::string HalfText(int lanes) {
  if (lanes == 16) {
    return absl::StrReplaceAll(
        kWideHalf,
        {{"@HAVE@", "__AVX512F__"},
         {"@LOAD@", "_mm512_maskz_cvtph_ps(__mmask16(-1), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))"},
         {"@STORE@",
          "_mm256_storeu_si256(reinterpret_cast<__m256i*>(p),\n                      "
          "_mm512_maskz_cvtps_ph(__mmask16(-1), __builtin_bit_cast(__m512, v), _MM_FROUND_TO_NEAREST_INT))"}});
  }
  if (lanes == 8) {
    return absl::StrReplaceAll(kWideHalf,
                               {{"@HAVE@", "__F16C__"},
                                {"@LOAD@", "_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))"},
                                {"@STORE@",
                                 "_mm_storeu_si128(reinterpret_cast<__m128i*>(p),\n                   "
                                 "_mm256_cvtps_ph(__builtin_bit_cast(__m256, v), _MM_FROUND_TO_NEAREST_INT))"}});
  }
  return absl::StrReplaceAll(kWideHalf,
                             {{"@HAVE@", "__F16C__"},
                              {"@LOAD@", "_mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))"},
                              {"@STORE@",
                               "_mm_storel_epi64(reinterpret_cast<__m128i*>(p),\n                   "
                               "_mm_cvtps_ph(__builtin_bit_cast(__m128, v), _MM_FROUND_TO_NEAREST_INT))"}});
}

constexpr char kParallel[] = R"(
// Runs range(begin, end) over [0, items) on up to `threads` threads, this one included, and joins them.
template <class Range>
void parallel(int64_t items, int64_t threads, const Range& range) {
  threads = std::max<int64_t>(1, std::min(threads, items));
@BODY@
  std::vector<std::thread> team;
  for (int64_t t = 1; t < threads; ++t) {
    try {
      team.emplace_back(share, t);
    } catch (const std::system_error&) {
      share(t);  // no thread to be had: do its part here
    }
  }
  share(0);
  for (std::thread& member : team) member.join();
}
)";

constexpr char kSerial[] = R"(
// Runs range(begin, end) over [0, items) on this thread.
template <class Range>
void parallel(int64_t items, int64_t, const Range& range) {
  range(0, items);
}
)";

constexpr char kStaticShare[] =
    R"(  const auto share = [&](int64_t t) { range(items * t / threads, items * (t + 1) / threads); };)";

constexpr char kDynamicShare[] = R"(  const int64_t step = std::max<int64_t>(1, items / (threads * 16));
  std::atomic<int64_t> next{0};
  const auto share = [&](int64_t) {
    for (int64_t begin = next.fetch_add(step); begin < items; begin = next.fetch_add(step)) {
      range(begin, std::min(items, begin + step));
    }
  };)";

constexpr char kCheck[] = R"(
// Elements of the dimensions [begin, end).
inline int64_t extent(const ks_tensor& t, int begin, int end) {
  int64_t n = 1;
  for (int d = begin; d < end; ++d) n *= t.shape[d];
  return n;
}
inline bool row_major(const ks_tensor& t) {
  int64_t step = 1;
  for (int d = t.rank - 1; d >= 0; --d) {
    if (t.shape[d] != 1 && t.strides[d] != step) return false;
    step *= t.shape[d];
  }
  return true;
}
// Whether `t`, aligned with `base` from the right, has the base's extent where `whole` is 1 and a single element elsewhere.
inline bool fits(const ks_tensor& t, int32_t dtype, const ks_tensor& base, std::initializer_list<int> whole) {
  if (t.dtype != dtype || t.rank > base.rank || int(whole.size()) != base.rank) return false;
  for (int d = 0; d < base.rank; ++d) {
    const int at = d - (base.rank - t.rank);
    if ((at < 0 ? 1 : t.shape[at]) != (whole.begin()[d] ? base.shape[d] : 1)) return false;
  }
  return true;
}
)";

constexpr char kDense[] = R"(
// A tensor's elements in row-major order: its own memory, or a copy if it lies otherwise.
template <class T>
struct Dense {
  explicit Dense(const ks_tensor& t) : tensor(t), data(static_cast<T*>(t.data)) {
    if (row_major(t)) return;
    room.resize(size_t(t.elements));
    data = room.data();
    walk([&](int64_t at, int64_t n) { room[size_t(n)] = static_cast<const T*>(tensor.data)[at]; });
  }
  // Writes a copy back.
  void scatter() {
    if (data == tensor.data) return;
    walk([&](int64_t at, int64_t n) { static_cast<T*>(tensor.data)[at] = room[size_t(n)]; });
  }
  template <class Visit>
  void walk(const Visit& visit) const {
    for (int64_t n = 0; n < tensor.elements; ++n) {
      int64_t at = 0;
      int64_t rest = n;
      for (int d = tensor.rank - 1; d >= 0; --d) {
        at += rest % tensor.shape[d] * tensor.strides[d];
        rest /= tensor.shape[d];
      }
      visit(at, n);
    }
  }
  const ks_tensor& tensor;
  T* data;
  std::vector<T> room;
};
)";

}  // namespace

std::string TypeName(v1::DType dtype) {
  switch (dtype) {
    case v1::FP16:
      return "f16";
    case v1::BF16:
      return "bf16";
    case v1::INT32:
      return "int32_t";
    default:
      return "float";
  }
}

std::string TypeConstant(v1::DType dtype) { return absl::StrCat("KS_", v1::DType_Name(dtype)); }

std::string HeadText(const Problem& problem, const std::string& schedule) {
  return absl::StrCat("// ", problem.summary, " (", FamilyName(problem.family),
                      "), written by the Kernelsmith catalog.\n// Schedule: ", schedule,
                      "\n#include <kernelsmith/kernel_abi.h>\n");
}

std::string IncludesText(const std::string& body) {
  // What a header is included for; only what is used, because headers are most of a candidate's compile time.
  const std::pair<const char*, std::vector<const char*>> headers[] = {
      {"algorithm", {"std::min", "std::max", "std::clamp", "std::fill"}},
      {"atomic", {"std::atomic"}},
      {"cmath",
       {"std::sqrt", "std::exp", "std::log", "std::tanh", "std::erf", "std::pow", "std::sin", "std::cos", "std::floor",
        "std::ceil", "std::nearbyint", "std::fmin"}},
      {"cstddef", {"size_t"}},
      {"cstdint", {"int64_t"}},
      {"cstring", {"std::memcpy"}},
      {"initializer_list", {"std::initializer_list"}},
      {"limits", {"std::numeric_limits"}},
      {"new", {"std::align_val_t"}},
      {"system_error", {"std::system_error"}},
      {"thread", {"std::thread"}},
      {"vector", {"std::vector"}},
  };
  std::string text = "\n";
  for (const auto& [header, uses] : headers) {
    const bool used =
        std::any_of(uses.begin(), uses.end(), [&](const char* use) { return body.find(use) != std::string::npos; });
    if (used) absl::StrAppend(&text, "#include <", header, ">\n");
  }
  if (body.find("_mm") != std::string::npos || body.find("_cvts") != std::string::npos) {
    absl::StrAppend(&text, "\n#if defined(__x86_64__)\n#include <immintrin.h>\n#endif\n");
  }
  return text + "\nnamespace {\n";
}

std::string ScalarText(const std::set<v1::DType>& types, bool integer) {
  std::string text =
      absl::StrCat("\nusing real = ", integer ? "int32_t" : "float", ";  // what is computed in\n",
                   "inline real get(real x) { return x; }\ninline void put(real* p, real v) { *p = v; }\n");
  if (!integer && types.contains(v1::INT32)) text += "inline real get(int32_t x) { return real(x); }\n";
  if (types.contains(v1::FP16)) text += kHalf;
  if (types.contains(v1::BF16)) text += kBfloat;
  return text;
}

std::string VectorText(const std::set<v1::DType>& types, int lanes, bool integer) {
  if (lanes == 1) return kScalarVector;
  std::string text = kWideVector;
  if (!integer) text += kAcross;
  if (!integer && types.contains(v1::INT32)) text += kWideInteger;
  if (types.contains(v1::BF16)) text += kWideBfloat;
  if (types.contains(v1::FP16)) text += HalfText(lanes);
  return absl::StrReplaceAll(text, {{"@LANES@", absl::StrCat(lanes)}, {"@BYTES@", absl::StrCat(4 * lanes)}});
}

std::string StreamText(int lanes) {
  const bool wide = lanes == 16;
  return absl::StrCat(
      "\n// A store that does not read the line into the caches first; needs an aligned address.\n"
      "template <class T>\ninline void stream(T* p, vec v) {\n#if defined(",
      wide ? "__AVX512F__" : "__AVX__",
      ")\n  if constexpr (sizeof(T) == sizeof(real)) {\n"
      "    if (reinterpret_cast<uintptr_t>(p) % sizeof(vec) == 0) {\n      ",
      wide ? "_mm512_stream_ps(reinterpret_cast<float*>(p), __builtin_bit_cast(__m512, v));\n"
           : "_mm256_stream_ps(reinterpret_cast<float*>(p), __builtin_bit_cast(__m256, v));\n",
      "      return;\n    }\n  }\n#endif\n  store(p, v);\n}\n"
      "inline void stream_fence() {\n#if defined(__SSE2__)\n  _mm_sfence();\n#endif\n}\n");
}

std::string ParallelText(bool threads, bool dynamic) {
  if (!threads) return kSerial;
  return absl::StrReplaceAll(kParallel, {{"@BODY@", dynamic ? kDynamicShare : kStaticShare}});
}

std::string CheckText() { return kCheck; }

std::string DenseText() { return kDense; }

}  // namespace kernelsmith::server
