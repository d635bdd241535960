#include "worker/reference/reference.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status.h"
#include "worker/reference/inspection.h"
#include "worker/reference/task_identity.h"

namespace kernelsmith::worker {
namespace {

using nlohmann::json;

json InspectRequest(const v1::TaskSource& source) {
  json request = {{"op", "inspect"}, {"overrides", json::object()}};
  for (const auto& [name, value] : source.overrides()) request["overrides"][name] = value;
  if (source.dtype() != v1::DTYPE_UNSPECIFIED) request["dtype"] = v1::DType_Name(source.dtype());
  if (source.has_kernelbench()) {
    request["format"] = "kernelbench";
    request["source"] = source.kernelbench().source();
    request["file_name"] = source.kernelbench().file_name().empty() ? "task.py" : source.kernelbench().file_name();
  } else {
    request["format"] = "native";
    for (const v1::SourceFile& file : source.native().files()) request["files"][file.name()] = file.content();
  }
  return request;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reference>> Reference::Start(const v1::TaskSource& source,
                                                            const ReferenceOptions& options, TimeLimit& limit,
                                                            std::stop_token stop) {
  if (!source.has_kernelbench() && !source.has_native()) {
    return common::InvalidField("task.format", "is missing; give a KernelBench file or a native task folder");
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ReferenceProcess> process, ReferenceProcess::Start(options));
  auto reference = std::unique_ptr<Reference>(new Reference(std::move(process), options.card.device));
  ASSIGN_OR_RETURN(const json answer, reference->process_->Call(InspectRequest(source), {}, limit, stop));
  ASSIGN_OR_RETURN(reference->spec_, SpecFromInspection(source, answer));
  return reference;
}

absl::StatusOr<PackedTensors> Reference::Draw(const v1::TaskCase& task_case, int64_t seed, TimeLimit& limit,
                                              std::stop_token stop) {
  const std::vector<v1::TensorDescriptor> descriptors(task_case.inputs().begin(), task_case.inputs().end());
  ASSIGN_OR_RETURN(PackedTensors inputs, PackedTensors::Create(descriptors, SharedMemory::Access::kChildWrites));
  const json request = {{"op", "make"},
                        {"case", task_case.id()},
                        {"seed", seed},
                        {"inputs", inputs.Describe()},
                        {"input_bytes", inputs.memory().size()}};
  RETURN_IF_ERROR(process_->Call(request, {inputs.memory().fd()}, limit, stop).status());
  return inputs;
}

absl::StatusOr<Expected> Reference::Expect(const v1::TaskCase& task_case, const PackedTensors& inputs, TimeLimit& limit,
                                           std::stop_token stop, PackedTensors* rounded) {
  const std::vector<v1::TensorDescriptor> outputs(task_case.outputs().begin(), task_case.outputs().end());
  Expected expected;
  ASSIGN_OR_RETURN(expected.values,
                   PackedTensors::Create(ExpectedDescriptors(outputs), SharedMemory::Access::kChildWrites));
  std::vector<int> descriptors = {inputs.memory().fd(), expected.values.memory().fd()};
  json request = {{"op", "run"},
                  {"case", task_case.id()},
                  {"inputs", inputs.Describe()},
                  {"input_bytes", inputs.memory().size()},
                  {"output_bytes", expected.values.memory().size()}};
  json declared = json::array();
  const json want = expected.values.Describe();
  if (rounded != nullptr) {
    ASSIGN_OR_RETURN(*rounded, PackedTensors::Create(outputs, SharedMemory::Access::kChildWrites));
    descriptors.push_back(rounded->memory().fd());
    request["rounded_bytes"] = rounded->memory().size();
    declared = rounded->Describe();
  } else {
    for (const v1::TensorDescriptor& output : outputs) {
      declared.push_back({{"name", output.name()},
                          {"dtype", v1::DType_Name(output.dtype())},
                          {"shape", std::vector<int64_t>(output.shape().begin(), output.shape().end())}});
    }
  }
  for (size_t i = 0; i < declared.size(); ++i) declared[i]["want"] = want[i];
  request["outputs"] = std::move(declared);
  ASSIGN_OR_RETURN(const json answer, process_->Call(request, descriptors, limit, stop));
  ASSIGN_OR_RETURN(expected.numbers, NumbersFromAnswer(answer, outputs.size()));
  expected.note = answer.value("note", std::string());
  return expected;
}

absl::Status Reference::OpenBaseline(const SlotPool& pool, TimeLimit& limit, std::stop_token stop) {
  json slots = json::array();
  for (int slot = 0; slot < pool.slots(); ++slot) {
    json tensors = json::array();
    for (const SlotPool::Placement& placement : pool.input_placements()) {
      tensors.push_back({{"buffer", 0},
                         {"dtype", v1::DType_Name(placement.layout.dtype)},
                         {"shape", placement.layout.shape},
                         {"offset", slot * pool.input_stride() + placement.offset +
                                        placement.layout.storage_offset * placement.layout.element_bytes}});
    }
    slots.push_back(std::move(tensors));
  }
  const json request = {{"op", "baseline_open"},
                        {"case", pool.task_case().id()},
                        {"card", card_},
                        {"sizes", {pool.input_memory().size()}},
                        {"slots", std::move(slots)}};
  RETURN_IF_ERROR(CloseBaseline(limit));
  return process_->Call(request, {pool.input_memory().fd()}, limit, stop).status();
}

absl::StatusOr<absl::Duration> Reference::TimedCall(const json& request, TimeLimit& limit, std::stop_token stop) {
  const auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const json answer, process_->Call(request, {}, limit, std::move(stop)));
  if (answer.contains("card_us") && answer["card_us"].is_number()) {
    return absl::Microseconds(answer["card_us"].get<double>());
  }
  return absl::FromChrono(std::chrono::steady_clock::now() - begin);
}

absl::StatusOr<absl::Duration> Reference::RunBaseline(absl::Span<const int> slots, TimeLimit& limit,
                                                      std::stop_token stop) {
  return TimedCall({{"op", "baseline_run"}, {"slots", std::vector<int>(slots.begin(), slots.end())}}, limit,
                   std::move(stop));
}

absl::StatusOr<absl::Duration> Reference::RunEmptyBaseline(absl::Span<const int> slots, TimeLimit& limit,
                                                           std::stop_token stop) {
  return TimedCall({{"op", "baseline_empty"}, {"slots", std::vector<int>(slots.begin(), slots.end())}}, limit,
                   std::move(stop));
}

absl::Status Reference::CloseBaseline(TimeLimit& limit) {
  return process_->Call({{"op", "baseline_close"}}, {}, limit).status();
}

}  // namespace kernelsmith::worker
