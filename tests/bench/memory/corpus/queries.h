// Queries as a user's, a coding agent's or the coordinator's would be: eight words drawn around something that the
// corpus holds, mixed from operator names, identifiers, error codes and prose in two languages, with and without
// filters.
//
//   v1::RetrieveRequest request = MakeQuery(corpus, attempts, 17);
//
// Their filters depend on the recorded request alone, so that an oracle can apply them.
#pragma once

#include <cstdint>

#include "kernelsmith/v1/memory.pb.h"
#include "tests/bench/memory/corpus/corpus.h"

namespace kernelsmith::memory::bench {

// Distinct terms of a query, as the memory's tokenizer counts them: "DataCopyPad" alone has four.
inline constexpr size_t kQueryTerms = 8;

// The query of this number on the first `attempts` attempts, of `terms` terms or the few more that its last word
// brings; asks for ten items. Half have no filter.
v1::RetrieveRequest MakeQuery(const Corpus& corpus, int64_t attempts, int64_t number, size_t terms = kQueryTerms);

// True if an item of this kind of the attempt passes the filters that MakeQuery sets.
bool Passes(const v1::Filter& filter, const v1::RecordAttemptRequest& attempt, v1::ItemKind kind);

// What the coordinator would ask before an attempt of the query's subject.
v1::AssembleContextRequest MakeContext(const Corpus& corpus, int64_t attempts, int64_t number);

}  // namespace kernelsmith::memory::bench
