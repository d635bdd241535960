#include "server/proposers/catalog/ascend/plan_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/proposers/catalog/ascend/prelude.h"
#include "server/proposers/catalog/cpu/prelude.h"
#include "server/proposers/catalog/cpu/value_text.h"

namespace kernelsmith::server {
namespace {

constexpr char kTiles[] = R"(
// Bytes of UB as a function of the tile.
struct Cost {
  uint64_t full, lanes, rows, fixed;
  uint64_t Of(uint64_t tile_rows, uint64_t pitch) const {
    const uint64_t bytes = full * tile_rows * pitch + lanes * pitch + rows * tile_rows * 16 + fixed;
    return bytes < 32 ? 32 : (bytes + 31) / 32 * 32;
  }
};
struct Kernel {
  const char* name;
  Cost in, out, work;
};
struct Space {
  uint64_t outer, reduced, inner;
};
struct Tile {
  uint64_t rows, lanes, items, parts;
};

inline uint64_t RoundUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }
inline uint64_t Parts(uint64_t n, uint64_t each) { return (n + each - 1) / each; }

inline bool Fits(const Kernel& k, uint64_t rows, uint64_t lanes) {
  const uint64_t pitch = RoundUp(lanes, 16);
  return kBuffers * (k.in.Of(rows, pitch) + k.out.Of(rows, pitch)) + k.work.Of(rows, pitch) <= kRoom;
}

// The longest part of `extent` that fits, not longer than kTile, and short enough that `others` items give each core
// something to do.
inline uint64_t LongestPart(const Kernel& k, uint64_t rows, uint64_t extent, uint64_t others, uint64_t cores) {
  uint64_t lanes = std::min(RoundUp(extent, 16), kTile);
  if (others < cores) lanes = std::min(lanes, std::max<uint64_t>(64, RoundUp(Parts(extent, Parts(cores, others)), 64)));
  while (lanes > 16 && !Fits(k, rows, lanes)) lanes -= 16;
  return std::min(lanes, extent);
}

// Whole rows, several at a time.
inline bool TilesOf(const Kernel& k, const Space& s, uint64_t wanted, uint64_t cores, Tile* tile) {
  uint64_t rows = std::min({wanted, s.outer, Parts(s.outer, cores), uint64_t(64)});
  while (rows > 0 && !Fits(k, rows, s.reduced)) --rows;
  if (rows == 0) return false;
  *tile = {rows, s.reduced, Parts(s.outer, rows), 1};
  return true;
}
// Parts of rows.
inline bool ChunksOf(const Kernel& k, const Space& s, uint64_t, uint64_t cores, Tile* tile) {
  const uint64_t lanes = LongestPart(k, 1, s.reduced, s.outer, cores);
  *tile = {1, lanes, s.outer * Parts(s.reduced, lanes), Parts(s.reduced, lanes)};
  return Fits(k, 1, lanes);
}
// A row at a time, in parts.
inline bool SweepOf(const Kernel& k, const Space& s, uint64_t, uint64_t cores, Tile* tile) {
  const uint64_t lanes = LongestPart(k, 1, s.reduced, cores, cores);
  *tile = {1, lanes, s.outer, 1};
  return Fits(k, 1, lanes);
}
// Part of the lanes, several steps of the rows at a time.
inline bool ColumnsOf(const Kernel& k, const Space& s, uint64_t wanted, uint64_t cores, Tile* tile) {
  const uint64_t lanes = LongestPart(k, 1, s.inner, s.outer, cores);
  uint64_t rows = std::min({wanted, s.reduced, std::max<uint64_t>(1, kTile / RoundUp(lanes, 16)), uint64_t(64)});
  while (rows > 1 && !Fits(k, rows, lanes)) --rows;
  *tile = {rows, lanes, s.outer * Parts(s.inner, lanes), Parts(s.inner, lanes)};
  return Fits(k, rows, lanes);
}

// What a kernel reads as its first words.
inline void Fill(const Kernel& k, const Space& s, const Tile& tile, uint32_t* words) {
  const uint64_t pitch = RoundUp(tile.lanes, 16);
  const uint64_t values[] = {s.outer,    s.reduced,  s.inner,    tile.rows,
                             tile.lanes, pitch,      tile.items, tile.parts,
                             k.in.Of(tile.rows, pitch), k.out.Of(tile.rows, pitch), k.work.Of(tile.rows, pitch)};
  for (uint64_t value : values) *words++ = uint32_t(value);
}
)";

std::string SpaceSize(const Footprint& over) {
  std::string text;
  for (const auto& [varies, name] :
       {std::pair(over.outer, "s.outer"), std::pair(over.reduced, "s.reduced"), std::pair(over.inner, "s.inner")}) {
    if (varies) absl::StrAppend(&text, text.empty() ? "" : " * ", name);
  }
  return text.empty() ? "1" : text;
}

std::string Chooser(Form form) {
  switch (form) {
    case Form::kTiles:
      return "TilesOf";
    case Form::kChunks:
      return "ChunksOf";
    case Form::kSweep:
      return "SweepOf";
    case Form::kColumns:
      return "ColumnsOf";
  }
  return "TilesOf";
}

void WriteChecks(const Problem& problem, const Program& program, Text* text) {
  text->Line("if (call->abi_version != KS_ABI_VERSION || call->n_inputs != ", problem.input_count,
             " || call->n_outputs != ", program.outputs.size(), ") return 1;");
  text->Line("const ks_tensor& base = call->",
             program.base_input < 0 ? "outputs[0]" : absl::StrCat("inputs[", program.base_input, "]"), ";");
  text->Line("if (base.rank != ", program.rank, ") return 2;");
  for (const InputLayout& input : program.inputs) {
    text->Line("if (!fits(call->inputs[", input.input, "], ", TypeConstant(input.dtype), ", base, ", WholeText(input),
               ") || !row_major(call->inputs[", input.input, "])) return 2;");
  }
  text->Line("const Space s = {uint64_t(extent(base, 0, ", program.reduced_begin, ")), uint64_t(extent(base, ",
             program.reduced_begin, ", ", program.reduced_end, ")), uint64_t(extent(base, ", program.reduced_end, ", ",
             program.rank, "))};");
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const OutputLayout& output = program.outputs[i];
    const char* elements =
        program.values[output.value].over.reduced ? "s.outer * s.reduced * s.inner" : "s.outer * s.inner";
    text->Line("if (call->outputs[", i, "].dtype != ", TypeConstant(output.dtype), " || uint64_t(call->outputs[", i,
               "].elements) != ", elements, " || !row_major(call->outputs[", i, "])) return 2;");
  }
  text->Line("if (s.outer * s.reduced * s.inner == 0) return ",
             program.HasReductions() ? "s.outer * s.inner == 0 ? 0 : 2;" : "0;");
}

void WriteStage(const Stage& stage, size_t number, const std::vector<KernelShape>& kernels, const PlanOptions& options,
                Text* text) {
  text->Open("{");
  text->Line("uint32_t* words = tiling[", number, "];");
  text->Line("Tile tile;");
  text->Line("const Kernel* kernel = nullptr;");
  for (size_t k = 0; k < kernels.size(); ++k) {
    const KernelShape& shape = kernels[k];
    text->Line("static const Kernel kernel", k, " = {\"", shape.name, "\", ", shape.in.Braced(), ", ",
               shape.out.Braced(), ", ", shape.work.Braced(), "};");
    // Element-wise tiles hold as many rows as their length allows, and longer rows go in parts.
    const bool by_length = shape.form == Form::kTiles && !stage.program.HasReductions();
    const std::string wanted = by_length ? "std::max<uint64_t>(1, kTile / RoundUp(s.reduced, 16))"
                                         : absl::StrCat("uint64_t(", options.rows, ")");
    text->Line("if (kernel == nullptr && ", by_length && kernels.size() > 1 ? "s.reduced <= kTile && " : "",
               Chooser(shape.form), "(kernel", k, ", s, ", wanted, ", cores, &tile)) kernel = &kernel", k, ";");
  }
  text->Line("if (kernel == nullptr) return 3;");
  text->Line("Fill(*kernel, s, tile, words);");
  for (size_t i = 0; i < stage.program.inputs.size(); ++i) {
    const InputLayout& input = stage.program.inputs[i];
    if (!NeedsOuterIndex(stage.program, input)) continue;
    int begin = 0;
    while (begin < stage.program.reduced_begin && input.broadcast[begin]) ++begin;
    int end = begin;
    while (end < stage.program.reduced_begin && !input.broadcast[end]) ++end;
    text->Line("words[", 11 + 2 * i, "] = uint32_t(extent(base, ", end, ", ", stage.program.reduced_begin, "));");
    text->Line("words[", 12 + 2 * i, "] = uint32_t(extent(base, ", begin, ", ", end, "));");
  }
  text->Line("ks_launch* launch = ks_add_launch(plan, kernel->name, uint32_t(std::min(cores, tile.items)));");
  const auto argument = [&](const StageTensor& tensor) {
    switch (tensor.kind) {
      case StageTensor::Kind::kInput:
        text->Line("ks_add_input(launch, ", tensor.index, ");");
        break;
      case StageTensor::Kind::kOutput:
        text->Line("ks_add_output(launch, ", tensor.index, ");");
        break;
      case StageTensor::Kind::kWorkspace:
        text->Line("ks_add_workspace(launch, int64_t(workspace", tensor.index, "));");
    }
  };
  for (const StageTensor& tensor : stage.inputs) argument(tensor);
  for (const StageTensor& tensor : stage.outputs) argument(tensor);
  text->Line("ks_add_tiling(launch, ", number * kTilingWords * 4, ");");
  text->Close();
}

}  // namespace

std::string PlanHeadText(const Problem& problem, const std::string& schedule, const PlanOptions& options) {
  return absl::StrCat(
      "// Plan of ", problem.summary, " (", FamilyName(problem.family),
      "), written by the Kernelsmith catalog.\n// Schedule: ", schedule,
      "\n#include <kernelsmith/plan_abi.h>\n\n#include <algorithm>\n#include <cstdint>\n"
      "#include <initializer_list>\n\nnamespace {\n\n",
      "constexpr uint64_t kRoom = ", kUbRoom, ";  // bytes of UB\nconstexpr uint64_t kBuffers = ", options.buffers,
      ";\nconstexpr uint64_t kTile = ", options.tile, ";  // elements of a tile, at most\n", CheckText());
}

std::string PlanText(const Problem& problem, const std::string& schedule, const Program& program, const StagePlan& plan,
                     const std::vector<std::vector<KernelShape>>& kernels, const PlanOptions& options) {
  Text text;
  text.Raw(PlanHeadText(problem, schedule, options));
  text.Raw(kTiles);
  text.Raw(absl::StrCat("\nuint32_t tiling[", plan.stages.size(), "][", kTilingWords, "];\n\n}  // namespace\n\n"));
  text.Open("extern \"C\" int ks_plan(const ks_call* call, ks_plan* plan) {");
  WriteChecks(problem, program, &text);
  text.Line("const uint64_t cores = ", options.all_cores ? "std::max<uint64_t>(1, call->cpu_count)" : "1", ";");
  if (!plan.workspace.empty()) {
    text.Line("uint64_t bytes = 0;");
    for (size_t w = 0; w < plan.workspace.size(); ++w) {
      text.Line("const uint64_t workspace", w, " = bytes;");
      text.Line("bytes += RoundUp(4 * ", SpaceSize(plan.workspace[w]), ", 512);");
    }
    text.Line("plan->workspace_bytes = bytes;");
  }
  for (size_t i = 0; i < plan.stages.size(); ++i) WriteStage(plan.stages[i], i, kernels[i], options, &text);
  text.Line("plan->tiling = tiling;");
  text.Line("plan->tiling_bytes = sizeof tiling;");
  text.Line("return 0;");
  text.Close();
  return text.str();
}

}  // namespace kernelsmith::server
