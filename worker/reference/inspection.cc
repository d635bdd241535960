#include "worker/reference/inspection.h"

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "worker/reference/task_identity.h"
#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {
namespace {

using nlohmann::json;

constexpr int64_t kMaxCaseBytes = int64_t{2} << 30;  // inputs and outputs of one call

v1::TensorDescriptor Tensor(const json& value) {
  v1::TensorDescriptor tensor;
  tensor.set_name(value.at("name").get<std::string>());
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  v1::DType_Parse(value.at("dtype").get<std::string>(), &dtype);
  tensor.set_dtype(dtype);
  tensor.set_format(v1::ND);
  for (const json& extent : value.at("shape")) tensor.add_shape(extent.get<int64_t>());
  return tensor;
}

v1::TaskCase Case(const json& value) {
  v1::TaskCase result;
  result.set_id(value.at("id").get<std::string>());
  for (const json& tensor : value.at("inputs")) *result.add_inputs() = Tensor(tensor);
  for (const json& tensor : value.at("outputs")) *result.add_outputs() = Tensor(tensor);
  result.set_argument_count(value.at("argument_count").get<int>());
  for (const auto& [name, literal] : value.at("attributes").items()) {
    (*result.mutable_attributes())[name] = literal.get<std::string>();
  }
  result.set_hidden(value.at("hidden").get<bool>());
  result.set_timed(value.at("timed").get<bool>());
  return result;
}

v1::OpNode Node(const json& value) {
  v1::OpNode node;
  node.set_name(value.at("name").get<std::string>());
  node.set_op(value.at("op").get<std::string>());
  for (const json& input : value.at("inputs")) node.add_inputs(input.get<std::string>());
  for (const auto& [name, literal] : value.at("attributes").items()) {
    (*node.mutable_attributes())[name] = literal.get<std::string>();
  }
  return node;
}

absl::Status CheckCase(const v1::TaskCase& task_case) {
  if (task_case.inputs().empty() || task_case.outputs().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("case ", task_case.id(), " has no tensor input or no output; a kernel needs both"));
  }
  int64_t bytes = 0;
  for (const auto* tensors : {&task_case.inputs(), &task_case.outputs()}) {
    for (const v1::TensorDescriptor& tensor : *tensors) {
      ASSIGN_OR_RETURN(const TensorLayout layout, LayoutOf(tensor));
      if (layout.elements == 0) {
        return absl::InvalidArgumentError(absl::StrCat("case ", task_case.id(), ": tensor '", tensor.name(),
                                                       "' has no elements; change the constants of the task"));
      }
      bytes += layout.buffer_bytes;
    }
  }
  if (bytes > kMaxCaseBytes) {
    return absl::InvalidArgumentError(absl::StrCat("case ", task_case.id(), " needs ", bytes >> 20,
                                                   " MiB for inputs and outputs, the limit is ", kMaxCaseBytes >> 20,
                                                   " MiB; override its constants, the batch first"));
  }
  return absl::OkStatus();
}

std::string BaselineText(const v1::TaskSpec& spec, const json& answer) {
  bool half = false;
  bool floating = false;
  bool wide = false;
  for (const v1::TaskCase& task_case : spec.cases()) {
    for (const v1::TensorDescriptor& tensor : task_case.inputs()) {
      half |= tensor.dtype() == v1::FP16 || tensor.dtype() == v1::BF16;
      floating |= tensor.dtype() == v1::FP32;
      wide |= tensor.dtype() == v1::FP64;
    }
  }
  const char* compute = half       ? "fp32 compute (half inputs upcast, outputs rounded)"
                        : wide     ? "fp64 compute"
                        : floating ? "fp32 compute"
                                   : "integer compute";
  return absl::StrCat("PyTorch ", answer.at("version").get<std::string>(), ", ", answer.at("threads").get<int>(),
                      " threads, ", compute);
}

v1::TaskSpec Parse(const v1::TaskSource& source, const json& answer) {
  v1::TaskSpec spec;
  std::string name =
      TaskNameOf(source.has_kernelbench() ? source.kernelbench().file_name() : answer.at("name").get<std::string>());
  if (name.empty()) name = "task";
  spec.set_name(name);
  spec.set_operator_name(name);
  spec.set_hash(TaskHash(source));
  spec.set_family(answer.at("family").get<std::string>());
  spec.set_level(answer.at("level").get<std::string>());
  for (const json& value : answer.at("cases")) *spec.add_cases() = Case(value);
  for (const json& value : answer.at("graph")) *spec.add_graph() = Node(value);
  if (source.has_kernelbench()) {
    spec.set_reference_source(source.kernelbench().source());
  } else {
    for (const v1::SourceFile& file : source.native().files()) {
      if (file.name() == "reference.py") spec.set_reference_source(file.content());
      if (file.name() == "description.md") spec.set_description(file.content());
    }
  }
  const json& tolerance = answer.at("tolerance");
  spec.mutable_tolerance()->set_rtol(tolerance.value("rtol", 0.0));
  spec.mutable_tolerance()->set_oracle_multiple(tolerance.value("oracle_multiple", 0.0));
  spec.mutable_tolerance()->set_require_bitwise(tolerance.value("require_bitwise", false));
  spec.set_baseline(BaselineText(spec, answer));
  for (const json& dropped : answer.at("dropped")) {
    spec.add_probe_notes(absl::StrCat("parameter '", dropped.get<std::string>(),
                                      "' has no effect on the output and is no input of the kernel"));
  }
  return spec;
}

}  // namespace

absl::StatusOr<v1::TaskSpec> SpecFromInspection(const v1::TaskSource& source, const json& answer) {
  v1::TaskSpec spec;
  try {
    spec = Parse(source, answer);
  } catch (const json::exception& error) {
    return absl::DataLossError(
        absl::StrCat("the reference process described the task in an unknown form: ", error.what()));
  }
  if (spec.cases().empty()) return absl::InvalidArgumentError("the task has no case");
  for (const v1::TaskCase& task_case : spec.cases()) RETURN_IF_ERROR(CheckCase(task_case));
  return spec;
}

absl::StatusOr<std::vector<Expected::Numbers>> NumbersFromAnswer(const json& answer, size_t outputs) {
  std::vector<Expected::Numbers> numbers;
  try {
    for (const json& entry : answer.at("outputs")) {
      numbers.push_back({entry.at("rms").get<double>(), entry.at("error").get<double>()});
      if (!(numbers.back().rms >= 0) || !(numbers.back().error >= 0)) {
        return absl::DataLossError("the reference process sent a negative or NaN error figure");
      }
    }
  } catch (const json::exception& error) {
    return absl::DataLossError(absl::StrCat("the reference process sent no error figures: ", error.what()));
  }
  if (numbers.size() != outputs) return absl::DataLossError("the reference process described another count of outputs");
  return numbers;
}

}  // namespace kernelsmith::worker
