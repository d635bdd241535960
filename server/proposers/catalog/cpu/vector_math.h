// Text of the vector functions that a candidate may need: exp, log, tanh, erf and what is built on them.
//
// The functions are written over `vec` and `ivec`, so that the same text serves 16, 8 or 4 lanes and a scalar.
// Coefficients are our own minimax fits (Lawson-weighted least squares on Chebyshev nodes); relative errors of the fits
// lie below 3e-8, those of the functions within about 2 ulp of binary32 (erf 3). docs/catalog.md lists ranges and
// errors.
#pragma once

#include <set>
#include <string>

namespace kernelsmith::server {

// The named functions and all that they call, in an order that compiles. `lanes` is 1, 4, 8 or 16.
std::string VectorMathText(const std::set<std::string>& functions, int lanes);

}  // namespace kernelsmith::server
