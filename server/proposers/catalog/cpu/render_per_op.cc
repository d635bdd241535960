#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/cpu/prelude.h"
#include "server/proposers/catalog/cpu/renderers.h"
#include "server/proposers/catalog/cpu/value_text.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

class PerOpWriter {
 public:
  PerOpWriter(const Program& program, Text* text) : program_(program), text_(*text) {}

  void Write() {
    text_.Open("void work(const Arguments& a) {");
    for (size_t v = 0; v < program_.values.size(); ++v) {
      const Value& value = program_.values[v];
      if (value.kind == ValueKind::kMap) WriteMap(static_cast<int>(v), value);
      if (value.kind == ValueKind::kReduce) WriteReduction(static_cast<int>(v), value);
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const int v = program_.outputs[i].value;
      const Footprint& over = program_.values[v].over;
      text_.Line("// result ", i);
      OpenLoops(over);
      text_.Line("put(a.out", i, " + ", Index(over, "o", "r"), ", ", Read(v, "r"), ");");
      CloseLoops(over);
    }
    text_.Close();
  }

 private:
  // Position of an element in a row-major array over the groups of `over`.
  std::string Index(const Footprint& over, const std::string& o, const std::string& r) const {
    std::string index = over.outer ? o : "";
    if (over.reduced) index = index.empty() ? r : absl::StrCat("(", index, " * a.reduced + ", r, ")");
    if (over.inner) index = index.empty() ? "i" : absl::StrCat(index, " * a.inner + i");
    return index.empty() ? "0" : index;
  }

  static std::string Size(const Footprint& over) {
    std::string size;
    for (const auto& [present, name] :
         {std::pair(over.outer, "a.outer"), std::pair(over.reduced, "a.reduced"), std::pair(over.inner, "a.inner")}) {
      if (present) absl::StrAppend(&size, size.empty() ? "" : " * ", name);
    }
    return size.empty() ? "1" : size;
  }

  // The value's element at (o, r, i).
  std::string Read(int v, const std::string& r) const {
    const Value& value = program_.values[v];
    switch (value.kind) {
      case ValueKind::kConstant:
        return absl::StrCat("real(", RealLiteral(value.number, program_.integer), ")");
      case ValueKind::kCount:
        return "real(a.reduced)";
      case ValueKind::kFirst:
        return Read(value.args[0], "0");
      case ValueKind::kLoad:
        return absl::StrCat("get(a.in", value.input, "[", Index(value.over, OuterIndexText(program_, value, "o"), r),
                            "])");
      default:
        return absl::StrCat("t", v, "[", Index(value.over, "o", r), "]");
    }
  }

  void OpenLoops(const Footprint& over) {
    if (over.outer) text_.Open("for (int64_t o = 0; o < a.outer; ++o) {");
    if (over.reduced) text_.Open("for (int64_t r = 0; r < a.reduced; ++r) {");
    if (over.inner) text_.Open("for (int64_t i = 0; i < a.inner; ++i) {");
  }
  void CloseLoops(const Footprint& over) {
    for (const bool open : {over.inner, over.reduced, over.outer}) {
      if (open) text_.Close();
    }
  }

  void WriteMap(int v, const Value& value) {
    text_.Line("// ", value.function);
    text_.Line("std::vector<real> t", v, "(size_t(", Size(value.over), "));");
    OpenLoops(value.over);
    std::vector<std::string> names;
    for (size_t n = 0; n < value.args.size(); ++n) {
      names.push_back(std::string(1, static_cast<char>('x' + n)));
      text_.Line("const real ", names.back(), " = ", Read(value.args[n], "r"), ";");
    }
    text_.Line("t", v, "[", Index(value.over, "o", "r"), "] = ", ScalarMapText(value, names), ";");
    CloseLoops(value.over);
  }

  void WriteReduction(int v, const Value& value) {
    text_.Line("// ", value.function, " over the reduced dimensions");
    text_.Line("std::vector<real> t", v, "(size_t(", Size(value.over), "));");
    OpenLoops(value.over);
    const bool sum = value.function == kSum;
    text_.Line(sum ? "double sum = 0;" : absl::StrCat("real extreme = ", Read(value.args[0], "0"), ";"));
    text_.Open("for (int64_t r = 0; r < a.reduced; ++r) {");
    text_.Line("const real x = ", Read(value.args[0], "r"), ";");
    if (sum) {
      text_.Line("sum += x;");
    } else {
      text_.Line("extreme = (x ", value.function == kMax ? ">" : "<", " extreme || x != x) ? x : extreme;");
    }
    text_.Close();
    text_.Line("t", v, "[", Index(value.over, "o", "r"), "] = ", sum ? "real(sum)" : "extreme", ";");
    CloseLoops(value.over);
  }

  const Program& program_;
  Text& text_;
};

}  // namespace

void RenderPerOp(const Program& program, Text* text) { PerOpWriter(program, text).Write(); }

}  // namespace kernelsmith::server
