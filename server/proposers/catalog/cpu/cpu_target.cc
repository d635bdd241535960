#include "server/proposers/catalog/cpu/cpu_target.h"

#include <algorithm>

#include "absl/status/status.h"
#include "server/proposers/catalog/cpu/cpu_moves.h"
#include "server/proposers/catalog/cpu/render.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

bool HasCostly(const Program& program) {
  return std::any_of(program.values.begin(), program.values.end(), [](const Value& v) {
    const MapFunction* f = v.kind == ValueKind::kMap ? FindMapFunction(v.function) : nullptr;
    return f != nullptr && f->costly;
  });
}

std::vector<ParameterSpace> ProgramSpace(const Problem& problem) {
  const Program& program = problem.program;
  std::vector<ParameterSpace> space = {
      {"loops", {"per-op", "fused"}},     {"lanes", {"1", "4", "8", "16"}}, {"unroll", {"1", "2", "4", "8"}},
      {"threads", {"1", "all"}},          {"split", {"static", "dynamic"}}, {"store", {"cached", "stream"}},
      {"prefetch", {"0", "512", "2048"}},
  };
  if (!program.integer && HasCostly(program)) space.push_back({"math", {"libm", "polynomial"}});
  if (problem.family == Family::kElementwise) space.push_back({"block", {"16384", "4096", "65536"}});
  if (program.HasReductions() && HasCostly(program) && program.Passes() > 1) {
    space.push_back({"keep", {"recompute", "buffer"}});
  }
  if (problem.single_pass.values != program.values) space.push_back({"statistics", {"separate", "single-pass"}});
  return space;
}

std::vector<ParameterSpace> ProductSpace() {
  return {
      {"loops", {"naive", "reordered", "tiled"}},
      {"lanes", {"16", "8"}},
      {"tile_m", {"4", "6", "8", "12", "14"}},
      {"tile_n", {"2", "1", "3", "4"}},
      {"block_m", {"96", "48", "192", "384"}},
      {"block_n", {"512", "256", "1024", "4096"}},
      {"block_k", {"256", "128", "384", "512"}},
      {"pack_a", {"yes", "no"}},
      {"threads", {"1", "all"}},
      {"split", {"rows", "columns"}},
      {"prefetch", {"0", "512"}},
  };
}

bool KeyHasEffect(const Problem& problem, const std::string& key, const Parameters& parameters) {
  const auto is = [&](const char* k, const char* value) {
    const auto found = parameters.find(k);
    return found != parameters.end() && found->second == value;
  };
  if (problem.family == Family::kMatmul) {
    if (key == "loops" || key == "threads") return true;
    if (key == "split") return is("threads", "all");
    return is("loops", "tiled");
  }
  if (key == "loops") return true;
  if (is("loops", "per-op")) return false;
  if (key == "split") return is("threads", "all");
  if (key == "prefetch") return !problem.program.has_inner();
  if (key == "store") return !is("lanes", "1") && !is("lanes", "4");
  return true;
}

class Cpu : public CatalogTarget {
 public:
  std::string CardKind() const override { return "cpu"; }
  std::string RootKey() const override { return "loops"; }
  absl::Status Check(const Problem& problem) const override {
    if (problem.family != Family::kTransposition) return absl::OkStatus();
    return absl::FailedPreconditionError("The catalog transposes tensors on Ascend cards only.");
  }
  std::vector<ParameterSpace> Space(const Problem& problem) const override {
    return problem.family == Family::kMatmul ? ProductSpace() : ProgramSpace(problem);
  }
  bool HasEffect(const Problem& problem, const std::string& key, const Parameters& parameters) const override {
    return KeyHasEffect(problem, key, parameters);
  }
  const std::vector<Move>& Moves(Family family) const override { return CpuMoves(family); }
  v1::Candidate Render(const Problem& problem, const Parameters& schedule) const override {
    v1::Candidate candidate;
    candidate.set_kind(v1::Candidate::CPU_SOURCE);
    v1::SourceFile& file = *candidate.add_files();
    file.set_name("kernel.cpp");
    file.set_content(kernelsmith::server::Render(problem, schedule));
    return candidate;
  }
};

}  // namespace

const CatalogTarget& CpuTarget() {
  static const auto* const target = new Cpu;
  return *target;
}

}  // namespace kernelsmith::server
