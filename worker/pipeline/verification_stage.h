// Runs a loaded candidate over all cases of a task and compares every output. Called twice: the second pass has another
// poison and another order of cases and variants, so that neither stale memory nor counting calls helps.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "kernelsmith/v1/task.pb.h"
#include "worker/pipeline/finding_log.h"
#include "worker/pipeline/pool_shelf.h"
#include "worker/pipeline/recorder.h"
#include "worker/reference/variant.h"
#include "worker/runner/candidate_process.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {

// A case with its inputs in a pool: slot i holds variant i.
struct VerificationCase {
  const v1::TaskCase* task_case = nullptr;
  std::vector<std::shared_ptr<const Variant>> variants;
  PoolShelf::Loan pool;
  int handle = -1;                     // from CandidateProcess::AddPool
  std::vector<uint64_t> fingerprints;  // of the outputs of every slot in the last pass
  v1::CaseReport report;
};

// The pool filled with the variants. RESOURCE_EXHAUSTED if there is no memory for it.
absl::StatusOr<VerificationCase> MakeVerificationCase(const v1::TaskCase& task_case,
                                                      std::vector<std::shared_ptr<const Variant>> variants,
                                                      PoolShelf& shelf);

// Writes one variant's inputs into a slot.
void FillSlot(const Variant& variant, int slot, SlotPool& pool);

// Compares the outputs of a slot with what its variant expects, and adds mismatches and errors to the report.
// Values are left out of the report of a hidden case. REQUIRES: pool.Poison(slot, poison) was the last Poison. The
// slot's outputs are poison again after a mismatch.
Verdict CheckSlot(const v1::TaskCase& task_case, const Variant& variant, const v1::Tolerance& tolerance, int slot,
                  uint64_t poison, SlotPool& pool, v1::CaseReport& report);

// One pass over all cases in random order. Stops at the first case in which the process ends; goes on after wrong
// outputs. The verdict is that of the first failure. Updates the cases' reports and adds to the findings.
Verdict RunVerificationPass(CandidateProcess& process, absl::Span<VerificationCase> cases,
                            const v1::Tolerance& tolerance, TimeLimit& limit, absl::BitGenRef random,
                            const std::function<void(absl::string_view)>& progress, FindingLog& findings);

}  // namespace kernelsmith::worker
