#include "server/proposers/catalog/pass_plan.h"

#include <algorithm>
#include <functional>
#include <set>

#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

bool Costly(const Value& value) {
  const MapFunction* f = value.kind == ValueKind::kMap ? FindMapFunction(value.function) : nullptr;
  return f != nullptr && f->costly;
}

std::set<int> LiveValues(const Program& program) {
  std::set<int> live;
  const std::function<void(int)> visit = [&](int v) {
    if (!live.insert(v).second) return;
    for (int arg : program.values[v].args) visit(arg);
  };
  for (const OutputLayout& output : program.outputs) visit(output.value);
  return live;
}

}  // namespace

PassPlan PlanPasses(const Program& program, bool keep) {
  const std::set<int> live = LiveValues(program);
  int passes = 1;
  for (int v : live) {
    const Value& value = program.values[v];
    if (value.over.reduced) passes = std::max(passes, value.depth + 1);
    if (value.kind == ValueKind::kReduce) passes = std::max(passes, value.depth);
  }
  PassPlan plan;
  plan.passes.resize(static_cast<size_t>(passes));
  plan.between.resize(static_cast<size_t>(passes) + 1);
  std::set<int> kept;
  for (int p = 0; p < passes; ++p) {
    Pass& pass = plan.passes[p];
    std::set<int> needed;
    std::set<int> reads;
    const std::function<void(int)> need = [&](int v) {
      const Value& value = program.values[v];
      if (!value.over.reduced || !needed.insert(v).second) return;
      if (keep && Costly(value) && value.depth < p) {
        kept.insert(v);
        reads.insert(v);
        return;
      }
      for (int arg : value.args) need(arg);
    };
    for (int v : live) {
      const Value& value = program.values[v];
      if (value.kind == ValueKind::kReduce && value.depth == p + 1) {
        pass.reduces.push_back(v);
        need(value.args[0]);
      }
    }
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      const Value& value = program.values[program.outputs[i].value];
      if (value.over.reduced && value.depth == p) {
        pass.outputs.push_back(static_cast<int>(i));
        need(program.outputs[i].value);
      }
    }
    pass.values.assign(needed.begin(), needed.end());
    pass.reads.assign(reads.begin(), reads.end());
  }
  // A kept value is written by the pass that computes it first. If that pass does not need it, its readers compute it.
  for (int v : kept) {
    Pass& pass = plan.passes[program.values[v].depth];
    if (std::count(pass.values.begin(), pass.values.end(), v) > 0) {
      pass.keeps.push_back(v);
      plan.kept.push_back(v);
      continue;
    }
    const std::function<void(Pass&, int)> compute = [&](Pass& reader, int w) {
      if (!program.values[w].over.reduced) return;
      if (std::count(reader.values.begin(), reader.values.end(), w) == 0) {
        reader.values.insert(std::lower_bound(reader.values.begin(), reader.values.end(), w), w);
      }
      for (int arg : program.values[w].args) compute(reader, arg);
    };
    for (Pass& reader : plan.passes) {
      if (std::erase(reader.reads, v) > 0) compute(reader, v);
    }
  }
  for (int v : live) {
    const Value& value = program.values[v];
    if (value.over.reduced || value.kind == ValueKind::kReduce || value.kind == ValueKind::kConstant) continue;
    plan.between[static_cast<size_t>(std::min(value.depth, passes))].push_back(v);
  }
  return plan;
}

}  // namespace kernelsmith::server
