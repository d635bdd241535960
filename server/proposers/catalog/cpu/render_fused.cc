#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/cpu/prelude.h"
#include "server/proposers/catalog/cpu/renderers.h"
#include "server/proposers/catalog/cpu/value_text.h"
#include "server/proposers/catalog/cpu/vector_math.h"
#include "server/proposers/catalog/operators.h"
#include "server/proposers/catalog/pass_plan.h"

namespace kernelsmith::server {
namespace {

std::string Get(const Parameters& schedule, const std::string& key) {
  const auto found = schedule.find(key);
  return found == schedule.end() ? "" : found->second;
}

int GetInt(const Parameters& schedule, const std::string& key) {
  int value = 0;
  return absl::SimpleAtoi(Get(schedule, key), &value) ? value : 0;
}

// How the elements of one step of the innermost loop are addressed.
enum class Part { kWholeVectors, kTail };

class FusedWriter {
 public:
  FusedWriter(const Program& program, const Parameters& schedule, Text* text)
      : program_(program),
        text_(*text),
        lanes_(std::max(1, GetInt(schedule, "lanes"))),
        unroll_(std::max(1, GetInt(schedule, "unroll"))),
        prefetch_(GetInt(schedule, "prefetch")),
        block_(GetInt(schedule, "block")),
        polynomial_(Get(schedule, "math") == "polynomial"),
        stream_(Get(schedule, "store") == "stream"),
        threads_(Get(schedule, "threads") == "all"),
        dynamic_(Get(schedule, "split") == "dynamic"),
        inner_(program.has_inner()),
        plan_(PlanPasses(program, Get(schedule, "keep") == "buffer")) {}

  void Write() {
    text_.Raw(VectorText(TypesOf(program_), lanes_, program_.integer));
    text_.Raw(VectorMathText(VectorFunctionsOf(program_, polynomial_), lanes_));
    if (stream_) text_.Raw(StreamText(lanes_));
    text_.Raw(ParallelText(threads_, dynamic_));
    if (!plan_.kept.empty()) WriteRoom();
    text_.Raw("\n");
    text_.Line("constexpr int kUnroll = ", unroll_, ";  // vectors a step");
    if (inner_) {
      WriteTakeAndGive();
      WriteTile();
      WriteInnerWork();
    } else {
      if (!program_.HasReductions())
        text_.Line("constexpr int64_t kBlock = ", block_, ";  // elements an item of work");
      WriteRow();
      WriteRowWork();
    }
  }

 private:
  void WriteRoom() {
    text_.Raw(
        "\n// Aligned room for values that a later pass reads again.\nstruct Room {\n"
        "  explicit Room(int64_t n) : data(static_cast<real*>(::operator new(size_t(n) * sizeof(real), kAlign))) {}\n"
        "  ~Room() { ::operator delete(data, kAlign); }\n  Room(const Room&) = delete;\n"
        "  Room& operator=(const Room&) = delete;\n  static constexpr std::align_val_t kAlign{64};\n  real* "
        "data;\n};\n");
  }

  void WriteTakeAndGive() {
    text_.Raw(
        "\ntemplate <bool kWhole, class T>\ninline vec take(const T* p, int64_t n) {\n"
        "  if constexpr (kWhole) return load(p);\n  return load_first(p, std::clamp<int64_t>(n, 0, kLanes));\n}\n"
        "template <bool kWhole, class T>\ninline void give(T* p, vec v, int64_t n) {\n  if constexpr (kWhole) {\n");
    text_.Raw(absl::StrCat("    ", stream_ ? "stream" : "store", "(p, v);\n  } else {\n",
                           "    store_first(p, v, std::clamp<int64_t>(n, 0, kLanes));\n  }\n}\n"));
  }

  // Spelling of a value as an argument of a vector function, and of one that exists once a row.
  std::string VectorRef(int v) const {
    const Value& value = program_.values[v];
    if (value.kind == ValueKind::kConstant) return absl::StrCat("splat(", Literal(value), ")");
    if (value.over.reduced) return absl::StrCat("v", v);
    if (inner_) return absl::StrCat("r", v, "[u]");
    return absl::StrCat("s", v);
  }
  std::string RowRef(int v) const {
    const Value& value = program_.values[v];
    if (inner_) return VectorRef(v);
    return value.kind == ValueKind::kConstant ? absl::StrCat("real(", Literal(value), ")") : absl::StrCat("r", v);
  }
  std::string Literal(const Value& value) const { return RealLiteral(value.number, program_.integer); }

  // ---- Pointers ----

  void WritePointers() {
    for (size_t v = 0; v < program_.values.size(); ++v) {
      const Value& value = program_.values[v];
      if (value.kind != ValueKind::kLoad) continue;
      std::string size = value.over.reduced ? "a.reduced" : "";
      if (value.over.inner) absl::StrAppend(&size, size.empty() ? "" : " * ", "a.inner");
      std::string at;
      if (value.over.outer) {
        at = absl::StrCat(" + ", OuterIndexText(program_, value, "o"), size.empty() ? "" : absl::StrCat(" * ", size));
      }
      if (value.over.inner) absl::StrAppend(&at, " + i");
      const v1::DType dtype = InputType(value.input);
      text_.Line("const ", TypeName(dtype), "* x", v, " = a.in", value.input, at, ";");
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const Footprint& over = program_.values[program_.outputs[i].value].over;
      std::string size = over.reduced ? "a.reduced" : "";
      if (over.inner) absl::StrAppend(&size, size.empty() ? "" : " * ", "a.inner");
      text_.Line(TypeName(program_.outputs[i].dtype), "* y", i, " = a.out", i, " + o", size.empty() ? "" : " * ", size,
                 over.inner ? " + i" : "", ";");
    }
    for (size_t k = 0; k < plan_.kept.size(); ++k) {
      text_.Line("real* kept", plan_.kept[k], " = room + ", k, " * ",
                 inner_ ? "a.reduced * kUnroll * kLanes" : "padded(a.reduced)", ";");
    }
  }

  v1::DType InputType(int input) const {
    for (const InputLayout& layout : program_.inputs) {
      if (layout.input == input) return layout.dtype;
    }
    return v1::FP32;
  }

  // ---- Values once a row ----

  void WriteRowValues(const std::vector<int>& values) {
    for (int v : values) {
      const Value& value = program_.values[v];
      std::vector<std::string> args;
      for (int arg : value.args) args.push_back(value.kind == ValueKind::kFirst ? "" : RowRef(arg));
      std::string scalar;
      std::string vector;
      switch (value.kind) {
        case ValueKind::kLoad:
          scalar = absl::StrCat("get(x", v, "[0])");
          vector = value.over.inner ? absl::StrCat("take<kWhole>(x", v, " + u * kLanes, n - u * kLanes)")
                                    : absl::StrCat("splat(", scalar, ")");
          break;
        case ValueKind::kCount:
          scalar = "real(a.reduced)";
          vector = "splat(real(a.reduced))";
          break;
        case ValueKind::kFirst:
          scalar = absl::StrCat("get(x", value.args[0], "[0])");
          vector = absl::StrCat("take<kWhole>(x", value.args[0], " + u * kLanes, n - u * kLanes)");
          break;
        default:
          scalar = ScalarMapText(value, args);
          vector = VectorMapText(value, args, polynomial_);
      }
      if (inner_) {
        text_.Line("vec r", v, "[kUnroll];");
        text_.Line("for (int u = 0; u < kUnroll; ++u) r", v, "[u] = ", vector, ";");
      } else {
        text_.Line("const real r", v, " = ", scalar, ";");
      }
    }
  }

  // ---- One pass ----

  std::string Accumulator(int v) const { return absl::StrCat(inner_ ? "r" : "acc", v); }

  std::string Identity(const Value& value) const {
    if (value.function == kMax) return "-std::numeric_limits<real>::infinity()";
    if (value.function == kMin) return "std::numeric_limits<real>::infinity()";
    if (value.function == kOnlineMax) return "std::numeric_limits<real>::lowest()";
    return "0";
  }

  // The sum that belongs to an online maximum.
  int OnlineSumOf(int max) const {
    for (size_t v = 0; v < program_.values.size(); ++v) {
      const Value& value = program_.values[v];
      if (value.kind == ValueKind::kReduce && value.function == kOnlineSum && value.args == program_.values[max].args) {
        return static_cast<int>(v);
      }
    }
    return max;
  }

  // A not-a-number reaches the result through the differences to the maximum, so the comparison may drop it.
  bool MaximumIsSubtracted(int v) const {
    return std::any_of(program_.values.begin(), program_.values.end(), [&](const Value& value) {
      return value.function == "sub" && value.args.size() == 2 && value.args[0] == program_.values[v].args[0] &&
             value.args[1] == v;
    });
  }

  // Whether `x` replaces `acc` as the extreme.
  std::string Extreme(int v, const std::string& x, const std::string& acc) const {
    const char* order = program_.values[v].function == kMax ? " > " : " < ";
    if (program_.values[v].function == kMax && MaximumIsSubtracted(v)) return absl::StrCat(x, order, acc);
    return absl::StrCat("(", x, order, acc, ") | (", x, " != ", x, ")");
  }

  std::string Exponential(const std::string& argument) const {
    Value value;
    value.function = "exp";
    return VectorMapText(value, {argument}, polynomial_);
  }

  void WriteAccumulation(int v, Part part, const std::string& u) {
    const Value& value = program_.values[v];
    const std::string acc = absl::StrCat(Accumulator(v), "[", u, "]");
    std::string x = VectorRef(value.args[0]);
    if (part == Part::kTail && lanes_ > 1) x = absl::StrCat("first(", x, ", n, ", Identity(value), ")");
    if (value.function == kSum) {
      text_.Line(acc, " += ", x, ";");
    } else if (value.function == kMax || value.function == kMin) {
      const std::string e = absl::StrCat("e", v);
      text_.Line("const vec ", e, " = ", x, ";");
      text_.Line(acc, " = pick(", Extreme(v, e, acc), ", ", e, ", ", acc, ");");
    } else if (value.function == kOnlineMax) {
      const std::string sum = absl::StrCat(Accumulator(OnlineSumOf(v)), "[", u, "]");
      text_.Line("const vec e", v, " = ", x, ";");
      text_.Line("const vec m", v, " = pick(e", v, " > ", acc, ", e", v, ", ", acc, ");");
      text_.Line(sum, " = ", sum, " * ", Exponential(absl::StrCat(acc, " - m", v)), " + ",
                 Exponential(absl::StrCat("e", v, " - m", v)), ";");
      text_.Line(acc, " = m", v, ";");
    }
  }

  std::string LoadText(int v, Part part) const {
    const Value& value = program_.values[v];
    if (inner_) {
      if (!value.over.inner) return absl::StrCat("splat(get(x", v, "[k]))");
      return absl::StrCat("take<kWhole>(x", v, " + k * a.inner + u * kLanes, n - u * kLanes)");
    }
    if (part == Part::kTail && lanes_ > 1) return absl::StrCat("load_first(x", v, " + k, n)");
    return absl::StrCat("load(x", v, " + k)");
  }

  std::string KeptPointer(int v) const {
    return inner_ ? absl::StrCat("kept", v, " + (k * kUnroll + u) * kLanes") : absl::StrCat("kept", v, " + k");
  }

  void WriteBody(const Pass& pass, Part part, const std::string& u) {
    for (int v : pass.values) {
      const Value& value = program_.values[v];
      if (std::count(pass.reads.begin(), pass.reads.end(), v) > 0) {
        text_.Line("const vec v", v, " = load(", KeptPointer(v), ");");
      } else if (value.kind == ValueKind::kLoad) {
        text_.Line("const vec v", v, " = ", LoadText(v, part), ";");
      } else {
        std::vector<std::string> args;
        for (int arg : value.args) args.push_back(VectorRef(arg));
        text_.Line("const vec v", v, " = ", VectorMapText(value, args, polynomial_), ";  // ", value.function);
      }
      if (std::count(pass.keeps.begin(), pass.keeps.end(), v) > 0) text_.Line("store(", KeptPointer(v), ", v", v, ");");
    }
    for (int v : pass.reduces) WriteAccumulation(v, part, u);
    for (int i : pass.outputs) {
      const std::string value = VectorRef(program_.outputs[i].value);
      if (inner_) {
        text_.Line("give<kWhole>(y", i, " + k * a.inner + u * kLanes, ", value, ", n - u * kLanes);");
      } else if (part == Part::kTail && lanes_ > 1) {
        text_.Line("store_first(y", i, " + k, ", value, ", n);");
      } else {
        text_.Line(stream_ && part == Part::kWholeVectors ? "stream" : "store", "(y", i, " + k, ", value, ");");
      }
    }
  }

  void WritePrefetch(const Pass& pass) {
    for (int v : pass.values) {
      const Value& value = program_.values[v];
      if (value.kind != ValueKind::kLoad || !value.over.outer) continue;
      text_.Line("__builtin_prefetch(reinterpret_cast<const char*>(x", v, " + k) + ", prefetch_, ");");
    }
  }

  void WriteAccumulators(const Pass& pass) {
    for (int v : pass.reduces) {
      text_.Line("vec ", Accumulator(v), "[kUnroll];");
      text_.Line("for (vec& x : ", Accumulator(v), ") x = splat(", Identity(program_.values[v]), ");");
    }
  }

  // From accumulators to the row's value.
  void WriteRowResults(const Pass& pass) {
    for (int v : pass.reduces) {
      const Value& value = program_.values[v];
      const std::string lowest = "std::numeric_limits<real>::lowest()";
      const std::string infinity = "std::numeric_limits<real>::infinity()";
      if (inner_) {
        if (value.function != kOnlineMax) continue;
        text_.Line("for (vec& x : r", v, ") x = pick(x == splat(", lowest, "), splat(-", infinity, "), x);");
        continue;
      }
      if (value.function == kSum) {
        text_.Line("for (int u = 1; u < kUnroll; ++u) acc", v, "[0] += acc", v, "[u];");
        text_.Line("const real r", v, " = across_sum(acc", v, "[0]);");
      } else if (value.function == kMax || value.function == kMin) {
        const char* across = value.function == kMax ? "across_max" : "across_min";
        text_.Open("for (int u = 1; u < kUnroll; ++u) {");
        text_.Line("const vec x = acc", v, "[u];");
        text_.Line("acc", v, "[0] = pick(", Extreme(v, "x", absl::StrCat("acc", v, "[0]")), ", x, acc", v, "[0]);");
        text_.Close();
        text_.Line("const real r", v, " = ", across, "(acc", v, "[0]);");
      } else if (value.function == kOnlineMax) {
        const int sum = OnlineSumOf(v);
        text_.Line("real top", v, " = across_max(acc", v, "[0]);");
        text_.Line("for (int u = 1; u < kUnroll; ++u) top", v, " = std::max(top", v, ", across_max(acc", v, "[u]));");
        text_.Line("vec all", sum, " = splat(0);");
        text_.Line("for (int u = 0; u < kUnroll; ++u) all", sum, " += acc", sum, "[u] * ",
                   Exponential(absl::StrCat("acc", v, "[u] - splat(top", v, ")")), ";");
        text_.Line("const real r", v, " = top", v, " == ", lowest, " ? -", infinity, " : top", v, ";");
        text_.Line("const real r", sum, " = across_sum(all", sum, ");");
      }
    }
  }

  void WriteSplats(const Pass& pass) {
    std::vector<int> done;
    const auto hoist = [&](int v) {
      const Value& value = program_.values[v];
      if (value.over.reduced || value.kind == ValueKind::kConstant || std::count(done.begin(), done.end(), v) > 0)
        return;
      done.push_back(v);
      text_.Line("const vec s", v, " = splat(r", v, ");");
    };
    for (int v : pass.values) {
      if (std::count(pass.reads.begin(), pass.reads.end(), v) > 0) continue;
      for (int arg : program_.values[v].args) hoist(arg);
    }
  }

  void OpenUnrolled() {
    if (unroll_ > 1) text_.Raw("#pragma GCC unroll 8\n");
    text_.Open("for (int u = 0; u < kUnroll; ++u) {");
  }

  void WriteRowPass(const Pass& pass, bool first) {
    WriteAccumulators(pass);
    text_.Open("{");
    WriteSplats(pass);
    text_.Line("int64_t j = begin;");
    text_.Open("for (; j + kUnroll * kLanes <= end; j += kUnroll * kLanes) {");
    if (unroll_ > 1) {
      OpenUnrolled();
      text_.Line("const int64_t k = j + u * kLanes;");
    } else {
      text_.Line("const int64_t k = j;");
    }
    if (first && prefetch_ > 0) WritePrefetch(pass);
    WriteBody(pass, Part::kWholeVectors, unroll_ > 1 ? "u" : "0");
    if (unroll_ > 1) text_.Close();
    text_.Close();
    if (unroll_ * lanes_ > 1) {
      text_.Open("for (; j < end; j += kLanes) {");
      text_.Line("const int64_t k = j;");
      if (lanes_ > 1) text_.Line("const int64_t n = std::min<int64_t>(kLanes, end - j);");
      WriteBody(pass, Part::kTail, "0");
      text_.Close();
    }
    text_.Close();
    WriteRowResults(pass);
  }

  void WriteInnerPass(const Pass& pass) {
    WriteAccumulators(pass);
    text_.Open("for (int64_t k = 0; k < a.reduced; ++k) {");
    OpenUnrolled();
    WriteBody(pass, Part::kWholeVectors, "u");
    text_.Close();
    text_.Close();
    WriteRowResults(pass);
  }

  // ---- Functions ----

  void WritePasses() {
    for (size_t p = 0; p < plan_.passes.size(); ++p) {
      WriteRowValues(plan_.between[p]);
      const Pass& pass = plan_.passes[p];
      if (pass.values.empty() && pass.reduces.empty()) continue;
      if (inner_) {
        WriteInnerPass(pass);
      } else {
        WriteRowPass(pass, p == 0);
      }
    }
    WriteRowValues(plan_.between.back());
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const int v = program_.outputs[i].value;
      if (program_.values[v].over.reduced) continue;
      if (inner_) {
        text_.Line("for (int u = 0; u < kUnroll; ++u) give<kWhole>(y", i, " + u * kLanes, ", VectorRef(v),
                   ", n - u * kLanes);");
      } else {
        text_.Line("put(y", i, ", r", v, ");");
      }
    }
  }

  void WriteRow() {
    const bool reductions = program_.HasReductions();
    if (!plan_.kept.empty()) {
      text_.Raw(
          "// Elements of a row in whole vectors.\n"
          "inline int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }\n");
    }
    text_.Raw(reductions ? "\n// Row o.\n" : "\n// Elements [begin, end) of row o.\n");
    text_.Open(absl::StrCat("void row(const Arguments& a, int64_t o", reductions ? "" : ", int64_t begin, int64_t end",
                            plan_.kept.empty() ? "" : ", real* room", ") {"));
    if (reductions) text_.Line("const int64_t begin = 0, end = a.reduced;");
    WritePointers();
    WritePasses();
    text_.Close();
  }

  void WriteTile() {
    text_.Raw(
        "\n// Columns [i, i + n) of step o of the outer dimensions; kWhole if n fills all vectors.\n"
        "template <bool kWhole>\n");
    text_.Open(absl::StrCat("void tile(const Arguments& a, int64_t o, int64_t i, [[maybe_unused]] int64_t n",
                            plan_.kept.empty() ? "" : ", real* room", ") {"));
    WritePointers();
    WritePasses();
    text_.Close();
  }

  std::string ThreadsText() const {
    if (!threads_) return "1";
    return "std::min(a.threads, 1 + a.outer * a.reduced * a.inner / 16384)";
  }

  void OpenWork(const std::string& items, const std::string& room) {
    text_.Open(absl::StrCat("parallel(", items, ", ", ThreadsText(), ", [&](int64_t first, int64_t last) {"));
    if (!plan_.kept.empty()) text_.Line("const Room room(", plan_.kept.size(), " * ", room, ");");
    text_.Open("for (int64_t item = first; item < last; ++item) {");
  }
  void CloseWork() {
    text_.Close();
    if (stream_) text_.Line("stream_fence();");
    text_.Close("});");
    text_.Close();
  }

  void WriteRowWork() {
    text_.Raw("\n");
    text_.Open("void work(const Arguments& a) {");
    if (program_.HasReductions()) {
      OpenWork("a.outer", "padded(a.reduced)");
      text_.Line("row(a, item", plan_.kept.empty() ? "" : ", room.data", ");");
    } else {
      text_.Line("const int64_t blocks = (a.reduced + kBlock - 1) / kBlock;");
      OpenWork("a.outer * blocks", "");
      text_.Line("const int64_t begin = item % blocks * kBlock;");
      text_.Line("row(a, item / blocks, begin, std::min(a.reduced, begin + kBlock));");
    }
    CloseWork();
  }

  void WriteInnerWork() {
    text_.Raw("\n");
    text_.Open("void work(const Arguments& a) {");
    text_.Line("const int64_t width = kUnroll * kLanes;");
    text_.Line("const int64_t tiles = (a.inner + width - 1) / width;");
    OpenWork("a.outer * tiles", "a.reduced * width");
    const char* room = plan_.kept.empty() ? "" : ", room.data";
    text_.Line("const int64_t i = item % tiles * width;");
    text_.Line("const int64_t n = std::min(width, a.inner - i);");
    text_.Open("if (n == width) {");
    text_.Line("tile<true>(a, item / tiles, i, n", room, ");");
    text_.Line("} else {");
    text_.Line("tile<false>(a, item / tiles, i, n", room, ");");
    text_.Close();
    CloseWork();
  }

  const Program& program_;
  Text& text_;
  const int lanes_;
  const int unroll_;
  const int prefetch_;
  const int block_;
  const bool polynomial_;
  const bool stream_;
  const bool threads_;
  const bool dynamic_;
  const bool inner_;
  const PassPlan plan_;
};

}  // namespace

void RenderFused(const Program& program, const Parameters& schedule, Text* text) {
  FusedWriter(program, schedule, text).Write();
}

}  // namespace kernelsmith::server
