#include "worker/reference/probes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"
#include "worker/verification/compare.h"
#include "worker/verification/half.h"

namespace kernelsmith::worker {
namespace {

constexpr int kMaxCases = 8;
constexpr int kMaxInputs = 32;  // whose effect is looked for
// Fixed: these inputs only qualify the task, no candidate is judged by them.
constexpr int64_t kFirstSeed = 1001;
constexpr int64_t kSecondSeed = 1002;

bool SameBytes(absl::Span<const std::byte> a, absl::Span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

bool SameOutputs(const PackedTensors& a, const PackedTensors& b) {
  for (int i = 0; i < a.size(); ++i) {
    if (!SameBytes(a.Bytes(i), b.Bytes(i))) return false;
  }
  return true;
}

ExpectedOutput ExpectedAt(const ProbeSample& sample, int index) {
  return {sample.task_case->outputs(index), sample.expected->values.Bytes(index), sample.expected->numbers[index].rms,
          sample.expected->numbers[index].error};
}

OutputVerdict Judge(const ProbeSample& sample, int index, absl::Span<const std::byte> bytes) {
  return CompareOutput(ExpectedAt(sample, index), {sample.rounded->layout(index), bytes, {}}, *sample.tolerance);
}

void StoreValue(double value, v1::DType dtype, std::byte* target) {
  auto put = [target](auto typed) { std::memcpy(target, &typed, sizeof(typed)); };
  switch (dtype) {
    case v1::FP32:
      return put(static_cast<float>(value));
    case v1::FP64:
      return put(value);
    case v1::FP16:
      return put(Fp16FromFloat(static_cast<float>(value)));
    case v1::BF16:
      return put(Bf16FromFloat(static_cast<float>(value)));
    default:
      break;  // integers: the first element is copied instead
  }
}

// The output filled with the mean of its expected values; for integers with its first element.
std::vector<std::byte> ConstantOutput(const ProbeSample& sample, int index) {
  const TensorLayout& layout = sample.rounded->layout(index);
  std::vector<std::byte> bytes(sample.rounded->Bytes(index).begin(), sample.rounded->Bytes(index).end());
  const absl::Span<const std::byte> want = sample.expected->values.Bytes(index);
  const bool wide = layout.dtype == v1::FP64;
  if (wide || layout.dtype == v1::FP32 || layout.dtype == v1::FP16 || layout.dtype == v1::BF16) {
    double sum = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < layout.elements; ++i) {
      double value;
      if (wide) {
        std::memcpy(&value, want.data() + 8 * i, 8);
      } else {
        float narrow;
        std::memcpy(&narrow, want.data() + 4 * i, 4);
        value = narrow;
      }
      if (!std::isfinite(value)) continue;
      sum += value;
      ++finite;
    }
    StoreValue(finite > 0 ? sum / static_cast<double>(finite) : 0, layout.dtype, bytes.data());
  }
  for (int64_t i = 1; i < layout.elements; ++i) {
    std::memcpy(bytes.data() + i * layout.element_bytes, bytes.data(), static_cast<size_t>(layout.element_bytes));
  }
  return bytes;
}

// A finding counts against the task only if it holds for every output; else it is a note.
void Conclude(const std::vector<std::string>& outputs, int total, absl::string_view probe, absl::string_view what,
              ProbeFindings& findings) {
  if (outputs.empty()) return;
  const std::string text = absl::StrCat(probe, ": ", what, " (output ", absl::StrJoin(outputs, ", "), ")");
  if (static_cast<int>(outputs.size()) == total && findings.refused.empty()) {
    findings.refused = text;
  } else {
    findings.notes.push_back(text);
  }
}

}  // namespace

ProbeFindings ProbeSampleRules(const ProbeSample& sample) {
  ProbeFindings findings;
  const int outputs = sample.task_case->outputs_size();
  std::vector<std::string> zeros;
  std::vector<std::string> constants;
  std::vector<std::string> copies;
  for (int i = 0; i < outputs; ++i) {
    const std::string& name = sample.task_case->outputs(i).name();
    if (const OutputVerdict own = Judge(sample, i, sample.rounded->Bytes(i)); own.status != v1::PASSED) {
      findings.refused =
          absl::StrCat("rounded-reference-fails: the reference in the task's own precision does not pass: ", own.detail,
                       "; give the task a wider tolerance");
      return findings;
    }
    const std::vector<std::byte> zero(sample.rounded->Bytes(i).size());
    if (Judge(sample, i, zero).status == v1::PASSED) zeros.push_back(name);
    const TensorLayout& layout = sample.rounded->layout(i);
    if (layout.elements > 1 && Judge(sample, i, ConstantOutput(sample, i)).status == v1::PASSED) {
      constants.push_back(name);
    }
    for (int j = 0; j < sample.inputs->size(); ++j) {
      const TensorLayout& input = sample.inputs->layout(j);
      if (input.dtype != layout.dtype || input.shape != layout.shape) continue;
      if (Judge(sample, i, sample.inputs->Bytes(j)).status == v1::PASSED) {
        copies.push_back(absl::StrCat(name, " = ", input.name));
        break;
      }
    }
  }
  Conclude(zeros, outputs, "zeros-pass", "an output of zeros would pass", findings);
  Conclude(constants, outputs, "constant-passes", "an output filled with one value would pass", findings);
  Conclude(copies, outputs, "input-copy-passes", "a copy of an input would pass", findings);
  return findings;
}

absl::StatusOr<ProbeFindings> ProbeTask(Reference& reference, TimeLimit& limit, std::stop_token stop) {
  ProbeFindings all;
  const v1::TaskSpec& spec = reference.spec();
  const int cases = std::min(spec.cases_size(), kMaxCases);
  for (int c = 0; c < cases && all.refused.empty(); ++c) {
    const v1::TaskCase& task_case = spec.cases(c);
    const std::string where = cases > 1 ? absl::StrCat(" in case ", task_case.id()) : "";
    ASSIGN_OR_RETURN(PackedTensors first, reference.Draw(task_case, kFirstSeed, limit, stop));
    PackedTensors rounded;
    PackedTensors again;
    ASSIGN_OR_RETURN(const Expected expected, reference.Expect(task_case, first, limit, stop, &rounded));
    RETURN_IF_ERROR(reference.Expect(task_case, first, limit, stop, &again).status());
    if (!SameOutputs(rounded, again)) {
      all.refused = absl::StrCat("not-deterministic: the reference gives different outputs for the same inputs", where,
                                 "; remove randomness from forward");
      return all;
    }
    if (!expected.note.empty()) all.notes.push_back(expected.note);
    ProbeFindings findings = ProbeSampleRules({&task_case, &spec.tolerance(), &first, &expected, &rounded});
    all.notes.insert(all.notes.end(), findings.notes.begin(), findings.notes.end());
    if (!findings.refused.empty()) {
      all.refused = findings.refused + where;
      return all;
    }

    ASSIGN_OR_RETURN(const PackedTensors second, reference.Draw(task_case, kSecondSeed, limit, stop));
    for (int i = 0; i < std::min(first.size(), kMaxInputs); ++i) {
      const std::string& name = first.layout(i).name;
      if (SameBytes(first.Bytes(i), second.Bytes(i))) {
        all.notes.push_back(absl::StrCat("constant-input: input '", name, "' is the same for every seed", where));
        continue;
      }
      const std::vector<std::byte> saved(first.Bytes(i).begin(), first.Bytes(i).end());
      std::memcpy(first.Bytes(i).data(), second.Bytes(i).data(), saved.size());
      PackedTensors changed;
      RETURN_IF_ERROR(reference.Expect(task_case, first, limit, stop, &changed).status());
      std::memcpy(first.Bytes(i).data(), saved.data(), saved.size());
      if (!SameOutputs(rounded, changed)) continue;
      all.refused = absl::StrCat("input-without-effect: input '", name, "' has no effect on the output", where,
                                 "; remove it from the task");
      return all;
    }
  }
  return all;
}

}  // namespace kernelsmith::worker
