// An item as the API shows it: the logged fact joined with the item's current values.
#pragma once

#include <string>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {

// REQUIRES: `fact` is an attempt with `kind` CASE or JOURNAL, an item, or a shared item.
v1::Item ItemOf(Fact fact, v1::ItemKind kind, v1::ItemValues values);

// What a stored retrieval keeps of an included item: its id, kind, scope and values. The rest is joined again by
// ItemOf.
v1::Item WithoutContent(const v1::Item& item);

// Without texts, case, journal and content: what `brief` asks for.
v1::Item Brief(v1::Item item);

// The rule that a template makes of an item, as the fold counts its tokens.
std::string RuleTextOf(const Fact& fact, const v1::ItemValues& values);

// What the search index holds of an item. REQUIRES as of ItemOf.
std::string SearchTextOf(const Fact& fact, v1::ItemKind kind);

}  // namespace kernelsmith::memory
