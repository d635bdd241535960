#include "server/proposers/catalog/ascend/vector_body.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::server {
namespace {

std::string Combination(const std::string& reduction) {
  return reduction == kSum ? "Add" : reduction == kMax ? "Max" : "Min";
}

std::string Identity(const std::string& reduction) {
  if (reduction == kSum) return "real(0)";
  return reduction == kMax ? "-__builtin_inff()" : "__builtin_inff()";
}

}  // namespace

// ---- Places ----

std::string VectorBody::Reserve(Role role, int element_bytes) {
  const std::string at = work_bytes_.Text();
  work_bytes_.Add(role, element_bytes);
  return absl::StrCat("Real(", at, ")");
}

std::string VectorBody::PlaceOf(int value) {
  auto place = places_.find(value);
  if (place == places_.end()) place = places_.emplace(value, Reserve(RoleOf(value), 4)).first;
  return place->second;
}

int VectorBody::TakeSlot() {
  for (size_t s = 0; s < slots_.size(); ++s) {
    if (slot_taken_[s]) continue;
    slot_taken_[s] = true;
    return static_cast<int>(s);
  }
  slots_.push_back(Reserve(Role::kFull, 4));
  slot_taken_.push_back(true);
  return static_cast<int>(slots_.size()) - 1;
}

void VectorBody::FreeSlot(int slot) { slot_taken_[slot] = false; }

void VectorBody::DeclareAt(int value, const std::string& tensor) {
  declared_.insert(value);
  text_.Line("const LocalTensor<real> v", value, " = ", tensor, ";");
}

void VectorBody::DeclareSlot(int value) {
  const int slot = TakeSlot();
  slot_of_[value] = slot;
  DeclareAt(value, slots_[slot]);
}

void VectorBody::Declare(int value) {
  if (!declared_.contains(value)) DeclareAt(value, PlaceOf(value));
}

// ---- Operands ----

std::string VectorBody::Count(Role role) const {
  switch (role) {
    case Role::kFull:
      return "span";
    case Role::kLanes:
      return "n";
    case Role::kRows:
      return "m * 16";
    case Role::kSingle:
      return "16";
  }
  return "span";
}

// Whether `arg` enters an operation on values of `role` as a number rather than as a tensor.
bool VectorBody::IsScalarFor(int arg, Role role) const {
  if (IsLiteral(arg)) return true;
  const Role own = RoleOf(arg);
  if (own == role || own == Role::kFull || own == Role::kLanes) return false;
  // A row's and a single value lie alike where a tile has one row and both live as long.
  if (role == Role::kRows && own == Role::kSingle) return form_ != Form::kSweep;
  return role != Role::kSingle;
}

bool VectorBody::NeedsRowLoop(int value) const {
  if (RoleOf(value) != Role::kFull || OneRow()) return false;
  const std::vector<int>& args = program_.values[value].args;
  return std::any_of(args.begin(), args.end(), [&](int arg) {
    if (IsLiteral(arg)) return false;
    const Role role = RoleOf(arg);
    return role == Role::kLanes || (role == Role::kRows && LifeOf(arg) == Life::kStep);
  });
}

// Numbers of the item or the kernel that the steps of a pass use.
std::set<int> VectorBody::KeptScalars(const PassWork& step) const {
  std::set<int> kept;
  for (int v : step.values) {
    for (int arg : program_.values[v].args) {
      if (!IsLiteral(arg) && LifeOf(arg) != Life::kStep && IsScalarFor(arg, RoleOf(v))) kept.insert(arg);
    }
  }
  return kept;
}

VectorBody::Operand VectorBody::OperandOf(int arg, Role role, bool loop) {
  if (IsLiteral(arg)) return {true, LiteralText(arg)};
  if (!IsScalarFor(arg, role)) {
    const bool by_row = loop && RoleOf(arg) == Role::kFull;
    return {false, absl::StrCat("v", arg, by_row ? "[r * pitch_]" : "")};
  }
  if (life_ == Life::kStep && LifeOf(arg) != Life::kStep) return {true, absl::StrCat("s", arg, "_")};
  if (loop) return {true, absl::StrCat("v", arg, ".GetValue(r * 16)")};
  return {true, absl::StrCat("s", arg)};
}

// Makes the numbers among `args` that were computed in this scope readable.
void VectorBody::ReadScalars(const std::vector<int>& args, Role role) {
  std::set<int> fresh;
  for (int arg : args) {
    if (IsLiteral(arg) || !IsScalarFor(arg, role)) continue;
    if (life_ == Life::kStep && LifeOf(arg) != Life::kStep) continue;
    fresh.insert(arg);
  }
  if (fresh.empty()) return;
  text_.Line("Order<HardEvent::V_S>();");
  (life_ == Life::kStep ? read_in_step_ : read_in_items_) = true;
}

// ---- Instructions ----

void VectorBody::WriteLoads(const PassWork& work) {
  bool any = false;
  for (int v : work.loads) {
    const v1::DType dtype = TypeOf(v);
    const bool same = dtype == v1::FP32 || dtype == v1::INT32;
    const Role role = RoleOf(v);
    if (work.life == Life::kStep && same) {
      DeclareAt(v, InTensor(v));
      continue;
    }
    if (work.life == Life::kStep && role == Role::kFull) {
      DeclareSlot(v);
    } else {
      Declare(v);
    }
    if (same) {
      text_.Line("Muls(v", v, ", ", InTensor(v), ", real(1), ", Count(role), ");");
    } else {
      text_.Line("Cast(v", v, ", ", InTensor(v), ", RoundMode::CAST_NONE, ", Count(role), ");");
    }
    any = true;
  }
  if (any) Barrier();
}

// Whether the value can be computed right where its result has to be.
bool VectorBody::IsDirect(int value, const PassWork& work, size_t* output) const {
  for (int i : work.outputs) {
    const OutputLayout& layout = program_.outputs[i];
    if (layout.value != value || (layout.dtype != v1::FP32 && layout.dtype != v1::INT32)) continue;
    if (RoleOf(value) != Role::kFull || program_.values[value].kind != ValueKind::kMap) return false;
    *output = static_cast<size_t>(i);
    return true;
  }
  return false;
}

void VectorBody::ReleaseAfter(size_t position, const std::vector<int>& args) {
  for (int arg : args) {
    const auto slot = slot_of_.find(arg);
    if (slot == slot_of_.end() || last_use_[arg] > position) continue;
    FreeSlot(slot->second);
    slot_of_.erase(slot);
  }
}

void VectorBody::WriteMap(int value, const PassWork& work, size_t position) {
  const Value& v = program_.values[value];
  const Role role = RoleOf(value);
  const bool loop = NeedsRowLoop(value);
  for (int arg : v.args) {
    if (!IsLiteral(arg) && (!IsScalarFor(arg, role) || life_ != Life::kStep || LifeOf(arg) == Life::kStep))
      Declare(arg);
  }
  ReadScalars(v.args, role);
  std::vector<Operand> operands;
  std::string form;
  for (int arg : v.args) {
    operands.push_back(OperandOf(arg, role, loop));
    form += operands.back().scalar ? 's' : 't';
  }
  const VectorFunction* f = FindVectorFunction(v.function, form, program_.integer);
  const bool spread = f == nullptr;
  if (spread) f = FindVectorFunction(v.function, std::string(form.size(), 't'), program_.integer);

  // The result's place.
  size_t output = 0;
  if (IsDirect(value, work, &output)) {
    DeclareAt(value, OutTensor(output));
  } else if (role != Role::kFull) {
    Declare(value);
  } else {
    int reuse = -1;
    for (size_t i = 0; i < v.args.size() && f->InPlace() && !spread; ++i) {
      const auto slot = slot_of_.find(v.args[i]);
      if (slot != slot_of_.end() && last_use_[v.args[i]] <= position) reuse = v.args[i];
    }
    if (reuse >= 0) {
      slot_of_[value] = slot_of_[reuse];
      slot_of_.erase(reuse);
      DeclareAt(value, absl::StrCat("v", reuse));
    } else {
      DeclareSlot(value);
    }
  }

  // Scratch slots: the function's own, and one for each number that has to be spread.
  std::vector<int> scratch;
  std::vector<std::string> scratch_names;
  const auto new_scratch = [&] {
    scratch.push_back(TakeSlot());
    const std::string name = absl::StrCat("t", value, "_", scratch.size());
    text_.Line("const LocalTensor<real> ", name, " = ", slots_[scratch.back()], ";");
    scratch_names.push_back(loop ? absl::StrCat(name, "[r * pitch_]") : name);
    return scratch_names.back();
  };
  std::vector<std::pair<std::string, std::string>> replace;
  for (int t = 0; t < f->temporaries; ++t) {
    replace.emplace_back(absl::StrCat("$", std::string(1, static_cast<char>('a' + t))), new_scratch());
  }
  const std::string count = loop ? "n" : Count(role);
  std::vector<std::string> statements;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (spread && operands[i].scalar) {
      const std::string name = new_scratch();
      statements.push_back(absl::StrCat("Duplicate(", name, ", ", operands[i].text, ", ", count, ")"));
      operands[i] = {false, name};
    }
    replace.emplace_back(absl::StrCat("$", i), operands[i].text);
  }
  replace.emplace_back("$d", absl::StrCat("v", value, loop ? "[r * pitch_]" : ""));
  replace.emplace_back("$n", count);
  for (const std::string& statement : f->statements) statements.push_back(absl::StrReplaceAll(statement, replace));

  if (!loop) {
    for (int arg : v.args) {
      if (IsLiteral(arg) || !IsScalarFor(arg, role) || (life_ == Life::kStep && LifeOf(arg) != Life::kStep)) continue;
      if (local_scalars_.insert(arg).second) text_.Line("const real s", arg, " = v", arg, ".GetValue(0);");
    }
    for (const std::string& statement : statements) {
      text_.Line(statement, ";");
      Barrier();
    }
  } else {
    text_.Open("for (uint32_t r = 0; r < m; ++r) {");
    for (size_t i = 0; i < statements.size(); ++i) {
      if (i > 0) Barrier();
      text_.Line(statements[i], ";");
    }
    text_.Close();
    Barrier();
  }
  for (int s : scratch) FreeSlot(s);
  ReleaseAfter(position, v.args);
}

// A reduction of whole rows in the tile.
void VectorBody::WriteReduction(int value) {
  const Value& v = program_.values[value];
  const int arg = v.args[0];
  if (reduce_room_.empty()) reduce_room_ = Reserve(Role::kFull, 2);
  Declare(arg);
  Declare(value);
  const std::string function = v.function == kSum ? "ReduceSum" : v.function == kMax ? "ReduceMax" : "ReduceMin";
  if (RoleOf(arg) == Role::kFull) {
    text_.Open("for (uint32_t r = 0; r < m; ++r) {");
    text_.Line(function, "(v", value, "[r * 16], v", arg, "[r * pitch_], ", reduce_room_, "[r * (pitch_ / 2)], n);");
    text_.Close();
  } else {
    text_.Line(function, "(v", value, ", v", arg, ", ", reduce_room_, ", n);");
  }
  Barrier();
}

// The tile's share of a reduction over several tiles.
void VectorBody::WriteAccumulation(int value) {
  const Value& v = program_.values[value];
  const int arg = v.args[0];
  Declare(arg);
  Declare(value);
  const std::string combine = Combination(v.function);
  if (form_ == Form::kColumns) {
    const bool lanes = RoleOf(arg) == Role::kFull;
    text_.Open("for (uint32_t r = 0; r < m; ++r) {");
    text_.Line(combine, "(v", value, ", v", value, ", v", arg, lanes ? "[r * pitch_], n);" : "[r * 16], 16);");
    Barrier();
    text_.Close();
    return;
  }
  if (reduce_room_.empty()) reduce_room_ = Reserve(Role::kFull, 2);
  if (part_room_.empty()) part_room_ = Reserve(Role::kRows, 4);
  const std::string function = v.function == kSum ? "ReduceSum" : v.function == kMax ? "ReduceMax" : "ReduceMin";
  text_.Line(function, "(", part_room_, ", v", arg, ", ", reduce_room_, ", n);");
  Barrier();
  text_.Line(combine, "(v", value, ", v", value, ", ", part_room_, ", 1);");
  Barrier();
}

void VectorBody::WriteOutputs(const PassWork& work) {
  bool any = false;
  for (int i : work.outputs) {
    const OutputLayout& output = program_.outputs[i];
    size_t direct = 0;
    if (IsDirect(output.value, work, &direct) && direct == static_cast<size_t>(i)) continue;
    any = true;
    Declare(output.value);
    const std::string count = Count(RoleOf(output.value));
    if (output.dtype == v1::FP32 || output.dtype == v1::INT32) {
      text_.Line("Adds(", OutTensor(static_cast<size_t>(i)), ", v", output.value, ", real(0), ", count, ");");
    } else {
      text_.Line("Cast(", OutTensor(static_cast<size_t>(i)), ", v", output.value, ", RoundMode::CAST_RINT, ", count,
                 ");");
    }
  }
  // The next tile writes what was read here.
  if (any) Barrier();
}

void VectorBody::WriteWork(const PassWork& work) {
  life_ = work.life;
  declared_.clear();
  slot_of_.clear();
  last_use_.clear();
  local_scalars_.clear();
  std::fill(slot_taken_.begin(), slot_taken_.end(), false);
  read_in_step_ = false;
  for (size_t i = 0; i < work.values.size(); ++i) {
    for (int arg : program_.values[work.values[i]].args) last_use_[arg] = i;
  }
  for (int v : work.reduces) last_use_[program_.values[v].args[0]] = work.values.size();
  for (int i : work.outputs) last_use_[program_.outputs[i].value] = work.values.size();
  WriteLoads(work);
  for (size_t i = 0; i < work.values.size(); ++i) {
    if (program_.values[work.values[i]].kind == ValueKind::kReduce) {
      WriteReduction(work.values[i]);
      ReleaseAfter(i, program_.values[work.values[i]].args);
    } else {
      WriteMap(work.values[i], work, i);
    }
  }
  for (int v : work.reduces) WriteAccumulation(v);
  WriteOutputs(work);
  if (read_in_step_) text_.Line("Order<HardEvent::S_V>();");
}

void VectorBody::WritePassBegin(const PassWork& step) {
  declared_.clear();
  const std::set<int> kept = KeptScalars(step);
  if (!kept.empty()) text_.Line("Order<HardEvent::V_S>();");
  for (int v : kept) {
    members_.insert(v);
    text_.Line("s", v, "_ = ", PlaceOf(v), ".GetValue(0);");
    read_in_items_ = true;
  }
  for (int v : step.reduces) {
    text_.Line("Duplicate(", PlaceOf(v), ", ", Identity(program_.values[v].function), ", ",
               RoleOf(v) == Role::kLanes ? "n" : "16", ");");
  }
  if (!step.reduces.empty()) Barrier();
}

void VectorBody::WriteItemEnd() {
  // Written after the methods in text, but before in the file: numbers may have been read.
  text_.Line("Order<HardEvent::S_V>();");
}

void VectorBody::WriteMembers() {
  text_.Raw("\n");
  text_.Line("__aicore__ inline LocalTensor<real> Real(uint32_t at) { return work_[at].ReinterpretCast<real>(); }");
  for (int v : members_) text_.Line("real s", v, "_;");
}

}  // namespace kernelsmith::server
