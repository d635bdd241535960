#include "server/proposers/catalog/ascend/layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {

bool LanesAreInner(const Program& program) { return program.has_inner(); }

Role RoleOf(const Program& program, int value) {
  const Footprint& over = program.values[value].over;
  const bool rows = LanesAreInner(program) ? over.reduced : over.outer;
  const bool lanes = LanesAreInner(program) ? over.inner : over.reduced;
  if (rows && lanes) return Role::kFull;
  if (lanes) return Role::kLanes;
  return rows ? Role::kRows : Role::kSingle;
}

bool IsLiteral(const Program& program, int value) {
  const Value& v = program.values[value];
  if (v.kind == ValueKind::kConstant || v.kind == ValueKind::kCount) return true;
  if (v.kind != ValueKind::kMap) return false;
  if (v.function != "add" && v.function != "sub" && v.function != "mul" && v.function != "div") return false;
  return std::all_of(v.args.begin(), v.args.end(), [&](int arg) { return IsLiteral(program, arg); });
}

std::string FormName(Form form) {
  switch (form) {
    case Form::kTiles:
      return "tiles";
    case Form::kChunks:
      return "chunks";
    case Form::kSweep:
      return "sweep";
    case Form::kColumns:
      return "columns";
  }
  return "tiles";
}

Life LifeOf(const Program& program, Form form, int value) {
  const Role role = RoleOf(program, value);
  switch (form) {
    case Form::kTiles:
      return role == Role::kLanes || role == Role::kSingle ? Life::kKernel : Life::kStep;
    case Form::kChunks:
      return role == Role::kSingle ? Life::kKernel : Life::kStep;
    case Form::kSweep:
      return role == Role::kRows || role == Role::kSingle ? Life::kItem : Life::kStep;
    case Form::kColumns:
      return role == Role::kLanes || role == Role::kSingle ? Life::kItem : Life::kStep;
  }
  return Life::kStep;
}

std::string Bytes::Text() const {
  std::string text;
  const auto term = [&](int factor, const char* name) {
    if (factor == 0) return;
    absl::StrAppend(&text, text.empty() ? "" : " + ", factor == 1 ? "" : absl::StrCat(factor, " * "), name);
  };
  term(full, "full_");
  term(lanes, "pitch_");
  term(rows, "wide_");
  if (fixed != 0 || text.empty()) absl::StrAppend(&text, text.empty() ? "" : " + ", fixed);
  return text;
}

std::string Bytes::Braced() const { return absl::StrCat("{", full, ", ", lanes, ", ", rows, ", ", fixed, "}"); }

void Bytes::Add(Role role, int element_bytes) {
  switch (role) {
    case Role::kFull:
      full += element_bytes;
      break;
    case Role::kLanes:
      lanes += element_bytes;
      break;
    case Role::kRows:
    case Role::kSingle:
      rows += element_bytes;
  }
}

void Bytes::Raise(const Bytes& other) {
  full = std::max(full, other.full);
  lanes = std::max(lanes, other.lanes);
  rows = std::max(rows, other.rows);
  fixed = std::max(fixed, other.fixed);
}

int ElementBytes(v1::DType dtype) { return dtype == v1::FP16 || dtype == v1::BF16 ? 2 : 4; }

std::string AscendType(v1::DType dtype) {
  switch (dtype) {
    case v1::FP16:
      return "half";
    case v1::BF16:
      return "bfloat16_t";
    case v1::INT32:
      return "int32_t";
    default:
      return "float";
  }
}

std::string DeviceLiteral(double number, bool integer) {
  std::array<char, 64> buffer{};
  if (integer) return absl::StrCat(static_cast<int64_t>(number));
  if (std::isnan(number)) return "__builtin_nanf(\"\")";
  if (std::isinf(number)) return number > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  std::snprintf(buffer.data(), buffer.size(), "%.9g", number);
  std::string text = buffer.data();
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

}  // namespace kernelsmith::server
