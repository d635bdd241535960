// A term of a query with its lists in all pieces of the index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/retrieval/lexical/posting_list.h"

namespace kernelsmith::memory {

struct QueryTerm {
  std::string term;
  std::vector<PostingList> lists;  // by piece
  int64_t postings = 0;            // in all of them
};

}  // namespace kernelsmith::memory
