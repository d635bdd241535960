// Kernels that do what no kernel should. Each is a whole source for the cpu target; all of them are for y = 2 x on
// float vectors. They avoid what the static screen looks for (calls are made through pointers), because the screen is
// not what is tested here.
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::worker::hostile {

struct Candidate {
  std::string name;    // for test names: CamelCase
  std::string source;  // without the include of the ABI header
};

// By name; aborts if there is none.
const Candidate& Named(const std::string& name);
const std::vector<Candidate>& All();

// The honest one.
std::string HonestSource();

}  // namespace kernelsmith::worker::hostile
