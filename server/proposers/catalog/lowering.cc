#include "server/proposers/catalog/lowering.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/attributes.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

absl::Status Unsupported(const v1::OpNode& node, const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrCat("The catalog cannot express node '", node.name(), "' (", node.op(), "): ", why, "."));
}

// Scalar attributes that become further arguments of a function, in order, with their defaults.
struct MapRule {
  std::string function;
  int arity = 1;  // tensors or numbers that come first
  std::vector<std::pair<std::string, double>> constants = {};
};

const std::map<std::string, MapRule>& MapRules() {
  static const auto* const rules = new std::map<std::string, MapRule>{
      {"add", {"add", 2}},
      {"sub", {"sub", 2}},
      {"rsub", {"sub", 2}},
      {"mul", {"mul", 2}},
      {"div", {"div", 2}},
      {"true_divide", {"div", 2}},
      {"maximum", {"maximum", 2}},
      {"minimum", {"minimum", 2}},
      {"pow", {"pow", 2}},
      {"neg", {"neg"}},
      {"abs", {"abs"}},
      {"square", {"square"}},
      {"relu", {"relu"}},
      {"sign", {"sign"}},
      {"reciprocal", {"reciprocal"}},
      {"sqrt", {"sqrt"}},
      {"rsqrt", {"rsqrt"}},
      {"exp", {"exp"}},
      {"expm1", {"expm1"}},
      {"log", {"log"}},
      {"log1p", {"log1p"}},
      {"tanh", {"tanh"}},
      {"sigmoid", {"sigmoid"}},
      {"silu", {"silu"}},
      {"swish", {"silu"}},
      {"erf", {"erf"}},
      {"mish", {"mish"}},
      {"sin", {"sin"}},
      {"cos", {"cos"}},
      {"floor", {"floor"}},
      {"ceil", {"ceil"}},
      {"round", {"round"}},
      {"hardsigmoid", {"hard_sigmoid"}},
      {"leaky_relu", {"leaky_relu", 1, {{"negative_slope", 0.01}}}},
      {"elu", {"elu", 1, {{"alpha", 1.0}}}},
      // Written out in AddMap.
      {"gelu", {""}},
      {"hardswish", {""}},
      {"relu6", {""}},
      {"hardtanh", {""}},
      {"clamp", {""}},
      {"clip", {""}},
      {"clamp_min", {""}},
      {"clamp_max", {""}},
      {"softplus", {""}},
      {"softsign", {""}},
      {"selu", {""}},
      {"celu", {""}},
      {"logsigmoid", {""}},
      {"log_sigmoid", {""}},
      {"log2", {""}},
      {"log10", {""}},
      {"tanhshrink", {""}},
      // Leave the value as it is.
      {"identity", {"", 0}},
      {"contiguous", {"", 0}},
      {"clone", {"", 0}},
      {"getitem", {"", 0}},
      {"unsqueeze", {"", 0}},
  };
  return *rules;
}

const std::set<std::string>& ReducingOperations() {
  static const auto* const operations = new std::set<std::string>{"softmax",
                                                                  "softmin",
                                                                  "log_softmax",
                                                                  "layer_norm",
                                                                  "rms_norm",
                                                                  "normalize",
                                                                  "sum",
                                                                  "mean",
                                                                  "amax",
                                                                  "amin",
                                                                  "max",
                                                                  "min",
                                                                  "var",
                                                                  "std",
                                                                  "norm",
                                                                  "logsumexp",
                                                                  "mse_loss",
                                                                  "vector_norm",
                                                                  "linalg_vector_norm"};
  return *operations;
}

// Names under which a number may stand for the argument at `position`.
std::optional<double> NumberArgument(const v1::OpNode& node, size_t position) {
  if (const auto number = NumberAttribute(node, absl::StrCat("arg", position))) return number;
  if (position == 0) {
    if (const auto number = NumberAttribute(node, "self")) return number;
    return NumberAttribute(node, "input");
  }
  for (const char* name : {"other", "exponent", "value"}) {
    if (const auto number = NumberAttribute(node, name)) return number;
  }
  return std::nullopt;
}

}  // namespace

bool IsReducingOperation(const std::string& op) { return ReducingOperations().contains(op); }

bool IsProgramOperation(const std::string& op) { return MapRules().contains(op) || IsReducingOperation(op); }

absl::StatusOr<Shape> Broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return absl::InvalidArgumentError(absl::StrCat("Extents ", x, " and ", y, " do not broadcast."));
    }
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

absl::StatusOr<DimensionRange> ReducedRange(const v1::OpNode& node, int rank) {
  if (node.op() == "mse_loss") return DimensionRange{0, rank};
  if (node.op() == "layer_norm" || node.op() == "rms_norm") {
    const auto shape = IntegersAttribute(node, "normalized_shape");
    if (!shape || static_cast<int>(shape->size()) > rank) return Unsupported(node, "normalized_shape is missing");
    return DimensionRange{rank - static_cast<int>(shape->size()), rank};
  }
  std::optional<std::vector<int64_t>> dims = IntegersAttribute(node, "dim");
  if (!dims) dims = IntegersAttribute(node, "axis");
  if (!dims && node.op() == "normalize") dims = std::vector<int64_t>{1};
  if (!dims && (node.op() == "softmax" || node.op() == "softmin" || node.op() == "log_softmax"))
    return Unsupported(node, "dim is missing");
  if (!dims || dims->empty()) return DimensionRange{0, rank};
  for (int64_t& d : *dims) d = d < 0 ? d + rank : d;
  std::sort(dims->begin(), dims->end());
  for (size_t i = 0; i < dims->size(); ++i) {
    const int64_t d = (*dims)[i];
    if (d < 0 || d >= rank) return Unsupported(node, "dim is outside of the tensor");
    if (d != dims->front() + static_cast<int64_t>(i)) return Unsupported(node, "its dimensions are not adjacent");
  }
  return DimensionRange{static_cast<int>(dims->front()), static_cast<int>(dims->back()) + 1};
}

absl::Status Lowering::AddInput(const std::string& name, int input, const v1::TensorDescriptor& tensor) {
  const int rank = program_.rank;
  InputLayout layout{.input = input, .dtype = tensor.dtype(), .rank = tensor.shape_size(), .broadcast = {}};
  Shape shape(static_cast<size_t>(rank - tensor.shape_size()), 1);
  shape.insert(shape.end(), tensor.shape().begin(), tensor.shape().end());
  for (int d = 0; d < rank; ++d) layout.broadcast.push_back(shape[d] != base_[d]);
  const auto uniform = [&](int begin, int end) {
    return std::adjacent_find(layout.broadcast.begin() + begin, layout.broadcast.begin() + end,
                              std::not_equal_to<>()) == layout.broadcast.begin() + end;
  };
  int changes = 0;
  for (int d = 1; d < program_.reduced_begin; ++d) changes += layout.broadcast[d] != layout.broadcast[d - 1];
  const bool block = changes <= 1 || (changes == 2 && layout.broadcast[0]);
  if (!block || !uniform(program_.reduced_begin, program_.reduced_end) || !uniform(program_.reduced_end, rank)) {
    return absl::FailedPreconditionError(
        absl::StrCat("The catalog cannot express how input '", name, "' is broadcast; use a chat proposer."));
  }
  Value value;
  value.kind = ValueKind::kLoad;
  value.input = input;
  value.over.outer = program_.reduced_begin == 0 ||
                     std::count(layout.broadcast.begin(), layout.broadcast.begin() + program_.reduced_begin, false) > 0;
  value.over.reduced = program_.reduced_begin < program_.reduced_end && !layout.broadcast[program_.reduced_begin];
  value.over.inner = program_.has_inner() && !layout.broadcast[program_.reduced_end];
  if (std::none_of(program_.inputs.begin(), program_.inputs.end(),
                   [&](const InputLayout& known) { return known.input == input; })) {
    program_.inputs.push_back(layout);
  }
  operands_[name] = {program_.Add(value), false};
  return absl::OkStatus();
}

void Lowering::AddProduct(const std::string& name) {
  Value value;
  value.kind = ValueKind::kProduct;
  value.over = {.outer = true, .reduced = true, .inner = false};
  operands_[name] = {program_.Add(value), false};
}

absl::StatusOr<std::vector<Lowering::Operand>> Lowering::Arguments(const v1::OpNode& node) {
  std::vector<Operand> arguments;
  for (const std::string& name : node.inputs()) {
    const auto found = operands_.find(name);
    if (found == operands_.end())
      return Unsupported(node, absl::StrCat("its input '", name, "' is not a tensor it knows"));
    arguments.push_back(found->second);
  }
  return arguments;
}

absl::Status Lowering::AddNode(const v1::OpNode& node) {
  if (IsReducingOperation(node.op())) {
    // max(a, b) and min(a, b) of two tensors are element-wise.
    if ((node.op() == "max" || node.op() == "min") && node.inputs_size() == 2) {
      v1::OpNode renamed = node;
      renamed.set_op(node.op() == "max" ? "maximum" : "minimum");
      return AddMap(renamed);
    }
    return AddReducing(node);
  }
  if (MapRules().contains(node.op())) return AddMap(node);
  return Unsupported(node, "no family knows this operation");
}

absl::Status Lowering::AddMap(const v1::OpNode& node) {
  const MapRule& rule = MapRules().at(node.op());
  auto tensors = Arguments(node);
  if (!tensors.ok()) return tensors.status();
  const auto number = [&](const char* name, double otherwise) {
    return program_.Constant(NumberAttribute(node, name).value_or(otherwise));
  };
  const auto map = [&](const char* function, std::vector<int> args) { return program_.Map(function, std::move(args)); };

  // Tensors fill the places that no number claims.
  std::vector<int> args;
  bool squeezed = false;
  bool aligned = false;
  size_t next = 0;
  for (int position = 0; position < std::max(rule.arity, 1); ++position) {
    const bool numbered = NumberAttribute(node, absl::StrCat("arg", position)).has_value() ||
                          (position == 0 && rule.arity == 2 && NumberArgument(node, 0).has_value());
    if (!numbered && next < tensors->size()) {
      const Operand& operand = (*tensors)[next++];
      const Footprint& over = program_.values[operand.value].over;
      const bool varies = over.outer || over.reduced || over.inner;
      squeezed |= operand.squeezed;
      aligned |= varies && !operand.squeezed;
      args.push_back(operand.value);
    } else if (const auto scalar = NumberArgument(node, static_cast<size_t>(position))) {
      args.push_back(program_.Constant(*scalar));
    } else {
      return Unsupported(node, absl::StrCat("argument ", position, " is neither a tensor nor a number"));
    }
  }
  if (squeezed && aligned) return Unsupported(node, "it joins a reduced tensor without keepdim with another tensor");
  if (node.op() == "rsub") std::swap(args[0], args[1]);
  if ((node.op() == "add" || node.op() == "sub") && NumberAttribute(node, "alpha").value_or(1) != 1) {
    args[1] = map("mul", {args[1], number("alpha", 1)});
  }
  if (node.op() == "div" && TextAttribute(node, "rounding_mode")) return Unsupported(node, "it rounds");

  const int x = args[0];
  const std::string& op = node.op();
  int result = x;
  if (op == "pow" && program_.values[args[1]].kind == ValueKind::kConstant) {
    const double exponent = program_.values[args[1]].number;
    if (exponent == 2)
      result = map("square", {x});
    else if (exponent == 3)
      result = map("mul", {map("square", {x}), x});
    else if (exponent == 4)
      result = map("square", {map("square", {x})});
    else if (exponent == 1)
      result = x;
    else if (exponent == 0.5)
      result = map("sqrt", {x});
    else if (exponent == -0.5)
      result = map("rsqrt", {x});
    else if (exponent == -1)
      result = map("reciprocal", {x});
    else
      result = map("pow", args);
  } else if (op == "gelu") {
    result = map(TextAttribute(node, "approximate").value_or("none") == "tanh" ? "gelu_tanh" : "gelu", {x});
  } else if (op == "hardswish") {
    result = map("mul", {x, map("hard_sigmoid", {x})});
  } else if (op == "relu6") {
    result = map("at_most", {map("relu", {x}), program_.Constant(6)});
  } else if (op == "hardtanh") {
    result = map("at_most", {map("at_least", {x, number("min_val", -1)}), number("max_val", 1)});
  } else if (op == "clamp" || op == "clip" || op == "clamp_min" || op == "clamp_max") {
    if (tensors->size() != 1) return Unsupported(node, "its limits are tensors");
    if (NumberAttribute(node, "min")) result = map("at_least", {result, number("min", 0)});
    if (NumberAttribute(node, "max")) result = map("at_most", {result, number("max", 0)});
  } else if (op == "softplus") {
    const double beta = NumberAttribute(node, "beta").value_or(1);
    const int limit = number("threshold", 20);
    result =
        beta == 1
            ? map("softplus", {x, limit})
            : map("div", {map("softplus", {map("mul", {x, program_.Constant(beta)}), limit}), program_.Constant(beta)});
  } else if (op == "softsign") {
    result = map("div", {x, map("add", {map("abs", {x}), program_.Constant(1)})});
  } else if (op == "selu") {
    result =
        map("mul", {map("elu", {x, program_.Constant(1.6732632423543772)}), program_.Constant(1.0507009873554805)});
  } else if (op == "celu") {
    const int alpha = number("alpha", 1);
    result = map("elu", {x, alpha});
    if (program_.values[alpha].number != 1) return Unsupported(node, "alpha is not 1");
  } else if (op == "logsigmoid" || op == "log_sigmoid") {
    const int tail = map("log1p", {map("exp", {map("neg", {map("abs", {x})})})});
    result = map("sub", {map("at_most", {x, program_.Constant(0)}), tail});
  } else if (op == "log2" || op == "log10") {
    result = map("mul", {map("log", {x}), program_.Constant(op == "log2" ? M_LOG2E : M_LOG10E)});
  } else if (op == "tanhshrink") {
    result = map("sub", {x, map("tanh", {x})});
  } else if (op == "getitem") {
    if (NumberAttribute(node, "index").value_or(NumberAttribute(node, "arg1").value_or(0)) != 0) {
      return Unsupported(node, "only the values of a maximum or minimum are known, not the indices");
    }
    squeezed = (*tensors)[0].squeezed;
  } else if (op == "unsqueeze") {
    const int rank = program_.rank - (program_.reduced_end - program_.reduced_begin);
    double dim = NumberAttribute(node, "dim").value_or(0);
    if (dim < 0) dim += rank + 1;
    if (!squeezed || program_.reduced_end - program_.reduced_begin != 1 || dim != program_.reduced_begin) {
      return Unsupported(node, "it does not put back the dimension that a reduction dropped");
    }
    squeezed = false;
  } else if (!rule.function.empty()) {
    for (const auto& [name, otherwise] : rule.constants) args.push_back(number(name.c_str(), otherwise));
    std::string function = rule.function;
    if (program_.integer && function == "maximum") function = "at_least";  // without the check for not-a-numbers
    if (program_.integer && function == "minimum") function = "at_most";
    result = map(function.c_str(), args);
  }
  operands_[node.name()] = {result, squeezed};
  return absl::OkStatus();
}

int Lowering::Count() {
  Value value;
  value.kind = ValueKind::kCount;
  return program_.Add(value);
}

int Lowering::First(int load) {
  Value value;
  value.kind = ValueKind::kFirst;
  value.args = {load};
  return program_.Add(value);
}

int Lowering::Mean(int value) { return program_.Map("div", {program_.Reduce(kSum, value), Count()}); }

int Lowering::Variance(int value, double correction, int* mean) {
  int count = Count();
  if (single_pass_ && program_.values[value].kind == ValueKind::kLoad) {
    // Deviations from the row's first element: var = (sum d^2 - (sum d)^2 / n) / (n - correction).
    const int first = First(value);
    const int deviation = program_.Map("sub", {value, first});
    const int sum = program_.Reduce(kSum, deviation);
    const int squares = program_.Reduce(kSum, program_.Map("square", {deviation}));
    const int shift = program_.Map("div", {sum, count});
    *mean = program_.Map("add", {first, shift});
    const int excess = program_.Map("sub", {squares, program_.Map("mul", {sum, shift})});
    if (correction != 0) count = program_.Map("sub", {count, program_.Constant(correction)});
    return program_.Map("div", {program_.Map("at_least", {excess, program_.Constant(0)}), count});
  }
  *mean = Mean(value);
  const int squares = program_.Reduce(kSum, program_.Map("square", {program_.Map("sub", {value, *mean})}));
  if (correction != 0) count = program_.Map("sub", {count, program_.Constant(correction)});
  return program_.Map("div", {squares, count});
}

int Lowering::Softmax(int value, bool logarithm) {
  int max = 0;
  int sum = 0;
  if (single_pass_) {
    max = program_.Reduce(kOnlineMax, value);
    sum = program_.Reduce(kOnlineSum, value);
  } else {
    max = program_.Reduce(kMax, value);
    sum = program_.Reduce(kSum, program_.Map("exp", {program_.Map("sub", {value, max})}));
  }
  const int shifted = program_.Map("sub", {value, max});
  if (logarithm) return program_.Map("sub", {shifted, program_.Map("log", {sum})});
  return program_.Map("mul", {program_.Map("exp", {shifted}), program_.Map("reciprocal", {sum})});
}

absl::Status Lowering::AddReducing(const v1::OpNode& node) {
  auto tensors = Arguments(node);
  if (!tensors.ok()) return tensors.status();
  if (tensors->empty()) return Unsupported(node, "it has no tensor");
  for (const Operand& operand : *tensors) {
    if (operand.squeezed) return Unsupported(node, "it reduces what was reduced before");
  }
  const int x = (*tensors)[0].value;
  if (!program_.values[x].over.reduced) return Unsupported(node, "its input does not vary over the reduced dimensions");
  const auto range = ReducedRange(node, program_.rank);
  if (!range.ok()) return range.status();
  if (*range != DimensionRange{program_.reduced_begin, program_.reduced_end}) {
    return Unsupported(node, "the operator reduces over different dimensions at different places");
  }
  const auto map = [&](const char* function, std::vector<int> args) { return program_.Map(function, std::move(args)); };
  const auto affine = [&](int value) {
    if (tensors->size() > 1) value = map("mul", {value, (*tensors)[1].value});
    if (tensors->size() > 2) value = map("add", {value, (*tensors)[2].value});
    return value;
  };
  const std::string& op = node.op();
  int result = x;
  bool removes = true;
  if (op == "softmax" || op == "softmin" || op == "log_softmax") {
    result = Softmax(op == "softmin" ? map("neg", {x}) : x, op == "log_softmax");
    removes = false;
  } else if (op == "layer_norm") {
    int mean = 0;
    const int variance = Variance(x, 0, &mean);
    const int eps = program_.Constant(NumberAttribute(node, "eps").value_or(1e-5));
    const int scale = map("rsqrt", {map("add", {variance, eps})});
    result = affine(map("mul", {map("sub", {x, mean}), scale}));
    removes = false;
  } else if (op == "rms_norm") {
    const int eps = program_.Constant(NumberAttribute(node, "eps").value_or(1.1920929e-7));
    result = affine(map("mul", {x, map("rsqrt", {map("add", {Mean(map("square", {x})), eps})})}));
    removes = false;
  } else if (op == "normalize") {
    if (NumberAttribute(node, "p").value_or(2) != 2) return Unsupported(node, "p is not 2");
    const int norm = map("sqrt", {program_.Reduce(kSum, map("square", {x}))});
    result = map("div", {x, map("at_least", {norm, program_.Constant(NumberAttribute(node, "eps").value_or(1e-12))})});
    removes = false;
  } else if (op == "sum") {
    result = program_.Reduce(kSum, x);
  } else if (op == "mean") {
    result = Mean(x);
  } else if (op == "amax" || op == "max") {
    result = program_.Reduce(kMax, x);
  } else if (op == "amin" || op == "min") {
    result = program_.Reduce(kMin, x);
  } else if (op == "var" || op == "std") {
    const double correction =
        NumberAttribute(node, "correction").value_or(BoolAttribute(node, "unbiased").value_or(true) ? 1 : 0);
    int mean = 0;
    result = Variance(x, correction, &mean);
    if (op == "std") result = map("sqrt", {result});
  } else if (op == "norm" || op == "vector_norm" || op == "linalg_vector_norm") {
    const double p = NumberAttribute(node, "p").value_or(NumberAttribute(node, "ord").value_or(2));
    if (p == 2)
      result = map("sqrt", {program_.Reduce(kSum, map("square", {x}))});
    else if (p == 1)
      result = program_.Reduce(kSum, map("abs", {x}));
    else if (p == HUGE_VAL)
      result = program_.Reduce(kMax, map("abs", {x}));
    else
      return Unsupported(node, "p is none of 1, 2 and infinity");
  } else if (op == "logsumexp") {
    const int max = program_.Reduce(kMax, x);
    const int sum = program_.Reduce(kSum, map("exp", {map("sub", {x, max})}));
    result = map("add", {max, map("log", {sum})});
  } else if (op == "mse_loss") {
    if (tensors->size() != 2 || TextAttribute(node, "reduction").value_or("mean") != "mean") {
      return Unsupported(node, "it is not the mean over two tensors");
    }
    result = Mean(map("square", {map("sub", {x, (*tensors)[1].value})}));
  }
  const bool scalar = program_.reduced_begin == 0 && program_.reduced_end == program_.rank;
  const bool squeezed = removes && !scalar && !BoolAttribute(node, "keepdim").value_or(false);
  operands_[node.name()] = {result, squeezed};
  return absl::OkStatus();
}

absl::StatusOr<int> Lowering::OutputValue(const std::string& name) const {
  const auto found = operands_.find(name);
  if (found == operands_.end()) {
    return absl::FailedPreconditionError(absl::StrCat("The catalog does not know the result '", name, "'."));
  }
  const int value = found->second.value;
  const Footprint& over = program_.values[value].over;
  if (!over.outer || over.inner != program_.has_inner() || (!over.reduced && !program_.HasReductions())) {
    return absl::FailedPreconditionError(
        absl::StrCat("The catalog cannot express result '", name, "': it does not vary over the whole operator."));
  }
  return value;
}

}  // namespace kernelsmith::server
