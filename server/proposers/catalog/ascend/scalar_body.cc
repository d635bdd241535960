#include "server/proposers/catalog/ascend/scalar_body.h"

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/ascend/vector_functions.h"

namespace kernelsmith::server {

bool ScalarBody::IsNumber(int value) const {
  const Role role = RoleOf(value);
  return role == Role::kRows || role == Role::kSingle;
}

std::string ScalarBody::Number(int value) const {
  if (IsLiteral(value)) return LiteralText(value);
  return absl::StrCat("s", value, IsMember(value) && IsNumber(value) ? "_" : "");
}

std::string ScalarBody::Room(int value, const std::string& what, Role role) {
  const std::string key = absl::StrCat(what, value);
  auto place = places_.find(key);
  if (place == places_.end()) {
    place = places_.emplace(key, absl::StrCat("Real(", work_bytes_.Text(), ")")).first;
    work_bytes_.Add(role, 4);
  }
  return place->second;
}

std::string ScalarBody::PlaceOf(int value) { return Room(value, "value", RoleOf(value)); }

std::string ScalarBody::Expression(int value) const {
  const Value& v = program_.values[value];
  std::vector<std::string> args;
  for (int arg : v.args) args.push_back(Number(arg));
  return ScalarDeviceText(v, args);
}

std::string ScalarBody::Combined(const std::string& function, const std::string& a, const std::string& b) const {
  if (function == kSum) return absl::StrCat(a, " + ", b);
  return absl::StrCat(b, function == kMax ? " > " : " < ", a, " ? ", b, " : ", a);
}

std::string ScalarBody::Identity(const std::string& function) const {
  if (function == kSum) return "real(0)";
  return function == kMax ? "-__builtin_inff()" : "__builtin_inff()";
}

// Tensors x<v> of real numbers for what has come in.
void ScalarBody::WriteLoads(const PassWork& work) {
  bool any = false;
  for (int v : work.loads) {
    const v1::DType dtype = TypeOf(v);
    const bool same = dtype == v1::FP32 || dtype == v1::INT32;
    const Role role = RoleOf(v);
    const std::string count = role == Role::kFull ? "span" : role == Role::kLanes ? "n" : "m * 16";
    const bool keep = work.life != Life::kStep && !IsNumber(v);
    if (same && !keep) {
      text_.Line("const LocalTensor<real> x", v, " = ", InTensor(v), ";");
      continue;
    }
    text_.Line("const LocalTensor<real> x", v, " = ", PlaceOf(v), ";");
    if (same) {
      text_.Line("Muls(x", v, ", ", InTensor(v), ", real(1), ", count, ");");
    } else {
      text_.Line("Cast(x", v, ", ", InTensor(v), ", RoundMode::CAST_NONE, ", count, ");");
    }
    any = true;
  }
  if (any) text_.Line("PipeBarrier<PIPE_ALL>();");
}

// Values that are at hand for a whole item or the whole kernel.
void ScalarBody::WriteItemValues(const PassWork& work) {
  for (int v : work.loads) {
    if (!IsNumber(v)) continue;
    members_.insert(v);
    text_.Line("s", v, "_ = x", v, ".GetValue(0);");
  }
  for (int v : work.values) {
    if (IsNumber(v)) {
      members_.insert(v);
      text_.Line("s", v, "_ = ", Expression(v), ";");
      continue;
    }
    text_.Open("for (uint32_t i = 0; i < n; ++i) {");
    const std::set<int> args(program_.values[v].args.begin(), program_.values[v].args.end());
    for (int arg : args) {
      if (IsLiteral(arg) || IsNumber(arg)) continue;
      text_.Line("const real s", arg, " = ", PlaceOf(arg), ".GetValue(i);");
    }
    text_.Line(PlaceOf(v), ".SetValue(i, ", Expression(v), ");");
    text_.Close();
  }
}

void ScalarBody::WriteStep(const PassWork& work) {
  const bool columns = form_ == Form::kColumns;
  std::set<int> lanes_kept;  // of the item, read in the loop
  std::set<int> computed(work.loads.begin(), work.loads.end());
  computed.insert(work.values.begin(), work.values.end());
  const auto read = [&](int v) {
    if (!IsLiteral(v) && !IsNumber(v) && !computed.contains(v)) lanes_kept.insert(v);
  };
  for (int v : work.values) {
    for (int arg : program_.values[v].args) read(arg);
  }
  for (int v : work.reduces) read(program_.values[v].args[0]);
  for (int v : lanes_kept) text_.Line("const LocalTensor<real> x", v, " = ", PlaceOf(v), ";");
  std::vector<std::pair<int, std::string>> results;  // value, tensor
  for (int i : work.outputs) {
    const OutputLayout& output = program_.outputs[i];
    const bool same = output.dtype == v1::FP32 || output.dtype == v1::INT32;
    const std::string place = same ? OutTensor(static_cast<size_t>(i)) : Room(i, "result", Role::kFull);
    text_.Line("const LocalTensor<real> y", i, " = ", place, ";");
    results.emplace_back(output.value, absl::StrCat("y", i));
  }
  for (int v : work.reduces) {
    if (columns) {
      if (!IsNumber(v)) text_.Line("const LocalTensor<real> a", v, " = ", PlaceOf(v), ";");
    } else {
      text_.Line("real a", v, " = ", Identity(program_.values[v].function), ";");
    }
  }
  if (columns) text_.Open("for (uint32_t r = 0; r < m; ++r) {");
  // Numbers of the row.
  for (int v : work.loads) {
    if (IsNumber(v)) text_.Line("const real s", v, " = x", v, ".GetValue(", columns ? "r * 16" : "0", ");");
  }
  for (int v : work.values) {
    if (IsNumber(v)) text_.Line("const real s", v, " = ", Expression(v), ";");
  }
  for (int v : work.reduces) {
    if (!columns || !IsNumber(v)) continue;
    const std::string x = Number(program_.values[v].args[0]);
    text_.Line("s", v, "_ = ", Combined(program_.values[v].function, absl::StrCat("s", v, "_"), x), ";");
  }
  text_.Open("for (uint32_t i = 0; i < n; ++i) {");
  const std::string at = columns ? "r * pitch_ + i" : "i";
  for (int v : work.loads) {
    if (!IsNumber(v)) text_.Line("const real s", v, " = x", v, ".GetValue(", RoleOf(v) == Role::kFull ? at : "i", ");");
  }
  for (int v : lanes_kept) text_.Line("const real s", v, " = x", v, ".GetValue(i);");
  for (int v : work.values) {
    if (!IsNumber(v)) text_.Line("const real s", v, " = ", Expression(v), ";");
  }
  for (int v : work.reduces) {
    const std::string x = Number(program_.values[v].args[0]);
    const std::string& function = program_.values[v].function;
    if (!columns) {
      text_.Line("a", v, " = ", Combined(function, absl::StrCat("a", v), x), ";");
    } else if (!IsNumber(v)) {
      text_.Line("const real b", v, " = a", v, ".GetValue(i);");
      text_.Line("a", v, ".SetValue(i, ", Combined(function, absl::StrCat("b", v), x), ");");
    }
  }
  for (const auto& [v, tensor] : results) text_.Line(tensor, ".SetValue(", at, ", ", Number(v), ");");
  text_.Close();
  if (columns) text_.Close();
  for (int v : work.reduces) {
    if (columns) continue;
    text_.Line("s", v, "_ = ", Combined(program_.values[v].function, absl::StrCat("s", v, "_"), absl::StrCat("a", v)),
               ";");
  }
  for (int i : work.outputs) {
    const OutputLayout& output = program_.outputs[i];
    if (output.dtype == v1::FP32 || output.dtype == v1::INT32) continue;
    text_.Line("PipeBarrier<PIPE_ALL>();");
    text_.Line("Cast(", OutTensor(static_cast<size_t>(i)), ", y", i, ", RoundMode::CAST_RINT, span);");
  }
}

// Results of an item.
void ScalarBody::WriteOutputs(const PassWork& work) {
  for (int i : work.outputs) {
    const OutputLayout& output = program_.outputs[i];
    const int v = output.value;
    const bool same = output.dtype == v1::FP32 || output.dtype == v1::INT32;
    const std::string tensor = OutTensor(static_cast<size_t>(i));
    if (IsNumber(v)) {
      const std::string room = same ? tensor : Room(i, "result", Role::kRows);
      text_.Line(room, ".SetValue(0, ", Number(v), ");");
      if (!same) {
        text_.Line("PipeBarrier<PIPE_ALL>();");
        text_.Line("Cast(", tensor, ", ", room, ", RoundMode::CAST_RINT, 1);");
      }
      continue;
    }
    text_.Line("PipeBarrier<PIPE_ALL>();");
    if (same) {
      text_.Line("Adds(", tensor, ", ", PlaceOf(v), ", real(0), n);");
    } else {
      text_.Line("Cast(", tensor, ", ", PlaceOf(v), ", RoundMode::CAST_RINT, n);");
    }
  }
}

void ScalarBody::WriteWork(const PassWork& work) {
  WriteLoads(work);
  if (work.life == Life::kStep) {
    WriteStep(work);
  } else {
    WriteItemValues(work);
    WriteOutputs(work);
  }
}

void ScalarBody::WritePassBegin(const PassWork& step) {
  bool any = false;
  for (int v : step.reduces) {
    const std::string identity = Identity(program_.values[v].function);
    if (IsNumber(v)) {
      members_.insert(v);
      text_.Line("s", v, "_ = ", identity, ";");
    } else {
      text_.Line("Duplicate(", PlaceOf(v), ", ", identity, ", n);");
      any = true;
    }
  }
  if (any) text_.Line("PipeBarrier<PIPE_ALL>();");
}

void ScalarBody::WriteMembers() {
  text_.Raw("\n");
  text_.Line("__aicore__ inline LocalTensor<real> Real(uint32_t at) { return work_[at].ReinterpretCast<real>(); }");
  for (int v : members_) text_.Line("real s", v, "_;");
}

}  // namespace kernelsmith::server
