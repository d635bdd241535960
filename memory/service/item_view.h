// An item as the API shows it: the logged attempt joined with the item's current values.
#pragma once

#include "kernelsmith/v1/memory.pb.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {

// REQUIRES: `fact` is an attempt, `kind` is CASE or JOURNAL.
v1::Item ItemOf(const Fact& fact, v1::ItemKind kind, v1::ItemValues values);

// What a stored retrieval keeps of an included item: its id, kind and values. The rest is joined again by ItemOf.
v1::Item WithoutContent(const v1::Item& item);

}  // namespace kernelsmith::memory
