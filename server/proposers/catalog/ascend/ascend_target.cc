#include "server/proposers/catalog/ascend/ascend_target.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/ascend/ascend_moves.h"
#include "server/proposers/catalog/ascend/layout.h"
#include "server/proposers/catalog/ascend/render.h"
#include "server/proposers/catalog/ascend/stages.h"

namespace kernelsmith::server {
namespace {

// Tensors that a kernel can name, its tiling aside.
constexpr size_t kMaxTensors = 31;

std::vector<ParameterSpace> CommonSpace() {
  // Keys that others depend on come first.
  return {{"engine", {"scalar", "vector"}},
          {"cores", {"1", "all"}},
          {"sync", {"queues", "flags", "barriers"}},
          {"buffers", {"1", "2"}}};
}

class Ascend : public CatalogTarget {
 public:
  std::string CardKind() const override { return "ascend"; }
  std::string RootKey() const override { return "engine"; }

  absl::Status Check(const Problem& problem) const override {
    const auto refuse = [](const std::string& why) {
      return absl::FailedPreconditionError(absl::StrCat("The catalog has no Ascend schedule for this: ", why, "."));
    };
    if (problem.family == Family::kMatmul)
      return refuse("matrix products need the cube unit, and it writes vector kernels");
    if (problem.strided) return refuse("a tensor is not in row-major order");
    if (problem.family == Family::kTransposition) return absl::OkStatus();
    const Program& program = problem.program;
    if (program.inputs.size() + program.outputs.size() > kMaxTensors) return refuse("it has too many tensors");
    for (const Value& v : program.values) {
      if (v.kind != ValueKind::kMap || v.function != "pow") continue;
      const Value& exponent = program.values[v.args[1]];
      if (exponent.kind != ValueKind::kConstant || exponent.number == std::floor(exponent.number)) {
        return refuse("powers with an exponent that is a tensor or a large whole number");
      }
    }
    return absl::OkStatus();
  }

  std::vector<ParameterSpace> Space(const Problem& problem) const override {
    std::vector<ParameterSpace> space = CommonSpace();
    if (problem.family == Family::kTransposition) {
      space.push_back({"tile_rows", {"64", "32", "128", "256"}});
      space.push_back({"tile_columns", {"64", "32", "128", "256"}});
      return space;
    }
    const Program& program = problem.program;
    if (StagePerOperation(program).stages.size() > 1) space.push_back({"passes", {"per-op", "fused"}});
    space.push_back({"tile", {"2048", "1024", "4096", "8192", "16384"}});
    space.push_back({"cache", {"normal", "bypass"}});
    if (!program.HasReductions()) return space;
    if (!LanesAreInner(program)) space.push_back({"row", {"again", "kept"}});
    space.push_back({"rows", {"1", "4", "8", "16", "32"}});
    return space;
  }

  bool HasEffect(const Problem& problem, const std::string& key, const Parameters& parameters) const override {
    const auto is = [&](const char* k, const char* value) {
      const auto found = parameters.find(k);
      return found != parameters.end() && found->second == value;
    };
    if (key == "buffers") return is("engine", "vector") && !is("sync", "barriers");
    if (key == "sync" || key == "passes" || key == "row") return is("engine", "vector");
    if (key == "rows") return LanesAreInner(problem.program) || is("row", "kept");
    return true;
  }

  const std::vector<Move>& Moves(Family family) const override { return AscendMoves(family); }

  v1::Candidate Render(const Problem& problem, const Parameters& schedule) const override {
    const AscendSource source = RenderAscend(problem, schedule);
    v1::Candidate candidate;
    candidate.set_kind(v1::Candidate::ASCEND_KERNEL);
    for (const auto& [name, content] : {std::pair("kernel.asc", &source.kernel), std::pair("plan.cpp", &source.plan)}) {
      v1::SourceFile& file = *candidate.add_files();
      file.set_name(name);
      file.set_content(*content);
    }
    return candidate;
  }
};

}  // namespace

const CatalogTarget& AscendTarget() {
  static const auto* const target = new Ascend;
  return *target;
}

}  // namespace kernelsmith::server
