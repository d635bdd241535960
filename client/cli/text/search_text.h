// Search results as text.
#pragma once

#include <string>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

std::string SearchText(const v1::RetrieveResponse& found);

// With how each score came about: BM25 and cosine with their ranks, fusion, u, Q, d, chance, and the reason in words.
std::string ExplainedSearchText(const v1::RetrieveResponse& found);

// "effective"; "-" for none.
std::string LabelText(v1::Label label);

}  // namespace kernelsmith::client
