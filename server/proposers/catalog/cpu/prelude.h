// The parts of a candidate's text that do not depend on what it computes: types, loads and stores, threads, checks.
#pragma once

#include <set>
#include <string>

#include "server/proposers/catalog/problem.h"

namespace kernelsmith::server {

// "float", "f16", "bf16" or "int32_t".
std::string TypeName(v1::DType dtype);
// "KS_FP32" and so on.
std::string TypeConstant(v1::DType dtype);

// Head comment and the ABI.
std::string HeadText(const Problem& problem, const std::string& schedule);
// The standard headers that `body` uses, and the start of the anonymous namespace.
std::string IncludesText(const std::string& body);
// `real` and the 16-bit types among `types` with get() and put().
std::string ScalarText(const std::set<v1::DType>& types, bool integer);
// vec, ivec, mask, splat, pick, load, store and their partial forms for `types`; sums and extremes across lanes.
std::string VectorText(const std::set<v1::DType>& types, int lanes, bool integer);
// stream(): a store past the caches where pointer and lanes allow it.
std::string StreamText(int lanes);
// parallel(items, threads, range): on this thread, or with a static or dynamic split over threads that are joined
// before it returns.
std::string ParallelText(bool threads, bool dynamic);
// extent(), row_major(), fits().
std::string CheckText();
// Dense<T>: a row-major copy of a strided tensor.
std::string DenseText();

}  // namespace kernelsmith::server
