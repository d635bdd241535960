#include "worker/pipeline/verification_stage.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "worker/pipeline/verdicts.h"
#include "worker/verification/compare.h"
#include "worker/verification/strided.h"

namespace kernelsmith::worker {
namespace {

using Bytes = std::vector<std::byte>;

bool InputsUnchanged(const Variant& variant, int slot, const SlotPool& pool) {
  for (int i = 0; i < pool.inputs(); ++i) {
    const TensorLayout& layout = pool.input_placements()[static_cast<size_t>(i)].layout;
    const absl::Span<const std::byte> want = variant.inputs.Bytes(i);
    const absl::Span<const std::byte> now = pool.Input(slot, i);
    if (IsContiguous(layout)) {
      if (std::memcmp(now.data(), want.data(), want.size()) != 0) return false;
      continue;
    }
    Bytes packed(want.size());
    Gather(now, layout, absl::MakeSpan(packed));
    if (std::memcmp(packed.data(), want.data(), want.size()) != 0) return false;
  }
  return true;
}

std::vector<ExpectedOutput> ExpectedOf(const v1::TaskCase& task_case, const Variant& variant) {
  std::vector<ExpectedOutput> expected;
  for (int i = 0; i < task_case.outputs_size(); ++i) {
    const Expected::Numbers& numbers = variant.expected.numbers[static_cast<size_t>(i)];
    expected.push_back({task_case.outputs(i), variant.expected.values.Bytes(i), numbers.rms, numbers.error});
  }
  return expected;
}

std::vector<ObservedOutput> ObservedIn(const SlotPool& pool, int slot) {
  std::vector<ObservedOutput> observed;
  for (int i = 0; i < pool.outputs(); ++i) {
    observed.push_back({pool.output_placements()[static_cast<size_t>(i)].layout, pool.Output(slot, i), {}});
  }
  return observed;
}

uint64_t Fingerprint(const SlotPool& pool, int slot) {
  uint64_t fingerprint = 0;
  for (int i = 0; i < pool.outputs(); ++i) {
    const absl::Span<const std::byte> bytes = pool.Output(slot, i);
    const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    fingerprint = fingerprint * 31 + std::hash<std::string_view>()(view);
  }
  return fingerprint;
}

void AddToReport(const v1::TaskCase& task_case, const std::vector<OutputVerdict>& verdicts, v1::CaseReport& report) {
  for (const OutputVerdict& verdict : verdicts) {
    report.set_max_abs_error(std::max(report.max_abs_error(), verdict.max_abs_error));
    report.set_max_rel_error(std::max(report.max_rel_error(), verdict.max_rel_error));
    if (verdict.status == v1::PASSED || task_case.hidden()) continue;
    *report.add_mismatches() = verdict.mismatch;
  }
  if (!task_case.hidden()) return;
  report.clear_max_abs_error();
  report.clear_max_rel_error();
}

Verdict CheckCase(VerificationCase& entry, const v1::Tolerance& tolerance, absl::Span<const int> slots,
                  absl::Span<const uint64_t> poison) {
  Verdict first;
  for (const int slot : slots) {
    const Variant& variant = *entry.variants[static_cast<size_t>(slot)];
    const uint64_t fingerprint = Fingerprint(*entry.pool, slot);
    uint64_t& previous = entry.fingerprints[static_cast<size_t>(slot)];
    if (previous != 0 && previous != fingerprint) entry.report.set_nondeterministic(true);
    previous = fingerprint;
    const Verdict verdict = CheckSlot(*entry.task_case, variant, tolerance, slot, poison[static_cast<size_t>(slot)],
                                      *entry.pool, entry.report);
    if (first.passed()) first = verdict;
    if (!first.passed()) break;  // one variant tells enough
  }
  if (first.passed() && entry.report.nondeterministic() && tolerance.require_bitwise()) {
    first = {v1::NONDETERMINISTIC, "two calls with the same inputs gave different bits, and the task demands the same"};
  }
  return first;
}

}  // namespace

void FillSlot(const Variant& variant, int slot, SlotPool& pool) {
  for (int i = 0; i < pool.inputs(); ++i) {
    Scatter(variant.inputs.Bytes(i), pool.input_placements()[static_cast<size_t>(i)].layout, pool.Input(slot, i));
  }
}

absl::StatusOr<VerificationCase> MakeVerificationCase(const v1::TaskCase& task_case,
                                                      std::vector<std::shared_ptr<const Variant>> variants,
                                                      PoolShelf& shelf) {
  VerificationCase entry;
  entry.task_case = &task_case;
  ASSIGN_OR_RETURN(entry.pool, shelf.Take(task_case, static_cast<int>(variants.size())));
  for (size_t i = 0; i < variants.size(); ++i) FillSlot(*variants[i], static_cast<int>(i), *entry.pool);
  entry.fingerprints.assign(variants.size(), 0);
  entry.variants = std::move(variants);
  entry.report.set_case_id(task_case.id());
  return entry;
}

Verdict CheckSlot(const v1::TaskCase& task_case, const Variant& variant, const v1::Tolerance& tolerance, int slot,
                  uint64_t poison, SlotPool& pool, v1::CaseReport& report) {
  if (!pool.GuardsIntact(slot)) {
    return {v1::RUNTIME_ERROR, "the kernel wrote outside its outputs (a guard zone around one of them changed)"};
  }
  if (!InputsUnchanged(variant, slot, pool)) return {v1::INPUT_MUTATED, "the kernel changed one of its inputs"};
  const std::vector<ExpectedOutput> expected = ExpectedOf(task_case, variant);
  std::vector<ObservedOutput> observed = ObservedIn(pool, slot);
  std::vector<OutputVerdict> verdicts = CompareOutputs(expected, observed, tolerance);
  if (Overall(verdicts) == v1::PASSED) {
    AddToReport(task_case, verdicts, report);
    return {};
  }
  // Poisoning again shows what the outputs held before the call, which tells unwritten elements from wrong ones.
  std::vector<Bytes> copies;
  for (int i = 0; i < pool.outputs(); ++i)
    copies.emplace_back(pool.Output(slot, i).begin(), pool.Output(slot, i).end());
  pool.Poison(slot, poison);
  for (size_t i = 0; i < observed.size(); ++i) {
    observed[i].poison = observed[i].buffer;
    observed[i].buffer = copies[i];
  }
  verdicts = CompareOutputs(expected, observed, tolerance);
  AddToReport(task_case, verdicts, report);
  Verdict verdict{Overall(verdicts), ""};
  for (const OutputVerdict& output : verdicts) {
    if (output.status == verdict.status && verdict.detail.empty()) verdict.detail = output.detail;
  }
  if (task_case.hidden()) verdict.detail = "the outputs of a hidden case are wrong";
  return verdict;
}

Verdict RunVerificationPass(CandidateProcess& process, absl::Span<VerificationCase> cases,
                            const v1::Tolerance& tolerance, TimeLimit& limit, absl::BitGenRef random,
                            const std::function<void(absl::string_view)>& progress, FindingLog& findings) {
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Verdict first;
  for (size_t done = 0; done < order.size(); ++done) {
    VerificationCase& entry = cases[order[done]];
    if (progress) progress(absl::StrCat("verifying case ", done + 1, " of ", cases.size()));
    std::vector<int> slots(entry.variants.size());
    std::iota(slots.begin(), slots.end(), 0);
    std::shuffle(slots.begin(), slots.end(), random);
    std::vector<uint64_t> poison;
    for (int slot = 0; slot < entry.pool->slots(); ++slot) {
      poison.push_back(absl::Uniform<uint64_t>(random));
      entry.pool->Poison(slot, poison.back());
    }
    const absl::StatusOr<BatchOutcome> outcome = process.RunBatch(entry.handle, slots, limit);
    if (!outcome.ok()) return VerdictOfHost(outcome.status());
    findings.Add(outcome->findings);
    const bool gone = outcome->tasks == 0;
    Verdict verdict = VerdictOfBatch(*outcome, gone ? &process.exit() : nullptr);
    if (verdict.passed()) verdict = CheckCase(entry, tolerance, slots, poison);
    entry.report.set_passes_run(entry.report.passes_run() + 1);
    entry.report.set_status(verdict.status);
    entry.report.set_detail(verdict.detail);
    if (first.passed() && !verdict.passed()) {
      first = verdict;
      if (cases.size() > 1) first.detail = absl::StrCat("case ", entry.task_case->id(), ": ", first.detail);
    }
    // Without a process, or with one that is not to be trusted any more, the other cases stay unjudged.
    if (gone || verdict.status == v1::REWARD_HACK) break;
  }
  return first;
}

}  // namespace kernelsmith::worker
