#include "server/proposers/catalog/ascend/kernel_writer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

// Tiling words that every kernel reads, in this order; then each and count of the inputs that need them.
constexpr int kWordsRead = 11;
constexpr const char* kWords[] = {"outer_", "reduced_", "inner_",    "rows_",      "tile_lanes_", "pitch_",
                                  "items_", "parts_",   "in_bytes_", "out_bytes_", "work_bytes_"};

}  // namespace

KernelWriter::KernelWriter(const Program& program, Form form, std::string name, const KernelOptions& options,
                           Text* text)
    : program_(program), form_(form), text_(*text), name_(std::move(name)), options_(options) {
  PlanWork();
  PlanBuffers();
}

v1::DType KernelWriter::TypeOf(int load) const { return program_.inputs[program_.values[load].input].dtype; }

std::string KernelWriter::LiteralText(int value) const {
  const Value& v = program_.values[value];
  if (v.kind == ValueKind::kConstant) return DeviceLiteral(v.number, program_.integer);
  if (v.kind == ValueKind::kCount) return "static_cast<real>(reduced_)";
  std::vector<std::string> args;
  for (int arg : v.args) args.push_back(LiteralText(arg));
  return absl::StrCat("(", Substitute(FindMapFunction(v.function)->scalar, args), ")");
}

// ---- What happens when ----

void KernelWriter::PlanWork() {
  kernel_.life = Life::kKernel;
  item_.life = Life::kItem;
  std::set<int> live;
  const std::function<void(int)> visit = [&](int v) {
    if (!live.insert(v).second) return;
    for (int arg : program_.values[v].args) visit(arg);
  };
  for (const OutputLayout& output : program_.outputs) visit(output.value);
  const auto add = [&](int v, PassWork* work) {
    const Value& value = program_.values[v];
    if (IsLiteral(v)) return;
    if (value.kind == ValueKind::kLoad) {
      work->loads.push_back(v);
    } else if (value.kind == ValueKind::kMap || (value.kind == ValueKind::kReduce && !HasSteps())) {
      // Where a tile holds whole rows, a reduction is a value like any other.
      work->values.push_back(v);
    }
  };
  if (!HasSteps()) {
    PassWork step;
    for (int v : live) add(v, LifeOf(v) == Life::kKernel ? &kernel_ : &step);
    for (size_t i = 0; i < program_.outputs.size(); ++i) step.outputs.push_back(static_cast<int>(i));
    steps_.push_back(std::move(step));
    return;
  }
  const PassPlan plan = PlanPasses(program_, false);
  for (int v : plan.between.front()) add(v, &item_);
  for (size_t p = 0; p < plan.passes.size(); ++p) {
    PassWork step;
    for (int v : plan.passes[p].values) {
      if (LifeOf(v) == Life::kStep) add(v, &step);
    }
    step.reduces = plan.passes[p].reduces;
    step.outputs = plan.passes[p].outputs;
    steps_.push_back(std::move(step));
    PassWork between;
    between.life = Life::kItem;
    for (int v : plan.between[p + 1]) add(v, &between);
    between_.push_back(std::move(between));
  }
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    if (LifeOf(program_.outputs[i].value) == Life::kItem) between_.back().outputs.push_back(static_cast<int>(i));
  }
  // Loads that only a later computation of the item needs still come at its start.
  for (PassWork& between : between_) {
    item_.loads.insert(item_.loads.end(), between.loads.begin(), between.loads.end());
    between.loads.clear();
  }
}

void KernelWriter::PlanBuffers() {
  const auto lay = [&](const PassWork& work) {
    Bytes at;
    for (int v : work.loads) {
      in_at_[v] = at;
      at.Add(RoleOf(v), ElementBytes(TypeOf(v)));
    }
    in_bytes_.Raise(at);
  };
  lay(kernel_);
  lay(item_);
  // The same place in every pass.
  PassWork all;
  for (const PassWork& step : steps_) {
    for (int v : step.loads) {
      if (std::count(all.loads.begin(), all.loads.end(), v) == 0) all.loads.push_back(v);
    }
  }
  lay(all);
  const auto place = [&](const PassWork& work) {
    Bytes at;
    for (int i : work.outputs) {
      out_at_[static_cast<size_t>(i)] = at;
      at.Add(RoleOf(program_.outputs[i].value), ElementBytes(program_.outputs[i].dtype));
    }
    out_bytes_.Raise(at);
  };
  for (const PassWork& step : steps_) place(step);
  for (const PassWork& between : between_) place(between);
}

std::string KernelWriter::InTensor(int value) const {
  return absl::StrCat("in[", in_at_.at(value).Text(), "].ReinterpretCast<", AscendType(TypeOf(value)), ">()");
}

std::string KernelWriter::OutTensor(size_t output) const {
  return absl::StrCat("out[", out_at_.at(output).Text(), "].ReinterpretCast<",
                      AscendType(program_.outputs[output].dtype), ">()");
}

// ---- Where tiles are ----

bool KernelWriter::NeedsIndex(int value) const {
  const InputLayout& input = program_.inputs[program_.values[value].input];
  const auto begin = input.broadcast.begin();
  const auto end = begin + program_.reduced_begin;
  return std::find(begin, end, true) != end && std::find(begin, end, false) != end;
}

std::string KernelWriter::OuterIndex(int value, const std::string& outer) const {
  const int input = program_.values[value].input;
  if (!NeedsIndex(value)) return outer;
  return absl::StrCat(outer, " / each", input, "_ % count", input, "_");
}

// Element of the tensor at which the tile's row `row` begins. Rows are steps of the outer group or, where lanes are
// inner, of the reduced one.
std::string KernelWriter::GlobalOffset(int value, const std::string& row) const {
  const Footprint& over = program_.values[value].over;
  const bool inner = LanesAreInner(program_);
  const std::string outer = inner ? "outer" : row;
  std::string at;
  if (over.outer) {
    at = absl::StrCat("static_cast<uint64_t>(",
                      program_.values[value].kind == ValueKind::kLoad ? OuterIndex(value, outer) : outer, ")");
  }
  if (over.reduced) {
    if (!at.empty()) absl::StrAppend(&at, " * reduced_");
    const std::string step = inner ? row : "at";
    at = at.empty() ? absl::StrCat("static_cast<uint64_t>(", step, ")") : absl::StrCat(at, " + ", step);
  }
  if (over.inner) {
    at = at.empty() ? "at" : absl::StrCat("(", at, ") * inner_ + at");
  }
  return at.empty() ? "0" : at;
}

// Declares the tile's place: rows from `first`, m of them, lanes from `at`, n of them.
void KernelWriter::WriteWhere(Life life) {
  if (life == Life::kKernel) {
    text_.Line("const uint32_t first = 0;");
    text_.Line("const uint32_t m = 1;");
    text_.Line("const uint32_t at = 0;");
    text_.Line("const uint32_t n = ", form_ == Form::kTiles ? "reduced_" : "tile_lanes_", ";");
    return;
  }
  switch (form_) {
    case Form::kTiles:
      text_.Line("const uint32_t first = item * rows_;");
      text_.Line("const uint32_t m = Smaller(rows_, outer_ - first);");
      text_.Line("const uint32_t at = 0;");
      text_.Line("const uint32_t n = reduced_;");
      break;
    case Form::kChunks:
      text_.Line("const uint32_t first = item / parts_;");
      text_.Line("const uint32_t m = 1;");
      text_.Line("const uint32_t at = item % parts_ * tile_lanes_;");
      text_.Line("const uint32_t n = Smaller(tile_lanes_, reduced_ - at);");
      break;
    case Form::kSweep:
      text_.Line("const uint32_t first = item;");
      text_.Line("const uint32_t m = 1;");
      if (life == Life::kItem) {
        text_.Line("const uint32_t at = 0;");
        text_.Line("const uint32_t n = 1;");
      } else {
        text_.Line("const uint32_t at = step * tile_lanes_;");
        text_.Line("const uint32_t n = Smaller(tile_lanes_, reduced_ - at);");
      }
      break;
    case Form::kColumns:
      text_.Line("const uint32_t outer = item / parts_;");
      text_.Line("const uint32_t at = item % parts_ * tile_lanes_;");
      text_.Line("const uint32_t n = Smaller(tile_lanes_, inner_ - at);");
      if (life == Life::kItem) {
        text_.Line("const uint32_t first = 0;");
        text_.Line("const uint32_t m = 1;");
      } else {
        text_.Line("const uint32_t first = step * rows_;");
        text_.Line("const uint32_t m = Smaller(rows_, reduced_ - first);");
      }
  }
}

// ---- Transfers ----

void KernelWriter::WriteLoad(int value, const std::string& in) {
  const Value& v = program_.values[value];
  const Role role = RoleOf(value);
  const std::string global = absl::StrCat("in", v.input, "_");
  const bool inner = LanesAreInner(program_);
  const char* pitch = role == Role::kFull || role == Role::kLanes ? "pitch_" : "16";
  const char* lanes = role == Role::kFull || role == Role::kLanes ? "n" : "1";
  const bool many = role == Role::kFull || role == Role::kRows;
  // Rows that do not lie one behind the other are fetched one by one.
  if (many && !inner && NeedsIndex(value)) {
    text_.Open("for (uint32_t r = 0; r < m; ++r) {");
    text_.Line("CopyIn(", in, "[r * ", pitch, "], ", global, "[", GlobalOffset(value, "(first + r)"), "], 1, ", lanes,
               ", 0, ", pitch, ");");
    text_.Close();
    return;
  }
  std::string gap = "0";
  if (role == Role::kFull) gap = inner ? "inner_ - n" : "reduced_ - n";
  text_.Line("CopyIn(", in, ", ", global, "[", GlobalOffset(value, "first"), "], ", many ? "m" : "1", ", ", lanes, ", ",
             gap, ", ", pitch, ");");
}

std::string KernelWriter::OutputName(size_t output) const { return absl::StrCat("out", output, "_"); }

void KernelWriter::WriteStore(size_t output) {
  const int value = program_.outputs[output].value;
  const Footprint& over = program_.values[value].over;
  const Role role = RoleOf(value);
  const bool inner = LanesAreInner(program_);
  const bool lanes = role == Role::kFull || role == Role::kLanes;
  const bool many = role == Role::kFull || role == Role::kRows;
  std::string at;
  if (inner) {
    at = over.reduced ? "(static_cast<uint64_t>(outer) * reduced_ + first) * inner_ + at"
                      : "static_cast<uint64_t>(outer) * inner_ + at";
  } else {
    at = over.reduced ? "static_cast<uint64_t>(first) * reduced_ + at" : "first";
  }
  std::string gap = "0";
  if (role == Role::kFull) gap = inner ? "inner_ - n" : "reduced_ - n";
  text_.Line("CopyOut(", OutputName(output), "[", at, "], ", OutTensor(output), ", ", many ? "m" : "1", ", ",
             lanes ? "n" : "1", ", ", gap, ", ", lanes ? "pitch_" : "16", ");");
}

// Load, Compute and Store of one kind of work.
void KernelWriter::WriteTransfers(const PassWork& work, const std::string& suffix) {
  const bool once = work.life == Life::kKernel;
  const bool step = work.life == Life::kStep && HasSteps();
  const std::string parameters = once ? "" : step ? "uint32_t item, uint32_t step" : "uint32_t item";
  text_.Raw("\n");
  if (!work.loads.empty()) {
    text_.Open("__aicore__ inline void Load", suffix, "(", parameters, ") {");
    WriteWhere(work.life);
    text_.Line("LocalTensor<uint8_t> in = ring_->FillIn();");
    for (int v : work.loads) WriteLoad(v, InTensor(v));
    text_.Line("ring_->FilledIn(in);");
    text_.Close();
  }
  text_.Open("__aicore__ inline void Compute", suffix, "(", parameters, ") {");
  WriteWhere(work.life);
  text_.Line("const uint32_t span = (m - 1) * pitch_ + n;");
  if (!work.loads.empty()) text_.Line("LocalTensor<uint8_t> in = ring_->UseIn();");
  if (!work.outputs.empty()) text_.Line("LocalTensor<uint8_t> out = ring_->FillOut();");
  WriteWork(work);
  if (!work.loads.empty()) text_.Line("ring_->UsedIn(in);");
  if (!work.outputs.empty()) text_.Line("ring_->FilledOut(out);");
  text_.Close();
  if (!work.outputs.empty()) {
    text_.Open("__aicore__ inline void Store", suffix, "(", parameters, ") {");
    WriteWhere(work.life);
    text_.Line("LocalTensor<uint8_t> out = ring_->UseOut();");
    for (int i : work.outputs) WriteStore(static_cast<size_t>(i));
    text_.Line("ring_->UsedOut(out);");
    text_.Close();
  }
}

// ---- The class ----

void KernelWriter::WriteInit() {
  std::string parameters;
  for (size_t i = 0; i < program_.inputs.size(); ++i) absl::StrAppend(&parameters, "GM_ADDR in", i, ", ");
  for (size_t i = 0; i < program_.outputs.size(); ++i) absl::StrAppend(&parameters, "GM_ADDR out", i, ", ");
  text_.Open("__aicore__ inline void Init(", parameters, "GM_ADDR tiling, Ring* ring) {");
  text_.Line("const __gm__ uint32_t* words = reinterpret_cast<const __gm__ uint32_t*>(tiling);");
  int word = 0;
  for (const char* name : kWords) {
    const std::string local(name);
    const bool bytes = local.find("bytes") != std::string::npos;
    text_.Line(bytes ? "const uint32_t " : "", local, " = words[", word++, "];");
  }
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    for (size_t v = 0; v < program_.values.size(); ++v) {
      if (program_.values[v].kind != ValueKind::kLoad || program_.values[v].input != static_cast<int>(i)) continue;
      if (!NeedsIndex(static_cast<int>(v))) continue;
      text_.Line("each", i, "_ = words[", kWordsRead + 2 * static_cast<int>(i), "];");
      text_.Line("count", i, "_ = words[", kWordsRead + 2 * static_cast<int>(i) + 1, "];");
    }
  }
  text_.Line("full_ = rows_ * pitch_;");
  text_.Line("wide_ = rows_ * 16;");
  const auto bind = [&](const std::string& name, v1::DType dtype, bool once) {
    text_.Line(name, "_.SetGlobalBuffer(reinterpret_cast<__gm__ ", AscendType(dtype), "*>(", name, "));");
    if (options_.bypass_cache && once) text_.Line(name, "_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);");
  };
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    int reads = 0;
    for (const PassWork& step : steps_) {
      for (int v : step.loads) {
        if (program_.values[v].input == static_cast<int>(i)) reads += RoleOf(v) == Role::kFull ? 1 : 2;
      }
    }
    bind(absl::StrCat("in", i), program_.inputs[i].dtype, reads == 1);
  }
  for (size_t i = 0; i < program_.outputs.size(); ++i) bind(absl::StrCat("out", i), program_.outputs[i].dtype, true);
  text_.Line("ring_ = ring;");
  text_.Line("ring_->Init(in_bytes_, out_bytes_, work_bytes_);");
  text_.Line("work_ = ring_->Work();");
  text_.Close();
}

void KernelWriter::WriteRunTiles() {
  const PassWork& step = steps_.front();
  if (!kernel_.loads.empty() || !kernel_.values.empty()) {
    if (!kernel_.loads.empty()) text_.Line("LoadOnce();");
    text_.Line("ComputeOnce();");
  }
  WritePassBegin(step);
  if (options_.prefetch && !step.loads.empty()) {
    text_.Line("if (begin < end) Load(begin);");
    text_.Open("for (uint32_t item = begin; item < end; ++item) {");
    text_.Line("if (item + 1 < end) Load(item + 1);");
  } else {
    text_.Open("for (uint32_t item = begin; item < end; ++item) {");
    if (!step.loads.empty()) text_.Line("Load(item);");
  }
  text_.Line("Compute(item);");
  text_.Line("Store(item);");
  text_.Close();
}

void KernelWriter::WriteRunSteps() {
  text_.Open("for (uint32_t item = begin; item < end; ++item) {");
  if (!item_.loads.empty() || !item_.values.empty()) {
    if (!item_.loads.empty()) text_.Line("LoadItem(item);");
    text_.Line("ComputeItem(item);");
  }
  for (size_t p = 0; p < steps_.size(); ++p) {
    text_.Line("Begin", p, "(item);");
    if (options_.prefetch && !steps_[p].loads.empty()) {
      text_.Line("Load", p, "(item, 0);");
      text_.Open("for (uint32_t step = 0; step < steps; ++step) {");
      text_.Line("if (step + 1 < steps) Load", p, "(item, step + 1);");
    } else {
      text_.Open("for (uint32_t step = 0; step < steps; ++step) {");
      if (!steps_[p].loads.empty()) text_.Line("Load", p, "(item, step);");
    }
    text_.Line("Compute", p, "(item, step);");
    if (!steps_[p].outputs.empty()) text_.Line("Store", p, "(item, step);");
    text_.Close();
    text_.Line("End", p, "(item);");
    const PassWork& between = between_[p];
    if (!between.values.empty() || !between.outputs.empty()) text_.Line("ComputeAfter", p, "(item);");
    if (!between.outputs.empty()) text_.Line("StoreAfter", p, "(item);");
  }
  WriteItemEnd();
  text_.Close();
}

KernelShape KernelWriter::Write() {
  text_.Raw("\n");
  text_.Open("class ", name_, " {");
  text_.Raw(" public:\n");
  WriteInit();
  text_.Raw("\n");
  text_.Open("__aicore__ inline void Run() {");
  text_.Line("const uint64_t blocks = GetBlockNum();");
  text_.Line("const uint64_t block = GetBlockIdx();");
  text_.Line("const uint32_t begin = static_cast<uint32_t>(block * items_ / blocks);");
  text_.Line("const uint32_t end = static_cast<uint32_t>((block + 1) * items_ / blocks);");
  if (form_ == Form::kSweep) text_.Line("const uint32_t steps = (reduced_ + tile_lanes_ - 1) / tile_lanes_;");
  if (form_ == Form::kColumns) text_.Line("const uint32_t steps = (reduced_ + rows_ - 1) / rows_;");
  if (HasSteps()) {
    WriteRunSteps();
  } else {
    WriteRunTiles();
  }
  text_.Line("ring_->Finish();");
  text_.Close();
  text_.Raw("\n private:");
  if (!HasSteps()) {
    if (!kernel_.loads.empty() || !kernel_.values.empty()) WriteTransfers(kernel_, "Once");
    WriteTransfers(steps_.front(), "");
  } else {
    if (!item_.loads.empty() || !item_.values.empty()) WriteTransfers(item_, "Item");
    for (size_t p = 0; p < steps_.size(); ++p) {
      for (const bool first : {true, false}) {
        text_.Raw("\n");
        text_.Open("__aicore__ inline void ", first ? "Begin" : "End", p, "(uint32_t item) {");
        WriteWhere(Life::kItem);
        first ? WritePassBegin(steps_[p]) : WritePassEnd(steps_[p]);
        text_.Close();
      }
      WriteTransfers(steps_[p], absl::StrCat(p));
      if (!between_[p].values.empty() || !between_[p].outputs.empty())
        WriteTransfers(between_[p], absl::StrCat("After", p));
    }
  }
  text_.Raw("\n");
  text_.Line("uint32_t outer_, reduced_, inner_, rows_, tile_lanes_, pitch_, items_, parts_, full_, wide_;");
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    text_.Line("GlobalTensor<", AscendType(program_.inputs[i].dtype), "> in", i, "_;");
  }
  std::set<int> indexed;
  for (size_t v = 0; v < program_.values.size(); ++v) {
    if (program_.values[v].kind == ValueKind::kLoad && NeedsIndex(static_cast<int>(v)))
      indexed.insert(program_.values[v].input);
  }
  for (int i : indexed) text_.Line("uint32_t each", i, "_, count", i, "_;");
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    text_.Line("GlobalTensor<", AscendType(program_.outputs[i].dtype), "> out", i, "_;");
  }
  text_.Line("Ring* ring_;");
  text_.Line("LocalTensor<uint8_t> work_;");
  WriteMembers();
  text_.Close("};");
  KernelShape shape{.form = form_, .name = name_, .in = in_bytes_, .out = out_bytes_, .work = WorkBytes()};
  return shape;
}

}  // namespace kernelsmith::server
