#include "worker/emulator/device/vector/rounding_rules.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator::vector {
namespace {

// Sets of modes, a bit each.
constexpr unsigned kNone = 1u << static_cast<int>(Rounding::kNone);
constexpr unsigned kOdd = 1u << static_cast<int>(Rounding::kOdd);
constexpr unsigned kFive = (1u << static_cast<int>(Rounding::kRint)) | (1u << static_cast<int>(Rounding::kFloor)) |
                           (1u << static_cast<int>(Rounding::kCeil)) | (1u << static_cast<int>(Rounding::kRound)) |
                           (1u << static_cast<int>(Rounding::kTrunc));

struct Rule {
  Element from;
  Element to;
  unsigned modes;
};

constexpr Rule kRules[] = {
    {Element::kInt4, Element::kHalf, kNone},           {Element::kInt8, Element::kHalf, kNone},
    {Element::kUint8, Element::kHalf, kNone},          {Element::kInt16, Element::kHalf, kFive | kNone},
    {Element::kInt16, Element::kFloat, kNone},         {Element::kHalf, Element::kInt4, kFive | kNone},
    {Element::kHalf, Element::kInt8, kFive | kNone},   {Element::kHalf, Element::kUint8, kFive | kNone},
    {Element::kHalf, Element::kInt16, kFive},          {Element::kHalf, Element::kInt32, kFive},
    {Element::kHalf, Element::kFloat, kNone},          {Element::kBfloat16, Element::kInt32, kFive},
    {Element::kBfloat16, Element::kFloat, kNone},      {Element::kInt32, Element::kInt16, kNone},
    {Element::kInt32, Element::kFloat, kFive | kNone}, {Element::kInt32, Element::kInt64, kNone},
    {Element::kFloat, Element::kInt16, kFive},         {Element::kFloat, Element::kHalf, kFive | kOdd | kNone},
    {Element::kFloat, Element::kBfloat16, kFive},      {Element::kFloat, Element::kInt32, kFive},
    {Element::kFloat, Element::kFloat, kFive},         {Element::kFloat, Element::kInt64, kFive},
    {Element::kInt64, Element::kInt32, kNone},         {Element::kInt64, Element::kFloat, kFive},
};

constexpr const char* kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                  "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

unsigned ModesOf(Element to, Element from) {
  for (const Rule& rule : kRules) {
    if (rule.to == to && rule.from == from) return rule.modes;
  }
  return 0;
}

}  // namespace

bool RoundingAllowed(Element to, Element from, Rounding mode) {
  return (ModesOf(to, from) >> static_cast<int>(mode) & 1) != 0;
}

std::string RoundingsAllowed(Element to, Element from) {
  std::string names;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if ((ModesOf(to, from) >> i & 1) != 0) absl::StrAppend(&names, names.empty() ? "" : " or ", kNames[i]);
  }
  return names;
}

std::string RoundingName(uint8_t mode) {
  return mode < std::size(kNames) ? kNames[mode] : absl::StrCat("of value ", static_cast<int>(mode));
}

}  // namespace kernelsmith::emulator::vector
