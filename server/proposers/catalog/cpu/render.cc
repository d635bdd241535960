#include "server/proposers/catalog/cpu/render.h"

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/cpu/prelude.h"
#include "server/proposers/catalog/cpu/renderers.h"
#include "server/proposers/catalog/cpu/value_text.h"
#include "server/proposers/catalog/text.h"

namespace kernelsmith::server {
namespace {

void RenderArguments(const Program& program, Text* text) {
  text->Raw("\n");
  text->Open("struct Arguments {");
  text->Line("int64_t outer, reduced, inner;  // the three groups of dimensions");
  for (const InputLayout& input : program.inputs) {
    text->Line("const ", TypeName(input.dtype), "* in", input.input, ";");
    if (NeedsOuterIndex(program, input)) text->Line("int64_t each", input.input, ", count", input.input, ";");
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    text->Line(TypeName(program.outputs[i].dtype), "* out", i, ";");
  }
  text->Line("int64_t threads;");
  text->Close("};");
}

void RenderEntry(const Problem& problem, const Program& program, Text* text) {
  text->Open("extern \"C\" int ks_kernel(const ks_call* call) {");
  text->Line("if (call->abi_version != KS_ABI_VERSION || call->n_inputs != ", problem.input_count,
             " || call->n_outputs != ", program.outputs.size(), ") return 1;");
  text->Line("const ks_tensor& base = call->",
             program.base_input < 0 ? "outputs[0]" : absl::StrCat("inputs[", program.base_input, "]"), ";");
  text->Line("if (base.rank != ", program.rank, ") return 2;");
  for (const InputLayout& input : program.inputs) {
    text->Line("if (!fits(call->inputs[", input.input, "], ", TypeConstant(input.dtype), ", base, ", WholeText(input),
               ")) return 2;");
    if (!problem.strided) text->Line("if (!row_major(call->inputs[", input.input, "])) return 2;");
  }
  text->Line("Arguments a{};");
  text->Line("a.outer = extent(base, 0, ", program.reduced_begin, ");");
  text->Line("a.reduced = extent(base, ", program.reduced_begin, ", ", program.reduced_end, ");");
  text->Line("a.inner = extent(base, ", program.reduced_end, ", ", program.rank, ");");
  for (const InputLayout& input : program.inputs) text->Raw(OuterIndexSetup(program, input, "base"));
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const OutputLayout& output = program.outputs[i];
    const char* elements =
        program.values[output.value].over.reduced ? "a.outer * a.reduced * a.inner" : "a.outer * a.inner";
    text->Line("const ks_tensor& result", i, " = call->outputs[", i, "];");
    text->Line("if (result", i, ".dtype != ", TypeConstant(output.dtype), " || result", i, ".elements != ", elements,
               problem.strided ? "" : absl::StrCat(" || !row_major(result", i, ")"), ") return 2;");
  }
  text->Line("if (a.outer * a.reduced * a.inner == 0) return ",
             program.HasReductions() ? "a.outer * a.inner == 0 ? 0 : 2;" : "0;");
  for (const InputLayout& input : program.inputs) {
    const std::string type = TypeName(input.dtype);
    if (problem.strided) {
      text->Line("const Dense<", type, "> dense_in", input.input, "(call->inputs[", input.input, "]);");
      text->Line("a.in", input.input, " = dense_in", input.input, ".data;");
    } else {
      text->Line("a.in", input.input, " = static_cast<const ", type, "*>(call->inputs[", input.input, "].data);");
    }
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const std::string type = TypeName(program.outputs[i].dtype);
    if (problem.strided) {
      text->Line("Dense<", type, "> dense_out", i, "(result", i, ");");
      text->Line("a.out", i, " = dense_out", i, ".data;");
    } else {
      text->Line("a.out", i, " = static_cast<", type, "*>(result", i, ".data);");
    }
  }
  text->Line("a.threads = call->cpu_count;");
  text->Line("work(a);");
  for (size_t i = 0; problem.strided && i < program.outputs.size(); ++i) text->Line("dense_out", i, ".scatter();");
  text->Line("return 0;");
  text->Close();
}

}  // namespace

std::string Render(const Problem& problem, const Parameters& parameters) {
  const Parameters schedule = Normalise(problem, parameters);
  Text text;
  const auto finished = [&] {
    return absl::StrCat(HeadText(problem, Describe(problem, schedule)), IncludesText(text.str()), text.str());
  };
  if (problem.family == Family::kMatmul) {
    RenderMatmul(problem, schedule, &text);
    return finished();
  }
  const auto statistics = schedule.find("statistics");
  const bool single_pass = statistics != schedule.end() && statistics->second == "single-pass";
  const Program& program = single_pass ? problem.single_pass : problem.program;
  text.Raw(ScalarText(TypesOf(program), program.integer));
  text.Raw(CheckText());
  if (problem.strided) text.Raw(DenseText());
  RenderArguments(program, &text);
  text.Raw("\n");
  if (schedule.at("loops") == "fused") {
    RenderFused(program, schedule, &text);
  } else {
    RenderPerOp(program, &text);
  }
  text.Raw("\n}  // namespace\n\n");
  RenderEntry(problem, program, &text);
  return finished();
}

}  // namespace kernelsmith::server
