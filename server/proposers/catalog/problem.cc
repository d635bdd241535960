#include "server/proposers/catalog/problem.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/proposers/catalog/attributes.h"
#include "server/proposers/catalog/lowering.h"
#include "server/proposers/catalog/operators.h"
#include "server/proposers/catalog/target.h"
#include "server/proposers/catalog/transposition.h"

namespace kernelsmith::server {
namespace {

bool IsLeaf(const v1::OpNode& node) {
  return node.op() == "input" || node.op() == "parameter" || node.op() == "constant";
}

bool IsProduct(const v1::OpNode& node) {
  static const auto* const products = new std::set<std::string>{"matmul", "mm", "bmm", "linear", "addmm"};
  return products->contains(node.op());
}

Shape ShapeOf(const v1::TensorDescriptor& tensor) { return Shape(tensor.shape().begin(), tensor.shape().end()); }

bool RowMajor(const v1::TensorDescriptor& tensor) {
  if (tensor.strides_size() == 0) return true;
  int64_t expected = 1;
  for (int d = tensor.shape_size() - 1; d >= 0; --d) {
    if (tensor.shape(d) != 1 && tensor.strides(d) != expected) return false;
    expected *= tensor.shape(d);
  }
  return true;
}

absl::Status CheckTypes(const v1::TaskSpec& task, const v1::TaskCase& first) {
  const auto known = [](v1::DType t) { return t == v1::FP32 || t == v1::FP16 || t == v1::BF16 || t == v1::INT32; };
  for (const v1::TaskCase& c : task.cases()) {
    if (c.hidden()) continue;
    const auto compare = [&](const auto& tensors, const auto& expected) -> absl::Status {
      for (int i = 0; i < tensors.size(); ++i) {
        if (!known(tensors[i].dtype())) {
          return absl::FailedPreconditionError(absl::StrCat("The catalog does not know the type ",
                                                            v1::DType_Name(tensors[i].dtype()), " of tensor '",
                                                            tensors[i].name(), "'; it knows FP32, FP16, BF16, INT32."));
        }
        if (i >= expected.size() || tensors[i].dtype() != expected[i].dtype() ||
            tensors[i].shape_size() != expected[i].shape_size()) {
          return absl::FailedPreconditionError(absl::StrCat("Case '", c.id(), "' has another rank or type than case '",
                                                            first.id(), "'; the catalog specialises for one."));
        }
      }
      return absl::OkStatus();
    };
    if (absl::Status s = compare(c.inputs(), first.inputs()); !s.ok()) return s;
    if (absl::Status s = compare(c.outputs(), first.outputs()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status UnknownOperation(const v1::OpNode& node) {
  return absl::FailedPreconditionError(absl::StrCat(
      "The catalog does not know operation '", node.op(), "' (node '", node.name(),
      "'). It knows the families elementwise, row_reduction (reductions, softmax, normalisations) and matmul "
      "(one matrix product with an element-wise epilogue). Use a chat proposer."));
}

class Understanding {
 public:
  Understanding(const v1::TaskSpec& task, const v1::TaskCase& first) : task_(task), case_(first) {}

  absl::StatusOr<Problem> Run() {
    if (absl::Status s = CheckTypes(task_, case_); !s.ok()) return s;
    for (int i = 0; i < case_.inputs_size(); ++i) inputs_[case_.inputs(i).name()] = i;
    std::vector<std::string> operations;
    int products = 0;
    for (const v1::OpNode& node : task_.graph()) {
      nodes_[node.name()] = &node;
      if (IsLeaf(node)) {
        if (!inputs_.contains(node.name())) {
          return absl::FailedPreconditionError(
              absl::StrCat("Node '", node.name(), "' of the graph is not an input of case '", case_.id(), "'."));
        }
        continue;
      }
      if (node.op() == "output") continue;
      if (!IsProduct(node) && !IsTransposition(node) && !IsProgramOperation(node.op())) return UnknownOperation(node);
      products += IsProduct(node);
      operations.push_back(node.op());
    }
    problem_.summary = absl::StrJoin(operations, ", ");
    problem_.input_count = case_.inputs_size();
    for (const auto& t : case_.inputs()) problem_.strided |= !RowMajor(t);
    for (const auto& t : case_.outputs()) problem_.strided |= !RowMajor(t);
    if (products > 1) {
      return absl::FailedPreconditionError("The catalog knows operators with one matrix product; this one has more.");
    }
    absl::Status status = products == 1 ? ReadProduct() : IsPureTransposition(task_) ? ReadOrder() : ReadProgram();
    if (!status.ok()) return status;
    return std::move(problem_);
  }

 private:
  const v1::TensorDescriptor& InputOf(const std::string& leaf) const { return case_.inputs(inputs_.at(leaf)); }

  // Adds all nodes but those in `skip` to `program` and closes it with the outputs.
  absl::Status Lower(bool single_pass, const Shape& base, const v1::OpNode* product, Program* program) {
    Lowering lowering(program, base, single_pass);
    std::set<std::string> skip;
    if (product != nullptr) {
      for (const v1::OpNode& node : task_.graph()) {
        if (IsTransposition(node)) skip.insert(node.name());
      }
    }
    const auto used = [&](const std::string& leaf) {
      for (const v1::OpNode& node : task_.graph()) {
        if (node.op() == "output" || skip.contains(node.name())) continue;
        const int first = &node == product ? FirstAddend(node) : 0;
        const int last = &node == product ? LastAddend(node) : node.inputs_size();
        for (int i = first; i < last; ++i) {
          if (node.inputs(i) == leaf) return true;
        }
      }
      return false;
    };
    for (const v1::OpNode& node : task_.graph()) {
      if (node.op() == "output" || skip.contains(node.name())) continue;
      absl::Status status;
      if (IsLeaf(node)) {
        if (used(node.name())) status = lowering.AddInput(node.name(), inputs_.at(node.name()), InputOf(node.name()));
      } else if (&node == product) {
        const int first = FirstAddend(node);
        if (first == LastAddend(node)) {
          lowering.AddProduct(node.name());
        } else {
          lowering.AddProduct(node.name() + " product");
          v1::OpNode sum;
          sum.set_name(node.name());
          sum.set_op("add");
          sum.add_inputs(node.name() + " product");
          sum.add_inputs(node.inputs(first));
          status = lowering.AddNode(sum);
        }
      } else if (IsTransposition(node)) {
        status = UnknownOperation(node);
      } else {
        status = lowering.AddNode(node);
      }
      if (!status.ok()) return status;
    }
    for (const v1::OpNode& node : task_.graph()) {
      if (node.op() != "output") continue;
      for (const std::string& name : node.inputs()) {
        auto value = lowering.OutputValue(name);
        if (!value.ok()) return value.status();
        const auto position = static_cast<int>(program->outputs.size());
        if (position >= case_.outputs_size())
          return absl::FailedPreconditionError("The graph has more results than the case.");
        program->outputs.push_back({*value, case_.outputs(position).dtype()});
      }
    }
    if (static_cast<int>(program->outputs.size()) != case_.outputs_size() || program->outputs.empty()) {
      return absl::FailedPreconditionError("The graph and the case differ in the number of results.");
    }
    return absl::OkStatus();
  }

  // Which inputs of a product are added to it rather than multiplied.
  static int FirstAddend(const v1::OpNode& product) { return product.op() == "addmm" ? 0 : 2; }
  static int LastAddend(const v1::OpNode& product) { return product.op() == "addmm" ? 1 : product.inputs_size(); }

  absl::Status ReadOrder() {
    problem_.family = Family::kTransposition;
    auto transposition = ReadTransposition(task_, case_);
    if (!transposition.ok()) return transposition.status();
    problem_.transposition = *transposition;
    return absl::OkStatus();
  }

  absl::Status ReadProgram() {
    Shape base;
    for (const auto& [name, input] : inputs_) {
      if (!nodes_.contains(name)) continue;
      auto wider = Broadcast(base, ShapeOf(case_.inputs(input)));
      if (!wider.ok()) {
        return absl::FailedPreconditionError(
            absl::StrCat("Input '", name, "' does not line up with the others: ", wider.status().message()));
      }
      base = *wider;
    }
    Program program;
    program.rank = static_cast<int>(base.size());
    std::optional<DimensionRange> range;
    for (const v1::OpNode& node : task_.graph()) {
      if (IsLeaf(node) || !IsReducingOperation(node.op())) continue;
      if ((node.op() == "max" || node.op() == "min") && node.inputs_size() == 2) continue;
      auto reduced = ReducedRange(node, program.rank);
      if (!reduced.ok()) return reduced.status();
      if (!range) range = *reduced;
    }
    problem_.family = range ? Family::kRowReduction : Family::kElementwise;
    if (!range) range = ElementwiseRange(base);
    program.reduced_begin = range->begin;
    program.reduced_end = range->end;
    for (int i = 0; i < case_.inputs_size() && program.base_input < 0; ++i) {
      if (ShapeOf(case_.inputs(i)) == base) program.base_input = i;
    }
    if (program.base_input < 0 && ShapeOf(case_.outputs(0)) != base) {
      return absl::FailedPreconditionError("The catalog needs one tensor with the full shape of the operator.");
    }
    program.integer = std::all_of(case_.inputs().begin(), case_.inputs().end(),
                                  [](const auto& t) { return t.dtype() == v1::INT32; }) &&
                      case_.outputs(0).dtype() == v1::INT32;
    problem_.program = program;
    problem_.single_pass = program;
    if (absl::Status s = Lower(false, base, nullptr, &problem_.program); !s.ok()) return s;
    if (absl::Status s = Lower(true, base, nullptr, &problem_.single_pass); !s.ok()) return s;
    return CheckIntegers();
  }

  // The longest run of trailing dimensions in which every input is either whole or a single element.
  DimensionRange ElementwiseRange(const Shape& base) const {
    const int rank = static_cast<int>(base.size());
    int begin = rank;
    std::map<std::string, bool> whole;
    for (; begin > 0; --begin) {
      const int d = begin - 1;
      bool fits = true;
      for (const auto& [name, input] : inputs_) {
        const Shape shape = ShapeOf(case_.inputs(input));
        const int at = d - (rank - static_cast<int>(shape.size()));
        const bool here = (at < 0 ? 1 : shape[at]) == base[d];
        if (begin == rank) whole[name] = here;
        fits &= whole[name] == here;
      }
      if (!fits) break;
    }
    return {begin, rank};
  }

  absl::Status CheckIntegers() const {
    if (!problem_.program.integer) {
      for (const auto& output : case_.outputs()) {
        if (output.dtype() == v1::INT32) {
          return absl::FailedPreconditionError("The catalog computes int32 results from int32 inputs only.");
        }
      }
      return absl::OkStatus();
    }
    if (problem_.program.HasReductions()) {
      return absl::FailedPreconditionError("The catalog has no reductions of int32.");
    }
    for (const Value& v : problem_.program.values) {
      const MapFunction* f = v.kind == ValueKind::kMap ? FindMapFunction(v.function) : nullptr;
      if (f != nullptr && !f->integer) {
        return absl::FailedPreconditionError(absl::StrCat("The catalog has no int32 form of '", v.function, "'."));
      }
    }
    return absl::OkStatus();
  }

  // The input behind a factor of the product, looking through one transposition.
  absl::Status ReadFactor(const v1::OpNode& product, int position, int* input, bool* transposed) const {
    if (position >= product.inputs_size()) {
      return absl::FailedPreconditionError(absl::StrCat("Node '", product.name(), "' lacks a factor."));
    }
    std::string name = product.inputs(position);
    const auto found = nodes_.find(name);
    if (found != nodes_.end() && IsTransposition(*found->second)) {
      const v1::OpNode& node = *found->second;
      const int rank =
          node.inputs_size() > 0 && inputs_.contains(node.inputs(0)) ? InputOf(node.inputs(0)).shape_size() : 0;
      if (rank < 2) return UnknownOperation(node);
      const Shape dims = PermutationOf(node, rank);
      if (dims.empty()) return UnknownOperation(node);
      Shape swapped;
      for (int d = 0; d < rank; ++d) swapped.push_back(d);
      std::swap(swapped[rank - 2], swapped[rank - 1]);
      if (dims != swapped) {
        return absl::FailedPreconditionError(
            absl::StrCat("Node '", node.name(), "' moves other dimensions than the last two of a matrix."));
      }
      *transposed = !*transposed;
      name = node.inputs(0);
    }
    if (!inputs_.contains(name)) {
      return absl::FailedPreconditionError(absl::StrCat("The catalog multiplies inputs as they are; factor '", name,
                                                        "' of node '", product.name(), "' is computed."));
    }
    *input = inputs_.at(name);
    return absl::OkStatus();
  }

  absl::Status ReadProduct() {
    const v1::OpNode* node = nullptr;
    for (const v1::OpNode& n : task_.graph()) {
      if (IsProduct(n)) node = &n;
    }
    problem_.family = Family::kMatmul;
    Product& product = problem_.product;
    const int first = node->op() == "addmm" ? 1 : 0;
    product.b_transposed = node->op() == "linear";
    if (absl::Status s = ReadFactor(*node, first, &product.a, &product.a_transposed); !s.ok()) return s;
    if (absl::Status s = ReadFactor(*node, first + 1, &product.b, &product.b_transposed); !s.ok()) return s;
    for (const char* name : {"alpha", "beta"}) {
      if (NumberAttribute(*node, name).value_or(1) != 1) {
        return absl::FailedPreconditionError(absl::StrCat("Node '", node->name(), "' has ", name, " other than 1."));
      }
    }
    const v1::TensorDescriptor& a = case_.inputs(product.a);
    const v1::TensorDescriptor& b = case_.inputs(product.b);
    product.a_dtype = a.dtype();
    product.b_dtype = b.dtype();
    product.a_rank = a.shape_size();
    product.b_rank = b.shape_size();
    product.batched = product.b_rank > 2;
    const Shape a_shape = ShapeOf(a);
    const Shape b_shape = ShapeOf(b);
    const bool ranks =
        product.a_rank >= 2 && product.b_rank >= 2 && (!product.batched || product.a_rank == product.b_rank);
    const bool leading =
        !product.batched || std::equal(a_shape.begin(), a_shape.end() - 2, b_shape.begin(), b_shape.end() - 2);
    if (!ranks || !leading || (product.a_transposed && product.a_rank > 2 && !product.batched)) {
      return absl::FailedPreconditionError(
          absl::StrCat("The catalog multiplies matrices, equal batches of them, or many rows by one matrix; node '",
                       node->name(), "' does something else."));
    }
    if (a.dtype() == v1::INT32 || b.dtype() == v1::INT32) {
      return absl::FailedPreconditionError("The catalog has no int32 matrix product.");
    }
    for (const auto& tensors : {case_.inputs(), case_.outputs()}) {
      for (const v1::TensorDescriptor& t : tensors) {
        const bool factor = t.name() == a.name() || t.name() == b.name();
        if (!RowMajor(t) && !(factor && t.shape_size() == 2)) {
          return absl::FailedPreconditionError(absl::StrCat("The catalog takes matrices as they lie; tensor '",
                                                            t.name(), "' has to be in row-major order."));
        }
      }
    }
    Shape base = a_shape;
    if (product.a_transposed) std::swap(base[base.size() - 2], base[base.size() - 1]);
    base.back() = product.b_transposed ? b_shape[b_shape.size() - 2] : b_shape.back();
    Program& program = problem_.program;
    program.rank = static_cast<int>(base.size());
    program.reduced_begin = program.rank - 1;
    program.reduced_end = program.rank;
    if (absl::Status s = Lower(false, base, node, &program); !s.ok()) return s;
    problem_.single_pass = program;
    if (program.HasReductions()) {
      return absl::FailedPreconditionError("The catalog has no matrix product with a reduction in its epilogue.");
    }
    for (const OutputLayout& output : program.outputs) {
      if (!program.values[output.value].over.reduced) {
        return absl::FailedPreconditionError("A result of a matrix product does not vary over its columns.");
      }
    }
    return CheckIntegers();
  }

  const v1::TaskSpec& task_;
  const v1::TaskCase& case_;
  std::map<std::string, int> inputs_;
  std::map<std::string, const v1::OpNode*> nodes_;
  Problem problem_;
};

}  // namespace

std::string FamilyName(Family family) {
  switch (family) {
    case Family::kElementwise:
      return "elementwise";
    case Family::kRowReduction:
      return "row_reduction";
    case Family::kMatmul:
      return "matmul";
    case Family::kTransposition:
      break;  // the tracer has no family for what only moves data
  }
  return "other";
}

absl::StatusOr<Problem> Understand(const v1::TaskSpec& task, const std::string& card_kind) {
  const CatalogTarget* target = FindTarget(card_kind);
  if (target == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("The catalog writes no kernels for cards of kind '", card_kind, "'."));
  }
  const v1::TaskCase* first = nullptr;
  for (const v1::TaskCase& c : task.cases()) {
    if (first == nullptr && !c.hidden() && c.outputs_size() > 0) first = &c;
  }
  if (first == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("Task '", task.name(), "' has no visible case with outputs."));
  }
  if (task.graph().empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("The reference of task '", task.name(),
                     "' could not be traced, so the catalog does not know what it computes."));
  }
  absl::StatusOr<Problem> problem = Understanding(task, *first).Run();
  if (!problem.ok()) return problem.status();
  problem->target = target;
  if (absl::Status s = target->Check(*problem); !s.ok()) return s;
  return problem;
}

}  // namespace kernelsmith::server
