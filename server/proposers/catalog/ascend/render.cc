#include "server/proposers/catalog/ascend/render.h"

#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/ascend/plan_text.h"
#include "server/proposers/catalog/ascend/prelude.h"
#include "server/proposers/catalog/ascend/scalar_body.h"
#include "server/proposers/catalog/ascend/transposition.h"
#include "server/proposers/catalog/ascend/vector_body.h"
#include "server/proposers/catalog/ascend/vector_functions.h"

namespace kernelsmith::server {
namespace {

bool Is(const Parameters& schedule, const std::string& key, const std::string& value) {
  const auto found = schedule.find(key);
  return found != schedule.end() && found->second == value;
}

int Number(const Parameters& schedule, const std::string& key, int otherwise) {
  const auto found = schedule.find(key);
  int value = 0;
  return found != schedule.end() && absl::SimpleAtoi(found->second, &value) ? value : otherwise;
}

Sync SyncOf(const Parameters& schedule) {
  if (Is(schedule, "engine", "scalar") || Is(schedule, "sync", "barriers")) return Sync::kBarriers;
  return Is(schedule, "sync", "flags") ? Sync::kFlags : Sync::kQueues;
}

// The kernels a stage may need, the preferred one first.
std::vector<Form> FormsOf(const Program& program, const Parameters& schedule) {
  if (LanesAreInner(program)) return {Form::kColumns};
  const bool scalar = Is(schedule, "engine", "scalar");
  if (!program.HasReductions()) {
    if (scalar) return {Form::kChunks};
    return {Form::kTiles, Form::kChunks};
  }
  if (scalar || Is(schedule, "row", "again")) return {Form::kSweep};
  return {Form::kTiles, Form::kSweep};
}

// "extern "C" __global__ ..." for a kernel class.
void WriteEntry(const Stage& stage, const KernelShape& shape, Text* text) {
  std::string parameters;
  std::string arguments;
  const auto add = [&](const std::string& name) {
    absl::StrAppend(&parameters, "GM_ADDR ", name, ", ");
    absl::StrAppend(&arguments, name, ", ");
  };
  for (size_t i = 0; i < stage.inputs.size(); ++i) add(absl::StrCat("in", i));
  for (size_t i = 0; i < stage.outputs.size(); ++i) add(absl::StrCat("out", i));
  text->Raw("\n");
  text->Open("extern \"C\" __global__ __vector__ void ", shape.name, "(", parameters, "GM_ADDR tiling) {");
  text->Line("Ring ring;");
  text->Line("Kernel_", shape.name, " kernel;");
  text->Line("kernel.Init(", arguments, "tiling, &ring);");
  text->Line("kernel.Run();");
  text->Close();
}

}  // namespace

AscendSource RenderAscend(const Problem& problem, const Parameters& parameters) {
  const Parameters schedule = Normalise(problem, parameters);
  const std::string description = Describe(problem, schedule);
  PlanOptions options;
  options.all_cores = Is(schedule, "cores", "all");
  options.buffers = Number(schedule, "buffers", 1);
  options.tile = Number(schedule, "tile", 2048);
  options.rows = Number(schedule, "rows", 1);
  const bool scalar = Is(schedule, "engine", "scalar");
  const Sync sync = SyncOf(schedule);
  if (problem.family == Family::kTransposition) return RenderTransposition(problem, schedule, sync, options);

  const Program& program = problem.program;
  const StagePlan plan = Is(schedule, "passes", "per-op") && !scalar ? StagePerOperation(program) : OneStage(program);
  Text text;
  text.Raw(KernelHeadText(problem, description, program.integer));
  text.Raw(RingText(sync, options.buffers));
  text.Raw(CopiesText());
  if (scalar) text.Raw(ScalarFunctionsText(program));
  const KernelOptions kernel_options = {.prefetch = options.buffers > 1,
                                        .bypass_cache = Is(schedule, "cache", "bypass")};
  std::vector<std::vector<KernelShape>> kernels;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    kernels.emplace_back();
    for (const Form form : FormsOf(plan.stages[i].program, schedule)) {
      const std::string name = absl::StrCat("stage", i, "_", FormName(form));
      const std::string type = absl::StrCat("Kernel_", name);
      std::unique_ptr<KernelWriter> writer;
      if (scalar) {
        writer = std::make_unique<ScalarBody>(plan.stages[i].program, form, type, kernel_options, &text);
      } else {
        writer = std::make_unique<VectorBody>(plan.stages[i].program, form, type, kernel_options, &text);
      }
      kernels.back().push_back(writer->Write());
      kernels.back().back().name = name;
    }
  }
  text.Raw("\n}  // namespace\n");
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    for (const KernelShape& shape : kernels[i]) WriteEntry(plan.stages[i], shape, &text);
  }
  return {text.str(), PlanText(problem, description, program, plan, kernels, options)};
}

}  // namespace kernelsmith::server
