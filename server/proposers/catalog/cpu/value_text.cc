#include "server/proposers/catalog/cpu/value_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

// The outer dimensions [begin, end) that the input has whole; they are adjacent (Lowering::AddInput sees to it).
void WholeBlock(const Program& program, const InputLayout& input, int* begin, int* end) {
  *begin = 0;
  while (*begin < program.reduced_begin && input.broadcast[*begin]) ++*begin;
  *end = *begin;
  while (*end < program.reduced_begin && !input.broadcast[*end]) ++*end;
}

}  // namespace

std::set<v1::DType> TypesOf(const Program& program) {
  std::set<v1::DType> types;
  for (const InputLayout& input : program.inputs) types.insert(input.dtype);
  for (const OutputLayout& output : program.outputs) types.insert(output.dtype);
  return types;
}

std::string ScalarMapText(const Value& value, const std::vector<std::string>& args) {
  return Substitute(FindMapFunction(value.function)->scalar, args);
}

std::string VectorMapText(const Value& value, const std::vector<std::string>& args, bool polynomial) {
  const MapFunction& f = *FindMapFunction(value.function);
  const bool library = f.vector.empty() || (f.costly && !polynomial);
  if (!library) return Substitute(f.vector, args);
  if (f.arity == 1)
    return absl::StrCat("each(", args[0], ", [](real x) { return ", Substitute(f.scalar, {"x"}), "; })");
  return absl::StrCat("each(", args[0], ", ", args[1], ", [](real x, real y) { return ",
                      Substitute(f.scalar, {"x", "y"}), "; })");
}

std::set<std::string> VectorFunctionsOf(const Program& program, bool polynomial) {
  std::set<std::string> functions;
  for (const Value& v : program.values) {
    if (v.kind == ValueKind::kReduce && v.function == kOnlineSum && polynomial) functions.insert("vexp");
    if (v.kind != ValueKind::kMap) continue;
    const MapFunction& f = *FindMapFunction(v.function);
    if (!f.costly || polynomial) functions.insert(f.needs.begin(), f.needs.end());
  }
  return functions;
}

bool NeedsOuterIndex(const Program& program, const InputLayout& input) {
  int begin = 0;
  int end = 0;
  WholeBlock(program, input, &begin, &end);
  return begin < end && (begin > 0 || end < program.reduced_begin);
}

std::string OuterIndexText(const Program& program, const Value& load, const std::string& o) {
  for (const InputLayout& input : program.inputs) {
    if (input.input == load.input && NeedsOuterIndex(program, input)) {
      return absl::StrCat("(", o, " / a.each", input.input, " % a.count", input.input, ")");
    }
  }
  return o;
}

std::string OuterIndexSetup(const Program& program, const InputLayout& input, const std::string& base) {
  if (!NeedsOuterIndex(program, input)) return "";
  int begin = 0;
  int end = 0;
  WholeBlock(program, input, &begin, &end);
  return absl::StrCat("  a.each", input.input, " = extent(", base, ", ", end, ", ", program.reduced_begin,
                      ");\n  a.count", input.input, " = extent(", base, ", ", begin, ", ", end, ");\n");
}

std::string WholeText(const InputLayout& input) {
  std::string text = "{";
  for (size_t d = 0; d < input.broadcast.size(); ++d) {
    absl::StrAppend(&text, d == 0 ? "" : ", ", input.broadcast[d] ? 0 : 1);
  }
  return text + "}";
}

}  // namespace kernelsmith::server
