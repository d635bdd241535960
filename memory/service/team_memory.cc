#include "memory/service/team_memory.h"

#include "memory/retrieval/item_text.h"

namespace kernelsmith::memory {

void TeamMemory::Apply(const Fact& fact) {
  const int known = graph.item_count();
  graph.Apply(fact);
  for (int item = known; item < graph.item_count(); ++item) {
    const v1::Case& source = fact.attempt().case_();
    index.Add(graph.item(item).kind == v1::CASE ? CaseText(source) : JournalText(source, fact.attempt().journal()));
  }
}

}  // namespace kernelsmith::memory
