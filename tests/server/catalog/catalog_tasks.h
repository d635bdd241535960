// Small task specifications as the tracer emits them, each with a plain reference in double precision.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::server::testing {

using Shape = std::vector<int64_t>;

// Values of one tensor in row-major order.
using Numbers = std::vector<double>;

struct Operator {
  std::string name;
  // A task whose only case has this many rows and columns (and layers, for operators over three dimensions).
  std::function<v1::TaskSpec(int64_t rows, int64_t columns)> task;
  // Results from the case's shapes and the inputs.
  std::function<std::vector<Numbers>(const v1::TaskCase&, const std::vector<Numbers>&)> reference;
};

// Every operator that the tests render: element-wise, row reductions, matrix products; several types.
const std::vector<Operator>& Operators();
const Operator& FindOperator(const std::string& name);
// Those of them that the cpu target has schedules for.
std::vector<Operator> CpuOperators();

// Building blocks of tasks.
v1::TaskSpec NewTask(const std::string& name);
void AddTensor(v1::TaskSpec* task, const std::string& name, v1::DType dtype, const Shape& shape,
               bool parameter = false);
void AddResult(v1::TaskSpec* task, const std::string& name, v1::DType dtype, const Shape& shape);
using Attributes = std::vector<std::pair<std::string, std::string>>;
void AddNode(v1::TaskSpec* task, const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
             const Attributes& attributes = {});
void AddOutput(v1::TaskSpec* task, const std::vector<std::string>& results);

}  // namespace kernelsmith::server::testing
