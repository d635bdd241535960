#include "server/proposers/catalog/ascend/stages.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "server/proposers/catalog/ascend/layout.h"

namespace kernelsmith::server {
namespace {

constexpr size_t kMaxLaunches = 16;

// Builds one stage from values of the whole program.
class StageWriter {
 public:
  StageWriter(const Program& whole, const std::map<int, int>& stored) : whole_(whole), stored_(stored) {
    stage_.program.integer = whole.integer;
    stage_.program.rank = whole.rank;
    stage_.program.reduced_begin = whole.reduced_begin;
    stage_.program.reduced_end = whole.reduced_end;
    stage_.program.base_input = whole.base_input;
  }

  void AddOutput(int value, const StageTensor& tensor, v1::DType dtype) {
    stage_.program.outputs.push_back({Copy(value), dtype});
    stage_.outputs.push_back(tensor);
  }

  Stage Finish() { return std::move(stage_); }

 private:
  int Copy(int v) {
    const auto known = copies_.find(v);
    if (known != copies_.end()) return known->second;
    Value value = whole_.values[v];
    const auto stored = stored_.find(v);
    if (stored != stored_.end()) {
      const Footprint over = value.over;
      value = {};
      value.kind = ValueKind::kLoad;
      value.input = Input({StageTensor::Kind::kWorkspace, stored->second}, WorkspaceLayout(over));
      value.over = over;
    } else if (value.kind == ValueKind::kLoad) {
      const auto layout = std::find_if(whole_.inputs.begin(), whole_.inputs.end(),
                                       [&](const InputLayout& input) { return input.input == value.input; });
      value.input = Input({StageTensor::Kind::kInput, value.input}, *layout);
    } else {
      for (int& arg : value.args) arg = Copy(arg);
      value.over = value.kind == ValueKind::kCount || value.kind == ValueKind::kConstant ? value.over : Footprint{};
      value.depth = 0;
    }
    const int copy = stage_.program.Add(std::move(value));
    copies_[v] = copy;
    return copy;
  }

  int Input(const StageTensor& tensor, InputLayout layout) {
    for (size_t i = 0; i < stage_.inputs.size(); ++i) {
      if (stage_.inputs[i].kind == tensor.kind && stage_.inputs[i].index == tensor.index) return static_cast<int>(i);
    }
    layout.input = static_cast<int>(stage_.inputs.size());
    stage_.inputs.push_back(tensor);
    stage_.program.inputs.push_back(std::move(layout));
    return static_cast<int>(stage_.inputs.size()) - 1;
  }

  InputLayout WorkspaceLayout(const Footprint& over) const {
    InputLayout layout{
        .input = 0, .dtype = whole_.integer ? v1::INT32 : v1::FP32, .rank = whole_.rank, .broadcast = {}};
    for (int d = 0; d < whole_.rank; ++d) {
      const bool varies = d < whole_.reduced_begin ? over.outer : d < whole_.reduced_end ? over.reduced : over.inner;
      layout.broadcast.push_back(!varies);
    }
    return layout;
  }

  const Program& whole_;
  const std::map<int, int>& stored_;  // value to workspace tensor, of earlier stages
  std::map<int, int> copies_;
  Stage stage_;
};

std::set<int> Live(const Program& program) {
  std::set<int> live;
  const std::function<void(int)> visit = [&](int v) {
    if (!live.insert(v).second) return;
    for (int arg : program.values[v].args) visit(arg);
  };
  for (const OutputLayout& output : program.outputs) visit(output.value);
  return live;
}

// The reduction with the highest index that `v` is computed from, or -1.
int LastReduction(const Program& program, int v) {
  if (program.values[v].kind == ValueKind::kReduce) return v;
  int last = -1;
  for (int arg : program.values[v].args) last = std::max(last, LastReduction(program, arg));
  return last;
}

}  // namespace

StagePlan OneStage(const Program& program) {
  const std::map<int, int> nothing;
  StageWriter writer(program, nothing);
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    writer.AddOutput(program.outputs[i].value, {StageTensor::Kind::kOutput, static_cast<int>(i)},
                     program.outputs[i].dtype);
  }
  return {{writer.Finish()}, {}};
}

StagePlan StagePerOperation(const Program& program) {
  const std::set<int> live = Live(program);
  const auto launches = [&](int v) {
    const Value& value = program.values[v];
    return value.kind == ValueKind::kReduce || (value.kind == ValueKind::kMap && RoleOf(program, v) == Role::kFull);
  };
  // Which stage writes which results: values in between belong to the last reduction they need.
  std::map<int, std::vector<size_t>> results;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const int v = program.outputs[i].value;
    const int reduction = launches(v) ? v : LastReduction(program, v);
    results[reduction < 0 ? v : reduction].push_back(i);
  }
  std::set<int> targets;
  for (int v : live) {
    if (launches(v)) targets.insert(v);
  }
  for (const auto& [v, outputs] : results) targets.insert(v);
  const v1::DType real = program.integer ? v1::INT32 : v1::FP32;

  StagePlan plan;
  std::map<int, int> stored;
  for (int v : targets) {
    StageWriter writer(program, stored);
    bool used_later = false;
    for (int other : live) {
      if (other <= v) continue;
      const std::vector<int>& args = program.values[other].args;
      used_later |= std::count(args.begin(), args.end(), v) > 0;
    }
    int place = -1;
    if (used_later) {
      place = static_cast<int>(plan.workspace.size());
      plan.workspace.push_back(program.values[v].over);
      writer.AddOutput(v, {StageTensor::Kind::kWorkspace, place}, real);
    }
    for (size_t i : results[v]) {
      writer.AddOutput(program.outputs[i].value, {StageTensor::Kind::kOutput, static_cast<int>(i)},
                       program.outputs[i].dtype);
    }
    plan.stages.push_back(writer.Finish());
    if (place >= 0) stored[v] = place;
  }
  if (plan.stages.size() > kMaxLaunches || plan.stages.size() < 2) return OneStage(program);
  return plan;
}

}  // namespace kernelsmith::server
