#include "tests/server/catalog/catalog_tasks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/problem.h"

namespace kernelsmith::server::testing {
namespace {

Shape ShapeOf(const v1::TensorDescriptor& t) { return Shape(t.shape().begin(), t.shape().end()); }

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }
double Gelu(double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }

struct Unary {
  std::string op;
  Attributes attributes;
  double (*reference)(double);
};

const std::vector<Unary>& Unaries() {
  static const auto* const list = new std::vector<Unary>{
      {"neg", {}, [](double x) { return -x; }},
      {"abs", {}, [](double x) { return std::fabs(x); }},
      {"square", {}, [](double x) { return x * x; }},
      {"relu", {}, [](double x) { return std::max(x, 0.0); }},
      {"sign", {}, [](double x) { return double(x > 0) - double(x < 0); }},
      {"exp", {}, [](double x) { return std::exp(x); }},
      {"expm1", {}, [](double x) { return std::expm1(x); }},
      {"tanh", {}, [](double x) { return std::tanh(x); }},
      {"sigmoid", {}, Sigmoid},
      {"silu", {}, [](double x) { return x * Sigmoid(x); }},
      {"erf", {}, [](double x) { return std::erf(x); }},
      {"gelu", {{"approximate", "\"none\""}}, Gelu},
      {"gelu",
       {{"approximate", "\"tanh\""}},
       [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }},
      {"leaky_relu", {{"negative_slope", "0.1"}}, [](double x) { return x > 0 ? x : 0.1 * x; }},
      {"elu", {{"alpha", "0.5"}}, [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }},
      {"selu", {}, [](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); }},
      {"hardswish", {}, [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
      {"hardsigmoid", {}, [](double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; }},
      {"hardtanh", {{"min_val", "-0.5"}, {"max_val", "2.0"}}, [](double x) { return std::clamp(x, -0.5, 2.0); }},
      {"relu6", {}, [](double x) { return std::clamp(x, 0.0, 6.0); }},
      {"clamp", {{"min", "-1"}}, [](double x) { return std::max(x, -1.0); }},
      {"softplus", {{"beta", "1.0"}, {"threshold", "20.0"}}, Softplus},
      {"softplus", {{"beta", "2"}, {"threshold", "20"}}, [](double x) { return Softplus(2 * x) / 2; }},
      {"softsign", {}, [](double x) { return x / (1 + std::fabs(x)); }},
      {"mish", {}, [](double x) { return x * std::tanh(Softplus(x)); }},
      {"logsigmoid", {}, [](double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::fabs(x))); }},
      {"sin", {}, [](double x) { return std::sin(x); }},
      {"floor", {}, [](double x) { return std::floor(x); }},
      {"pow", {{"exponent", "3"}}, [](double x) { return x * x * x; }},
      {"pow", {{"exponent", "2.0"}}, [](double x) { return x * x; }},
  };
  return *list;
}

// Functions of a positive number.
const std::vector<Unary>& PositiveUnaries() {
  static const auto* const list = new std::vector<Unary>{
      {"log", {}, [](double x) { return std::log(x); }},
      {"log1p", {}, [](double x) { return std::log1p(x); }},
      {"log2", {}, [](double x) { return std::log2(x); }},
      {"sqrt", {}, [](double x) { return std::sqrt(x); }},
      {"rsqrt", {}, [](double x) { return 1 / std::sqrt(x); }},
      {"reciprocal", {}, [](double x) { return 1 / x; }},
      {"pow", {{"exponent", "-0.5"}}, [](double x) { return 1 / std::sqrt(x); }},
      {"pow", {{"exponent", "1.7"}}, [](double x) { return std::pow(x, 1.7); }},
  };
  return *list;
}

// Every function of a list is a result of one task.
Operator UnaryOperator(const std::string& name, const std::vector<Unary>& unaries, bool positive) {
  Operator result;
  result.name = name;
  result.task = [&unaries, positive, name](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    AddTensor(&task, "x", v1::FP32, {rows, columns});
    std::string argument = "x";
    if (positive) {
      AddNode(&task, "magnitude", "abs", {"x"});
      AddNode(&task, "positive", "add", {"magnitude"}, {{"other", "0.01"}});
      argument = "positive";
    }
    std::vector<std::string> results;
    for (const Unary& u : unaries) {
      results.push_back(absl::StrCat(u.op, "_", results.size()));
      AddNode(&task, results.back(), u.op, {argument}, u.attributes);
      AddResult(&task, results.back(), v1::FP32, {rows, columns});
    }
    AddOutput(&task, results);
    return task;
  };
  result.reference = [&unaries, positive](const v1::TaskCase&, const std::vector<Numbers>& inputs) {
    std::vector<Numbers> results;
    for (const Unary& u : unaries) {
      Numbers y;
      for (double x : inputs[0]) y.push_back(u.reference(positive ? std::fabs(x) + 0.01 : x));
      results.push_back(std::move(y));
    }
    return results;
  };
  return result;
}

// One function of one tensor.
Operator UnaryFunction(const std::string& name, const std::string& op, v1::DType dtype, double (*function)(double)) {
  Operator result;
  result.name = name;
  result.task = [name, op, dtype](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    AddTensor(&task, "x", dtype, {rows, columns});
    AddNode(&task, op, op, {"x"});
    AddResult(&task, "y", dtype, {rows, columns});
    AddOutput(&task, {op});
    return task;
  };
  result.reference = [function](const v1::TaskCase&, const std::vector<Numbers>& in) {
    Numbers y;
    for (double x : in[0]) y.push_back(function(x));
    return std::vector<Numbers>{y};
  };
  return result;
}

// [2, rows, columns] to [2, columns, rows].
Operator TranspositionOperator(const std::string& name, v1::DType dtype) {
  Operator result;
  result.name = name;
  result.task = [name, dtype](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    AddTensor(&task, "x", dtype, {2, rows, columns});
    AddNode(&task, "swapped", "transpose", {"x"}, {{"dim0", "-2"}, {"dim1", "-1"}});
    AddNode(&task, "contiguous", "contiguous", {"swapped"});
    AddResult(&task, "y", dtype, {2, columns, rows});
    AddOutput(&task, {"contiguous"});
    return task;
  };
  result.reference = [](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    const Shape shape = ShapeOf(c.inputs(0));
    Numbers y(in[0].size());
    for (int64_t b = 0; b < shape[0]; ++b) {
      for (int64_t i = 0; i < shape[1]; ++i) {
        for (int64_t j = 0; j < shape[2]; ++j) {
          y[size_t((b * shape[2] + j) * shape[1] + i)] = in[0][size_t((b * shape[1] + i) * shape[2] + j)];
        }
      }
    }
    return std::vector<Numbers>{y};
  };
  return result;
}

// relu(x * w + 2) / s - 1 / (x^2 + 1): a vector over the columns, one over the rows, numbers on either side.
Operator BroadcastOperator(const std::string& name, v1::DType dtype) {
  Operator result;
  result.name = name;
  result.task = [name, dtype](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    AddTensor(&task, "x", dtype, {rows, columns});
    AddTensor(&task, "s", dtype, {rows, 1});
    AddTensor(&task, "w", dtype, {columns}, true);
    AddNode(&task, "mul", "mul", {"x", "w"});
    AddNode(&task, "add", "add", {"mul"}, {{"other", "2"}});
    AddNode(&task, "relu", "relu", {"add"});
    AddNode(&task, "sigmoid", "sigmoid", {"s"});
    AddNode(&task, "div", "div", {"relu", "sigmoid"});
    AddNode(&task, "pow", "pow", {"x"}, {{"exponent", "2"}});
    AddNode(&task, "plus", "add", {"pow"}, {{"other", "1.0"}});
    AddNode(&task, "inverse", "div", {"plus"}, {{"self", "1"}});
    AddNode(&task, "sub", "sub", {"div", "inverse"});
    AddResult(&task, "y", dtype, {rows, columns});
    AddOutput(&task, {"sub"});
    return task;
  };
  result.reference = [](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    const int64_t rows = c.inputs(0).shape(0);
    const int64_t columns = c.inputs(0).shape(1);
    Numbers y;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        const double x = in[0][size_t(r * columns + j)];
        y.push_back(std::max(x * in[2][size_t(j)] + 2, 0.0) / Sigmoid(in[1][size_t(r)]) - 1 / (x * x + 1));
      }
    }
    return std::vector<Numbers>{y};
  };
  return result;
}

Operator ChannelOperator() {  // x [2, rows, columns, 3] + bias [rows, 1, 1]: a period among the outer dimensions
  Operator result;
  result.name = "channel_bias";
  result.task = [](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask("channel_bias");
    AddTensor(&task, "x", v1::FP32, {2, rows, columns, 3});
    AddTensor(&task, "bias", v1::FP32, {rows, 1, 1}, true);
    AddNode(&task, "add", "add", {"x", "bias"});
    AddNode(&task, "tanh", "tanh", {"add"});
    AddResult(&task, "y", v1::FP32, {2, rows, columns, 3});
    AddOutput(&task, {"tanh"});
    return task;
  };
  result.reference = [](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    const int64_t rows = c.inputs(0).shape(1);
    const int64_t step = c.inputs(0).shape(2) * 3;
    Numbers y;
    for (size_t i = 0; i < in[0].size(); ++i) {
      y.push_back(std::tanh(in[0][i] + in[1][size_t(int64_t(i) / step % rows)]));
    }
    return std::vector<Numbers>{y};
  };
  return result;
}

Operator IntegerOperator() {
  Operator result;
  result.name = "integer";
  result.task = [](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask("integer");
    AddTensor(&task, "x", v1::INT32, {rows, columns});
    AddTensor(&task, "y", v1::INT32, {rows, columns});
    AddNode(&task, "mul", "mul", {"x"}, {{"other", "3"}});
    AddNode(&task, "sub", "sub", {"mul", "y"});
    AddNode(&task, "relu", "relu", {"sub"});
    AddNode(&task, "clamp", "clamp", {"relu"}, {{"max", "40"}});
    AddResult(&task, "z", v1::INT32, {rows, columns});
    AddOutput(&task, {"clamp"});
    return task;
  };
  result.reference = [](const v1::TaskCase&, const std::vector<Numbers>& in) {
    Numbers z;
    for (size_t i = 0; i < in[0].size(); ++i) z.push_back(std::clamp(in[0][i] * 3 - in[1][i], 0.0, 40.0));
    return std::vector<Numbers>{z};
  };
  return result;
}

// ---- Rows ----

// Applies `row` to every row along dimension `dim` of input 0; results have as many elements as the row function gives.
std::vector<Numbers> AlongDimension(const v1::TaskCase& c, const Numbers& x, int dim,
                                    const std::function<Numbers(const Numbers&)>& row) {
  const Shape shape = ShapeOf(c.inputs(0));
  const int64_t length = shape[size_t(dim)];
  const int64_t inner = std::accumulate(shape.begin() + dim + 1, shape.end(), int64_t{1}, std::multiplies<>());
  const int64_t outer = std::accumulate(shape.begin(), shape.begin() + dim, int64_t{1}, std::multiplies<>());
  Numbers y;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Numbers values;
      for (int64_t r = 0; r < length; ++r) values.push_back(x[size_t((o * length + r) * inner + i)]);
      const Numbers result = row(values);
      const auto n = int64_t(result.size());
      y.resize(size_t(outer * n * inner));
      for (int64_t r = 0; r < n; ++r) y[size_t((o * n + r) * inner + i)] = result[size_t(r)];
    }
  }
  return {y};
}

double Sum(const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

Numbers Softmax(const Numbers& x) {
  const double max = *std::max_element(x.begin(), x.end());
  Numbers y;
  for (double v : x) y.push_back(std::exp(v - max));
  const double sum = Sum(y);
  for (double& v : y) v /= sum;
  return y;
}

Numbers LogSoftmax(const Numbers& x) {
  const double max = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double v : x) sum += std::exp(v - max);
  Numbers y;
  for (double v : x) y.push_back(v - max - std::log(sum));
  return y;
}

Numbers Standardised(const Numbers& x) {
  const double n = double(x.size());
  const double mean = Sum(x) / n;
  double squares = 0;
  for (double v : x) squares += (v - mean) * (v - mean);
  Numbers y;
  for (double v : x) y.push_back((v - mean) / std::sqrt(squares / n + 1e-5));
  return y;
}

// One node over [rows, columns], or over dimension 1 of [2, rows, columns].
Operator RowOperator(const std::string& name, const std::string& op, Attributes attributes, v1::DType dtype,
                     bool middle, bool removes, const std::function<Numbers(const Numbers&)>& row) {
  Operator result;
  result.name = name;
  result.task = [=](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    const Shape shape = middle ? Shape{2, rows, columns} : Shape{rows, columns};
    Shape reduced = middle ? Shape{2, columns} : Shape{rows};
    AddTensor(&task, "x", dtype, shape);
    AddNode(&task, "result", op, {"x"}, attributes);
    AddResult(&task, "y", dtype, removes ? reduced : shape);
    AddOutput(&task, {"result"});
    return task;
  };
  result.reference = [row](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    return AlongDimension(c, in[0], 1, row);
  };
  return result;
}

Operator LayerNormOperator(const std::string& name, v1::DType dtype) {
  Operator result;
  result.name = name;
  result.task = [=](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    AddTensor(&task, "x", dtype, {rows, columns});
    AddTensor(&task, "norm.weight", dtype, {columns}, true);
    AddTensor(&task, "norm.bias", dtype, {columns}, true);
    AddNode(&task, "norm", "layer_norm", {"x", "norm.weight", "norm.bias"},
            {{"normalized_shape", absl::StrCat("[", columns, "]")}, {"eps", "1e-05"}});
    AddResult(&task, "y", dtype, {rows, columns});
    AddOutput(&task, {"norm"});
    return task;
  };
  result.reference = [](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    std::vector<Numbers> y = AlongDimension(c, in[0], 1, Standardised);
    const size_t columns = in[1].size();
    for (size_t i = 0; i < y[0].size(); ++i) y[0][i] = y[0][i] * in[1][i % columns] + in[2][i % columns];
    return y;
  };
  return result;
}

Operator RmsNormOperator() {  // as configs/tasks/rms_norm.py is traced
  Operator result;
  result.name = "rms_norm";
  result.task = [](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask("rms_norm");
    AddTensor(&task, "x", v1::FP32, {rows, columns});
    AddTensor(&task, "weight", v1::FP32, {columns}, true);
    AddNode(&task, "pow_1", "pow", {"x"}, {{"exponent", "2"}});
    AddNode(&task, "mean", "mean", {"pow_1"}, {{"dim", "-1"}, {"keepdim", "true"}});
    AddNode(&task, "add", "add", {"mean"}, {{"other", "1e-05"}});
    AddNode(&task, "rsqrt", "rsqrt", {"add"});
    AddNode(&task, "mul", "mul", {"x", "rsqrt"});
    AddNode(&task, "mul_1", "mul", {"mul", "weight"});
    AddResult(&task, "y", v1::FP32, {rows, columns});
    AddOutput(&task, {"mul_1"});
    return task;
  };
  result.reference = [](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    std::vector<Numbers> y = AlongDimension(c, in[0], 1, [](const Numbers& x) {
      double squares = 0;
      for (double v : x) squares += v * v;
      Numbers out;
      for (double v : x) out.push_back(v / std::sqrt(squares / double(x.size()) + 1e-5));
      return out;
    });
    for (size_t i = 0; i < y[0].size(); ++i) y[0][i] *= in[1][i % in[1].size()];
    return y;
  };
  return result;
}

// ---- Products ----

// The matrix product [rows, 37] x [37, columns] in one of its spellings, with an optional epilogue.
Operator ProductOperator(const std::string& name, const std::string& form, v1::DType dtype) {
  constexpr int64_t kDepth = 37;
  Operator result;
  result.name = name;
  result.task = [=](int64_t rows, int64_t columns) {
    v1::TaskSpec task = NewTask(name);
    const Shape y = form == "batched"  ? Shape{3, rows, columns}
                    : form == "linear" ? Shape{2, rows, columns}
                                       : Shape{rows, columns};
    if (form == "plain") {
      AddTensor(&task, "a", dtype, {rows, kDepth});
      AddTensor(&task, "b", dtype, {kDepth, columns});
      AddNode(&task, "product", "matmul", {"a", "b"});
    } else if (form == "transposed") {
      AddTensor(&task, "a", dtype, {kDepth, rows});
      AddTensor(&task, "b", dtype, {columns, kDepth});
      AddNode(&task, "t", "getattr", {"a"}, {{"arg1", "\"T\""}});
      AddNode(&task, "u", "transpose", {"b"}, {{"dim0", "0"}, {"dim1", "1"}});
      AddNode(&task, "product", "matmul", {"t", "u"});
    } else if (form == "batched") {
      AddTensor(&task, "a", dtype, {3, rows, kDepth});
      AddTensor(&task, "b", dtype, {3, kDepth, columns});
      AddNode(&task, "product", "matmul", {"a", "b"});
    } else {
      AddTensor(&task, "a", dtype, {2, rows, kDepth});
      AddTensor(&task, "linear.weight", dtype, {columns, kDepth}, true);
      AddTensor(&task, "linear.bias", dtype, {columns}, true);
      AddNode(&task, "linear", "linear", {"a", "linear.weight", "linear.bias"});
      AddNode(&task, "product", "gelu", {"linear"});
    }
    AddResult(&task, "y", dtype, y);
    AddOutput(&task, {"product"});
    return task;
  };
  result.reference = [=](const v1::TaskCase& c, const std::vector<Numbers>& in) {
    const Shape shape = ShapeOf(c.outputs(0));
    const int64_t n = shape.back();
    const int64_t m = shape[shape.size() - 2];
    const int64_t batch = shape.size() == 3 ? shape[0] : 1;
    Numbers y;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < kDepth; ++p) {
            const int64_t a_at = form == "transposed" ? p * m + i : (b * m + i) * kDepth + p;
            const int64_t b_at = form == "transposed" || form == "linear" ? j * kDepth + p
                                 : form == "batched"                      ? (b * kDepth + p) * n + j
                                                                          : p * n + j;
            sum += in[0][size_t(a_at)] * in[1][size_t(b_at)];
          }
          y.push_back(form == "linear" ? Gelu(sum + in[2][size_t(j)]) : sum);
        }
      }
    }
    return std::vector<Numbers>{y};
  };
  return result;
}

}  // namespace

v1::TaskSpec NewTask(const std::string& name) {
  v1::TaskSpec task;
  task.set_name(name);
  task.set_operator_name(name);
  task.add_cases()->set_id("c0");
  return task;
}

void AddTensor(v1::TaskSpec* task, const std::string& name, v1::DType dtype, const Shape& shape, bool parameter) {
  v1::TensorDescriptor& tensor = *task->mutable_cases(0)->add_inputs();
  tensor.set_name(name);
  tensor.set_dtype(dtype);
  for (int64_t extent : shape) tensor.add_shape(extent);
  AddNode(task, name, parameter ? "parameter" : "input", {});
}

void AddResult(v1::TaskSpec* task, const std::string& name, v1::DType dtype, const Shape& shape) {
  v1::TensorDescriptor& tensor = *task->mutable_cases(0)->add_outputs();
  tensor.set_name(name);
  tensor.set_dtype(dtype);
  for (int64_t extent : shape) tensor.add_shape(extent);
}

void AddNode(v1::TaskSpec* task, const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
             const Attributes& attributes) {
  v1::OpNode& node = *task->add_graph();
  node.set_name(name);
  node.set_op(op);
  for (const std::string& input : inputs) node.add_inputs(input);
  for (const auto& [key, value] : attributes) (*node.mutable_attributes())[key] = value;
}

void AddOutput(v1::TaskSpec* task, const std::vector<std::string>& results) {
  AddNode(task, "output", "output", results);
}

const std::vector<Operator>& Operators() {
  static const auto* const operators = new std::vector<Operator>{
      UnaryOperator("unary", Unaries(), false),
      UnaryOperator("positive_unary", PositiveUnaries(), true),
      BroadcastOperator("broadcast", v1::FP32),
      BroadcastOperator("broadcast_fp16", v1::FP16),
      BroadcastOperator("broadcast_bf16", v1::BF16),
      ChannelOperator(),
      IntegerOperator(),
      RowOperator("softmax", "softmax", {{"dim", "-1"}}, v1::FP32, false, false, Softmax),
      RowOperator("softmax_bf16", "softmax", {{"dim", "1"}}, v1::BF16, false, false, Softmax),
      RowOperator("softmax_middle", "softmax", {{"dim", "1"}}, v1::FP32, true, false, Softmax),
      RowOperator("log_softmax", "log_softmax", {{"dim", "1"}}, v1::FP32, false, false, LogSoftmax),
      RowOperator("sum_middle", "sum", {{"dim", "[1]"}}, v1::FP32, true, true,
                  [](const Numbers& x) { return Numbers{Sum(x)}; }),
      RowOperator("max", "amax", {{"dim", "-1"}}, v1::FP32, false, true,
                  [](const Numbers& x) { return Numbers{*std::max_element(x.begin(), x.end())}; }),
      LayerNormOperator("layer_norm", v1::FP32),
      LayerNormOperator("layer_norm_fp16", v1::FP16),
      RmsNormOperator(),
      UnaryFunction("gelu_fp32", "gelu", v1::FP32, Gelu),
      UnaryFunction("relu_fp16", "relu", v1::FP16, [](double x) { return std::max(x, 0.0); }),
      TranspositionOperator("transpose", v1::FP32),
      TranspositionOperator("transpose_bf16", v1::BF16),
      ProductOperator("matmul", "plain", v1::FP32),
      ProductOperator("matmul_transposed", "transposed", v1::FP32),
      ProductOperator("matmul_batched", "batched", v1::FP32),
      ProductOperator("linear_gelu", "linear", v1::FP32),
      ProductOperator("linear_gelu_bf16", "linear", v1::BF16),
  };
  return *operators;
}

std::vector<Operator> CpuOperators() {
  std::vector<Operator> operators;
  for (const Operator& op : Operators()) {
    if (Understand(op.task(5, 40)).ok()) operators.push_back(op);
  }
  return operators;
}

const Operator& FindOperator(const std::string& name) {
  const auto& all = Operators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Operator& o) { return o.name == name; });
  return found == all.end() ? all.front() : *found;
}

}  // namespace kernelsmith::server::testing
