// The element-wise functions that a program may use, and their text in a candidate.
//
// Every function has two texts. `scalar` works on `real` (float or int32_t) with the C++ library and serves first
// drafts and values that exist once a row. `vector` works on `vec`, which is a GCC vector or, in scalar schedules,
// `real` itself; a function without a vector text is called lane by lane. `$0`, `$1`, `$2` stand for the arguments.
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::server {

struct MapFunction {
  std::string name;
  int arity = 1;
  std::string scalar;
  std::string vector;
  std::vector<std::string> needs;  // functions of the vector text that vector_math.h has to provide
  bool integer = false;            // also defined on int32_t
  bool costly = false;             // worth keeping rather than computing again
};

// nullptr if there is no such function.
const MapFunction* FindMapFunction(const std::string& name);

// `text` with its placeholders replaced.
std::string Substitute(const std::string& text, const std::vector<std::string>& args);

// A number as a literal of type real.
std::string RealLiteral(double number, bool integer);

}  // namespace kernelsmith::server
