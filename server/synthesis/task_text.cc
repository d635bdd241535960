#include "server/synthesis/task_text.h"

#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace kernelsmith::server {
namespace {

constexpr absl::string_view kCpuContract =
    R"(One C++20 source file, kernel.cpp, that includes <kernelsmith/kernel_abi.h> and defines

  extern "C" int ks_kernel(const ks_call* call);   // returns 0 on success

- call->inputs[i] and call->outputs[i] are ks_tensor: data (first element), dtype, rank, shape, strides (elements per step),
  elements. Inputs come in the order of the specification: arguments first, then parameters. call->attributes holds the
  non-tensor arguments as JSON literals by name.
- Inputs are read-only: a write to one ends the process. Outputs hold arbitrary bytes before the call; write every element.
- Buffers are 64-byte aligned. At most call->cpu_count threads may run; join them before returning.
- It is compiled with g++ at -O3 for this machine and runs in a jail: no files, no network, no other processes. The standard
  library is there, other libraries are not. What is kept between calls is of no use: every call has fresh inputs.
- Sizes may be read from the call or fixed to those of the specification, but every case must be right.
)";

constexpr absl::string_view kAscendContract =
    R"(Two files. kernel.asc is Ascend C device code alone: it includes "kernel_operator.h" and defines kernels of the form

  extern "C" __global__ __vector__ void name(GM_ADDR x, GM_ADDR y, GM_ADDR tiling);   // pointers only

plan.cpp is C++17 host code that includes <kernelsmith/plan_abi.h> and defines

  extern "C" int ks_plan(const ks_call* call, ks_plan* plan);   // returns 0 on success

- The plan is called once for each case, away from the card, with shapes but without data. It says what to launch:
  ks_add_launch(plan, "name", blocks), then one argument for each parameter in order: ks_add_input(launch, i),
  ks_add_output(launch, i), ks_add_workspace(launch, byte offset), ks_add_tiling(launch, byte offset). Offsets are multiples of
  32. plan->tiling and plan->tiling_bytes are copied to the card; plan->workspace_bytes of scratch memory hold arbitrary bytes.
- Launches run in order on one stream, at most 16. call->cpu_count is the number of vector cores.
- Inputs come in the order of the specification: arguments first, then parameters. Outputs hold arbitrary bytes before; write
  every element.
- A race, an undefined value that reaches global memory, or an access out of bounds fails the candidate even if its numbers
  are right.
- Sizes may be read from the call or fixed to those of the specification, but every case must be right.
)";

const v1::TaskCase* FirstVisible(const v1::TaskSpec& task) {
  for (const v1::TaskCase& known : task.cases()) {
    if (!known.hidden()) return &known;
  }
  return nullptr;
}

std::string ShapeText(const v1::TensorDescriptor& tensor) {
  return tensor.shape_size() == 0 ? "scalar" : absl::StrJoin(tensor.shape(), "x");
}

std::string TensorText(const v1::TensorDescriptor& tensor) {
  std::string text = absl::StrCat(tensor.name(), ": ", absl::AsciiStrToLower(v1::DType_Name(tensor.dtype())), " [",
                                  absl::StrJoin(tensor.shape(), ", "), "]");
  if (tensor.strides_size() > 0) absl::StrAppend(&text, ", strides [", absl::StrJoin(tensor.strides(), ", "), "]");
  if (tensor.storage_offset() != 0) absl::StrAppend(&text, ", offset ", tensor.storage_offset());
  if (tensor.format() == v1::NZ) absl::StrAppend(&text, ", format NZ");
  return text;
}

std::string CaseText(const v1::TaskCase& known) {
  std::string text = absl::StrCat("case ", known.id(), known.timed() ? " (timed)" : "", "\n");
  for (int i = 0; i < known.inputs_size(); ++i) {
    absl::StrAppend(&text, "  input ", i, i < known.argument_count() ? " (argument) " : " (parameter) ",
                    TensorText(known.inputs(i)), "\n");
  }
  for (int i = 0; i < known.outputs_size(); ++i) {
    absl::StrAppend(&text, "  output ", i, " ", TensorText(known.outputs(i)), "\n");
  }
  // A map has no order of its own; the prompt must not change between rounds.
  const std::set<std::string> names = [&] {
    std::set<std::string> sorted;
    for (const auto& attribute : known.attributes()) sorted.insert(attribute.first);
    return sorted;
  }();
  for (const std::string& name : names) {
    absl::StrAppend(&text, "  attribute ", name, " = ", known.attributes().at(name), "\n");
  }
  return text;
}

std::set<std::string> Operations(const v1::TaskSpec& task) {
  std::set<std::string> operations;
  for (const v1::OpNode& node : task.graph()) {
    if (node.op() != "input" && node.op() != "parameter" && node.op() != "output") operations.insert(node.op());
  }
  return operations;
}

}  // namespace

std::string SpecificationText(const v1::TaskSpec& task, const std::string& card_kind) {
  std::string text =
      absl::StrCat("operator ", task.operator_name(), ", task ", task.name(), ", family ", task.family(), "\n");
  if (!task.description().empty()) absl::StrAppend(&text, "\n", task.description(), "\n");
  absl::StrAppend(&text, "\nReference program (Python):\n", task.reference_source(), "\n");
  int hidden = 0;
  absl::StrAppend(&text, "\nCases:\n");
  for (const v1::TaskCase& known : task.cases()) {
    if (known.hidden()) {
      ++hidden;
    } else {
      absl::StrAppend(&text, CaseText(known));
    }
  }
  if (hidden > 0) absl::StrAppend(&text, "and ", hidden, " hidden\n");
  if (task.tolerance().rtol() > 0) {
    absl::StrAppendFormat(&text, "\nRelative tolerance %g, every element is compared.\n", task.tolerance().rtol());
  } else {
    absl::StrAppend(&text, "\nEvery element is compared, with the tolerance of the output type.\n");
  }
  if (task.tolerance().require_bitwise()) absl::StrAppend(&text, "Two runs must agree bit for bit.\n");
  if (!task.baseline().empty()) absl::StrAppend(&text, "Baseline: ", task.baseline(), "\n");
  absl::StrAppend(&text, "\nA candidate is:\n", CandidateContract(card_kind));
  return text;
}

std::string CandidateContract(const std::string& card_kind) {
  if (card_kind == "ascend") return std::string(kAscendContract);
  return card_kind == "cpu" ? std::string(kCpuContract) : "";
}

std::string ShapeSignature(const v1::TaskSpec& task) {
  const v1::TaskCase* visible = FirstVisible(task);
  if (visible == nullptr) return "";
  std::vector<std::string> shapes;
  for (const v1::TensorDescriptor& input : visible->inputs()) shapes.push_back(ShapeText(input));
  return absl::StrJoin(shapes, ",");
}

v1::DType OutputType(const v1::TaskSpec& task) {
  const v1::TaskCase* visible = FirstVisible(task);
  return visible == nullptr || visible->outputs_size() == 0 ? v1::DTYPE_UNSPECIFIED : visible->outputs(0).dtype();
}

v1::Scene SceneOf(const v1::TaskSpec& task) {
  v1::Scene scene;
  scene.set_shape_signature(ShapeSignature(task));
  scene.set_dtype(OutputType(task));
  for (const std::string& operation : Operations(task)) scene.add_tags(operation);
  return scene;
}

std::string QueryText(const v1::TaskSpec& task, const std::string& latest) {
  std::vector<std::string> words = {task.operator_name(), task.family()};
  for (const std::string& operation : Operations(task)) words.push_back(operation);
  words.push_back(ShapeSignature(task));
  if (OutputType(task) != v1::DTYPE_UNSPECIFIED)
    words.push_back(absl::AsciiStrToLower(v1::DType_Name(OutputType(task))));
  words.push_back(latest);
  std::erase(words, "");
  return absl::StrJoin(words, " ");
}

}  // namespace kernelsmith::server
