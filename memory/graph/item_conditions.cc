#include "memory/graph/item_conditions.h"

#include <algorithm>
#include <utility>

namespace kernelsmith::memory {
namespace {

using NumberOf = std::function<std::optional<uint32_t>(absl::string_view)>;

template <typename Names>
std::vector<uint32_t> NumbersOf(const Names& names, const NumberOf& number_of) {
  std::vector<uint32_t> numbers;
  for (const std::string& name : names) {
    if (const std::optional<uint32_t> number = number_of(name)) numbers.push_back(*number);
  }
  return numbers;
}

template <typename Enums>
std::vector<uint32_t> EnumNumbers(const Enums& values) {
  std::vector<uint32_t> numbers;
  for (const int value : values) numbers.push_back(static_cast<uint32_t>(value));
  return numbers;
}

bool HasOne(const FacetIndex& index, const ItemConditions::Choice& choice, uint32_t item) {
  return std::any_of(choice.values.begin(), choice.values.end(),
                     [&](uint32_t value) { return index.Contains(choice.facet, value, item); });
}

}  // namespace

ItemConditions ConditionsOf(const ItemQuery& query, const NumberOf& number_of) {
  const v1::Filter& filter = query.filter;
  ItemConditions conditions;
  const auto names = [&](Facet facet, const auto& wanted) {
    if (!wanted.empty()) conditions.any_of.push_back({facet, NumbersOf(wanted, number_of)});
  };
  const auto enums = [&](Facet facet, const auto& wanted) {
    if (!wanted.empty()) conditions.any_of.push_back({facet, EnumNumbers(wanted)});
  };
  enums(Facet::kKind, filter.kinds());
  names(Facet::kOperator, filter.operators());
  names(Facet::kFamily, filter.families());
  names(Facet::kLevel, filter.levels());
  enums(Facet::kLabel, filter.labels());
  enums(Facet::kStage, filter.stages());
  enums(Facet::kPurpose, filter.purposes());
  enums(Facet::kLayer, filter.layers());
  names(Facet::kBottleneck, filter.bottlenecks());
  names(Facet::kThought, filter.thoughts());
  names(Facet::kProposerKind, filter.proposer_kinds());
  names(Facet::kSession, filter.sessions());
  if (!filter.architecture().empty()) names(Facet::kArchitecture, std::vector<std::string>{filter.architecture()});
  names(Facet::kBundle, filter.bundles());
  names(Facet::kName, filter.names());
  names(Facet::kProducer, filter.producers());
  names(Facet::kModel, filter.models());
  enums(Facet::kDtype, filter.dtypes());

  const auto refuse = [&](Facet facet, std::vector<uint32_t> values) {
    if (!values.empty()) conditions.none_of.push_back({facet, std::move(values)});
  };
  if (!filter.include_retired()) refuse(Facet::kOut, {1});
  if (filter.correct_only()) refuse(Facet::kFailed, {1});
  refuse(Facet::kSession, NumbersOf(filter.excluded_sessions(), number_of));
  const std::vector<uint32_t> held_out = NumbersOf(query.held_out_operators, number_of);
  refuse(Facet::kOperator, held_out);
  refuse(Facet::kProvenance, held_out);

  if (!query.producer.empty()) conditions.producer = number_of(query.producer);
  if (!query.reader_team.empty()) {
    conditions.for_reader = true;
    conditions.reader_team = number_of(query.reader_team);
    refuse(Facet::kShared, {2});
    if (conditions.reader_team) refuse(Facet::kOrigin, {*conditions.reader_team});
  }
  conditions.target = query.target;
  return conditions;
}

bool ItemConditions::Admit(const FacetIndex& index, const ApplicabilityTable& applicability,
                           uint32_t applicability_number, uint32_t item) const {
  for (const Choice& choice : any_of) {
    if (!HasOne(index, choice, item)) return false;
  }
  for (const Choice& choice : none_of) {
    if (HasOne(index, choice, item)) return false;
  }
  if (index.Contains(Facet::kPrivate, 1, item) &&
      !(producer.has_value() && index.Contains(Facet::kProducer, *producer, item))) {
    return false;
  }
  if (for_reader && !index.Contains(Facet::kShared, 1, item) &&
      !(reader_team.has_value() && index.Contains(Facet::kReader, *reader_team, item))) {
    return false;
  }
  return applicability.Holds(applicability_number, target);
}

}  // namespace kernelsmith::memory
