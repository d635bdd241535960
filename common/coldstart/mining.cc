#include "common/coldstart/mining.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/coldstart/language.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

constexpr size_t kMostDifferences = 40;
constexpr size_t kMostStatements = 12;

absl::Status CheckKernel(const MinedKernel& kernel, absl::string_view which) {
  if (absl::StripAsciiWhitespace(kernel.kernel).empty()) return InvalidField(which, "has no source");
  if (!IsUtf8(kernel.kernel) || !IsUtf8(kernel.plan)) return InvalidField(which, "is not UTF-8 text");
  if (kernel.latency_us < 0) return InvalidField(which, "has a negative latency");
  return absl::OkStatus();
}

absl::Status CheckRequest(const MiningRequest& request) {
  if (request.operator_name.empty()) {
    return InvalidField("operator", "is missing; insights are filed under the operator that both kernels compute");
  }
  const auto& held_out = request.held_out_operators;
  if (std::find(held_out.begin(), held_out.end(), request.operator_name) != held_out.end()) {
    return BadState("HELD_OUT", request.operator_name,
                    "is held out: nothing may be learned from kernels for it; choose another operator");
  }
  RETURN_IF_ERROR(CheckKernel(request.generated, "generated"));
  RETURN_IF_ERROR(CheckKernel(request.expert, "expert"));
  const double before = request.generated.latency_us;
  const double after = request.expert.latency_us;
  if ((before > 0 || after > 0) && request.clock == v1::CLOCK_DOMAIN_UNSPECIFIED) {
    return InvalidField("clock", "is missing; say which clock the latencies were read from");
  }
  if (before > 0 && after >= before) {
    return BadState("NOT_FASTER", request.operator_name,
                    absl::StrFormat("has an expert kernel of %.6g us, no faster than the generated one of %.6g us: "
                                    "there is nothing to learn from their difference",
                                    after, before));
  }
  return absl::OkStatus();
}

std::string Bullets(const std::vector<const KnownPattern*>& patterns, const char* KnownPattern::*field) {
  std::string text;
  for (const KnownPattern* pattern : patterns)
    absl::StrAppend(&text, "- ", pattern->title, ": ", pattern->*field, "\n");
  return text;
}

std::string Statements(absl::string_view heading, const std::vector<std::string>& statements) {
  if (statements.empty()) return "";
  std::string text = absl::StrCat("\n", heading, "\n\n");
  const size_t shown = std::min(statements.size(), kMostStatements);
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&text, "    ", statements[i], "\n");
  if (shown < statements.size()) absl::StrAppend(&text, "\nand ", statements.size() - shown, " more\n");
  return text;
}

std::string DifferenceText(const MinedDifference& mined) {
  std::string text = "## Difference\n\n";
  const size_t shown = std::min(mined.differences.size(), kMostDifferences);
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&text, "- ", DifferenceLine(mined.differences[i]), "\n");
  if (shown < mined.differences.size()) {
    absl::StrAppend(&text, "- and ", mined.differences.size() - shown, " more\n");
  }
  if (shown == 0) absl::StrAppend(&text, "The kernels differ in statements only.\n");
  absl::StrAppend(&text, Statements("Only in the generated kernel:", mined.statements.removed),
                  Statements("Only in the expert kernel:", mined.statements.added));
  return text;
}

void SetApplicability(const MinedDifference& mined, v1::ItemContent& content) {
  v1::Applicability& applicability = *content.mutable_applicability();
  if (!mined.request.target.architecture().empty()) {
    applicability.add_architectures(mined.request.target.architecture());
  }
  if (mined.request.dtype != v1::DTYPE_UNSPECIFIED) applicability.add_dtypes(mined.request.dtype);
  std::vector<std::string> conditions;
  for (const KnownPattern* pattern : mined.patterns) conditions.emplace_back(pattern->applies_when);
  applicability.set_applies_when(absl::StrJoin(conditions, "; "));
}

void SetThought(const MinedDifference& mined, v1::ItemContent& content) {
  if (mined.patterns.empty()) return;
  const KnownPattern& strongest = *mined.patterns.front();
  content.set_layer(strongest.layer);
  content.set_bottleneck(strongest.bottleneck);
  v1::Thought& thought = *content.mutable_thought();
  thought.set_id(strongest.id);
  thought.set_title(strongest.title);
  thought.set_reason(strongest.reason);
  thought.set_layer(strongest.layer);
  thought.set_bottleneck(strongest.bottleneck);
  thought.set_applies_when(strongest.applies_when);
}

}  // namespace

std::string MeasuredText(const MiningRequest& request) {
  const double before = request.generated.latency_us;
  const double after = request.expert.latency_us;
  if (before <= 0 || after <= 0) return "";
  return absl::StrFormat("\n## Measured\n\ngenerated %.6g us, expert %.6g us: %.2f times as fast (clock %s)\n", before,
                         after, before / after, v1::ClockDomain_Name(request.clock));
}

absl::StatusOr<DifferenceWriter::Prose> TemplateWriter::Write(const MinedDifference& mined) const {
  const MiningRequest& request = mined.request;
  Prose prose{.title = absl::StrCat(request.operator_name, ": "), .text = DifferenceText(mined), .trust = "user"};
  if (mined.patterns.empty()) {
    absl::StrAppend(&prose.title, "how an expert kernel differs");
    absl::StrAppend(&prose.text,
                    "\n## Hardware reason\n\nNot known: no known pattern matches these differences. They are stated, "
                    "not explained.\n");
  } else {
    const size_t named = std::min<size_t>(mined.patterns.size(), 3);
    std::vector<std::string> titles;
    for (size_t i = 0; i < named; ++i) titles.emplace_back(mined.patterns[i]->title);
    absl::StrAppend(&prose.title, absl::StrJoin(titles, ", "));
    absl::StrAppend(&prose.text, "\n## Hardware reason\n\n", Bullets(mined.patterns, &KnownPattern::reason),
                    "\n## Pattern\n\n", Bullets(mined.patterns, &KnownPattern::pattern), "\n## Applies when\n\n",
                    Bullets(mined.patterns, &KnownPattern::applies_when));
  }
  absl::StrAppend(&prose.text, MeasuredText(request));
  return prose;
}

absl::StatusOr<v1::ItemContent> MineDifference(const MiningRequest& request, const DifferenceWriter& writer,
                                               absl::Status* writer_problem) {
  RETURN_IF_ERROR(CheckRequest(request));
  const KernelStructure generated = ReadStructure(request.language, request.generated.kernel, request.generated.plan);
  const KernelStructure expert = ReadStructure(request.language, request.expert.kernel, request.expert.plan);
  const MinedDifference mined{.request = request,
                              .differences = CompareStructures(generated, expert),
                              .statements = CompareStatements(generated, expert),
                              .patterns = MatchPatterns(generated, expert)};
  if (mined.differences.empty() && mined.statements.added.empty() && mined.statements.removed.empty()) {
    return BadState("NO_DIFFERENCE", request.operator_name, "has two kernels that do not differ but in comments");
  }
  absl::StatusOr<DifferenceWriter::Prose> prose = writer.Write(mined);
  if (writer_problem != nullptr) *writer_problem = prose.status();
  if (!prose.ok()) prose = TemplateWriter().Write(mined);
  RETURN_IF_ERROR(prose.status());

  v1::ItemContent content;
  content.set_kind(v1::INSIGHT);
  content.set_title(std::move(prose->title));
  content.set_text(std::move(prose->text));
  content.set_trust(std::move(prose->trust));
  content.set_language("en");
  content.set_operator_name(request.operator_name);
  content.set_family(request.family);
  content.set_level(request.level);
  content.set_stage(v1::REFINING);
  content.set_bundle(request.language == KernelLanguage::kAscendC ? "ascend_c" : "cpp");
  for (const std::string& id : request.source_item_ids) content.add_source_item_ids(id);
  SetThought(mined, content);
  SetApplicability(mined, content);
  return content;
}

}  // namespace kernelsmith::common
