#include "server/proposers/catalog/program.h"

#include <algorithm>
#include <utility>

namespace kernelsmith::server {

bool Program::HasReductions() const {
  return std::any_of(values.begin(), values.end(), [](const Value& v) { return v.kind == ValueKind::kReduce; });
}

bool Program::HasReduction(const std::string& function) const {
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& v) { return v.kind == ValueKind::kReduce && v.function == function; });
}

int Program::Passes() const {
  int last = 0;
  for (const Value& v : values) last = std::max(last, v.kind == ValueKind::kReduce ? v.depth - 1 : v.depth);
  return last + 1;
}

int Program::Add(Value value) {
  for (int arg : value.args) {
    const Value& a = values[arg];
    value.over.outer |= a.over.outer;
    value.over.reduced |= a.over.reduced;
    value.over.inner |= a.over.inner;
    value.depth = std::max(value.depth, a.depth);
  }
  if (value.kind == ValueKind::kReduce || value.kind == ValueKind::kFirst) value.over.reduced = false;
  if (value.kind == ValueKind::kReduce) ++value.depth;
  const auto same = std::find(values.begin(), values.end(), value);
  if (same != values.end()) return static_cast<int>(same - values.begin());
  values.push_back(std::move(value));
  return static_cast<int>(values.size()) - 1;
}

int Program::Constant(double number) {
  Value value;
  value.kind = ValueKind::kConstant;
  value.number = number;
  return Add(value);
}

int Program::Map(const std::string& function, std::vector<int> args) {
  Value value;
  value.kind = ValueKind::kMap;
  value.function = function;
  value.args = std::move(args);
  return Add(value);
}

int Program::Reduce(const std::string& function, int arg) {
  Value value;
  value.kind = ValueKind::kReduce;
  value.function = function;
  value.args = {arg};
  return Add(value);
}

}  // namespace kernelsmith::server
