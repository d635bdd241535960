// The element-wise functions of operators.h as sequences of vector instructions, and as scalar code.
//
// Texts have placeholders: $d result, $0 $1 arguments, $a $b $c temporaries of the result's size, $n elements.
#pragma once

#include <string>
#include <vector>

#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

// Statements for one combination of tensor ('t') and scalar ('s') arguments.
struct VectorFunction {
  std::string name;
  std::string form;  // "t", "tt", "ts", "st"
  int temporaries = 0;
  std::vector<std::string> statements;

  // The result may lie where an argument lies.
  bool InPlace() const { return statements.size() == 1; }
};

// The combination of `form`; null if there is none, in which case scalars have to be spread over tensors first.
const VectorFunction* FindVectorFunction(const std::string& name, const std::string& form, bool integer);

// One number after the other, on the scalar unit.
std::string ScalarDeviceText(const Value& value, const std::vector<std::string>& args);
// The device functions that ScalarDeviceText's results call, for the functions of `program`.
std::string ScalarFunctionsText(const Program& program);

}  // namespace kernelsmith::server
