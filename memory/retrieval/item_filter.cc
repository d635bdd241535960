#include "memory/retrieval/item_filter.h"

namespace kernelsmith::memory {

template <typename Repeated>
ItemFilter::Choice ItemFilter::NamesOf(const Repeated& names) const {
  Choice choice;
  for (const std::string& name : names) {
    choice.any = false;
    if (const auto number = graph_.strings().Find(name)) choice.values.insert(*number);
  }
  return choice;
}

ItemFilter::ItemFilter(const v1::Filter& filter, const std::vector<std::string>& held_out_operators,
                       const ExperienceGraph& graph)
    : graph_(graph) {
  const auto enums = [](const auto& values) {
    Choice choice;
    for (const int value : values) {
      choice.any = false;
      choice.values.insert(static_cast<uint32_t>(value));
    }
    return choice;
  };
  kinds_ = enums(filter.kinds());
  labels_ = enums(filter.labels());
  stages_ = enums(filter.stages());
  purposes_ = enums(filter.purposes());
  layers_ = enums(filter.layers());
  operators_ = NamesOf(filter.operators());
  families_ = NamesOf(filter.families());
  levels_ = NamesOf(filter.levels());
  bottlenecks_ = NamesOf(filter.bottlenecks());
  thoughts_ = NamesOf(filter.thoughts());
  proposer_kinds_ = NamesOf(filter.proposer_kinds());
  sessions_ = NamesOf(filter.sessions());
  if (!filter.architecture().empty()) architecture_ = NamesOf(std::vector<std::string>{filter.architecture()});
  excluded_sessions_ = NamesOf(filter.excluded_sessions()).values;
  held_out_ = NamesOf(held_out_operators).values;
  correct_only_ = filter.correct_only();

  passes_everything_ = !correct_only_ && excluded_sessions_.empty() && held_out_.empty();
  for (const Choice* choice : {&kinds_, &labels_, &stages_, &purposes_, &layers_, &operators_, &families_, &levels_,
                               &bottlenecks_, &thoughts_, &proposer_kinds_, &sessions_, &architecture_}) {
    passes_everything_ = passes_everything_ && choice->any;
  }
}

bool ItemFilter::Matches(int item) const {
  if (passes_everything_) return true;
  const ItemRecord& record = graph_.item(item);
  const AttemptRecord& attempt = graph_.attempt(record.attempt);
  if (held_out_.contains(attempt.operator_name) || excluded_sessions_.contains(attempt.session)) return false;
  const AttemptForest::Node& node = graph_.forest().node(record.attempt);
  if (correct_only_ && !node.correct) return false;
  return kinds_.Admits(static_cast<uint32_t>(record.kind)) && labels_.Admits(static_cast<uint32_t>(node.label)) &&
         stages_.Admits(static_cast<uint32_t>(attempt.stage)) &&
         purposes_.Admits(static_cast<uint32_t>(attempt.purpose)) &&
         layers_.Admits(static_cast<uint32_t>(attempt.layer)) && operators_.Admits(attempt.operator_name) &&
         families_.Admits(attempt.family) && levels_.Admits(attempt.level) && bottlenecks_.Admits(attempt.bottleneck) &&
         thoughts_.Admits(attempt.thought) && proposer_kinds_.Admits(attempt.proposer_kind) &&
         sessions_.Admits(attempt.session) && architecture_.Admits(attempt.architecture);
}

}  // namespace kernelsmith::memory
