// How the values of a program are spelled in a candidate, shared by the renderers.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

// Every element type that appears among inputs and outputs.
std::set<v1::DType> TypesOf(const Program& program);

// A map's text for single numbers, and for vectors. `polynomial` selects the catalog's own functions, else the C++
// library is called lane by lane for functions that are more than arithmetic.
std::string ScalarMapText(const Value& value, const std::vector<std::string>& args);
std::string VectorMapText(const Value& value, const std::vector<std::string>& args, bool polynomial);

// The functions of vector_math.h that the program's vector text calls.
std::set<std::string> VectorFunctionsOf(const Program& program, bool polynomial);

// Which step of the outer group an input is at when the operator is at `o`: "o", or "o / a.each1 % a.count1" when some
// of the outer dimensions are single elements in it.
std::string OuterIndexText(const Program& program, const Value& load, const std::string& o);

// Text that fills a.eachN and a.countN of an input; empty if it needs none.
std::string OuterIndexSetup(const Program& program, const InputLayout& input, const std::string& base);
bool NeedsOuterIndex(const Program& program, const InputLayout& input);

// "{1, 0}": the third argument of fits() in a candidate.
std::string WholeText(const InputLayout& input);

}  // namespace kernelsmith::server
