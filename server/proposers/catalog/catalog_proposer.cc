#include "server/proposers/catalog/catalog_proposer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/proposers/catalog/evidence.h"
#include "server/proposers/catalog/moves.h"
#include "server/proposers/catalog/search.h"
#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {
namespace {

constexpr char kVersion[] = "1";

void FillThought(const Problem& problem, const Choice& choice, v1::Proposal* proposal) {
  v1::Thought& thought = *proposal->mutable_thought();
  thought.set_id(choice.move);
  for (const auto& [key, value] : choice.parameters) (*thought.mutable_parameters())[key] = value;
  if (const Move* move = FindMove(choice.move)) {
    thought.set_title(move->title);
    thought.set_reason(move->reason);
    thought.set_layer(move->layer);
    thought.set_bottleneck(move->bottleneck);
    thought.set_applies_when(move->applies_when);
    return;
  }
  thought.set_layer(v1::TILING);
  if (choice.move == kNaive) {
    thought.set_title("Write the operator down as it is defined");
    thought.set_reason("a plain correct kernel is what everything else is measured against");
    thought.set_layer(v1::LAYER_NONE);
    thought.set_applies_when("nothing is known yet");
  } else if (choice.move == kReuse) {
    thought.set_title(absl::StrCat("Start from the schedule that worked for ", choice.source_operator));
    thought.set_reason("operators of one family have the same bottlenecks");
    thought.set_applies_when("memory holds a correct case of the same family");
  } else {
    thought.set_title("Change two parameters at once");
    thought.set_reason("single changes are used up, and parameters depend on each other");
    thought.set_applies_when("no single move is left");
  }
  thought.set_bottleneck(problem.family == Family::kMatmul ? "compute-bound" : "memory-bound");
}

std::string Hypothesis(const Problem& problem, const Choice& choice) {
  if (choice.start_round > 0) {
    const Move* move = FindMove(choice.move);
    return absl::StrCat("The change ", choice.change, " makes the kernel of round ", choice.start_round,
                        " at least 5 % faster", move == nullptr ? "" : absl::StrCat(", because ", move->reason), ".");
  }
  if (choice.move == kReuse) {
    return absl::StrCat("The schedule that was correct for ", choice.source_operator, " is correct for this ",
                        FamilyName(problem.family), " operator too and reaches a similar speed-up (",
                        absl::StrFormat("%.2f", choice.source_speedup), ").");
  }
  return absl::StrCat("The schedule '", Describe(problem, choice.parameters), "' compiles and passes every case.");
}

std::string Rationale(const Problem& problem, const ProposalRequest& request, const Choice& choice) {
  std::string text = absl::StrCat("Family ", FamilyName(problem.family), " (", problem.summary, "). ");
  if (!request.history.empty() && request.history.back().report.status() != v1::PASSED) {
    absl::StrAppend(&text, "Round ", request.history.back().round, " failed (",
                    v1::EvaluationStatus_Name(request.history.back().report.status()),
                    "), so this goes back to the last good schedule. ");
  }
  if (!choice.adopted.empty()) {
    absl::StrAppend(&text, "Chosen for the evidence of ", choice.adopted.size(), " retrieved case(s)");
    if (choice.start_round > 0) absl::StrAppend(&text, absl::StrFormat(" (weight %.2f)", choice.evidence));
    absl::StrAppend(&text, ". ");
  } else if (choice.move == kNaive) {
    absl::StrAppend(&text, "Nothing retrieved gives a better start. ");
  } else {
    absl::StrAppend(&text, "Nothing retrieved speaks for a move, so the seeded order decides. ");
  }
  absl::StrAppend(&text, "Schedule: ", Describe(problem, choice.parameters), ".");
  return text;
}

// Why an item that the choice does not use was left aside.
std::string ReasonNotAdopted(const v1::Item& item, const std::vector<Experience>& experience, const Choice& choice) {
  if (!item.has_case_()) return "it holds no schedule; the catalog acts on cases only";
  const auto found =
      std::find_if(experience.begin(), experience.end(), [&](const Experience& e) { return e.item_id == item.id(); });
  if (found == experience.end()) return "its schedule is not one of the catalog's, or its outcome says nothing";
  if (found->gain < 0) return absl::StrCat("it warns against '", found->move, "', which is not what this round tries");
  if (choice.start_round == 0 && !found->same_family) return "its schedule is for another family";
  if (choice.start_round == 0) return absl::StrCat("another start is more promising than its schedule");
  if (found->move == choice.move) return absl::StrCat("it says nothing clear about '", choice.move, "'");
  return absl::StrCat("it speaks of '", found->move, "', and this round tries '", choice.move, "'");
}

void FillAdoption(const ProposalRequest& request, const std::vector<Experience>& experience, const Choice& choice,
                  v1::Proposal* proposal) {
  for (const v1::RankedItem& ranked : request.context.items()) {
    v1::AdoptionRecord& record = *proposal->add_adoption();
    record.set_item_id(ranked.item().id());
    const auto used = std::find_if(choice.adopted.begin(), choice.adopted.end(),
                                   [&](const Adoption& a) { return a.item_id == ranked.item().id(); });
    if (used != choice.adopted.end()) {
      record.set_state(v1::ADOPTED);
      record.set_reason(used->reason);
    } else {
      record.set_state(v1::NOT_ADOPTED);
      record.set_reason(ReasonNotAdopted(ranked.item(), experience, choice));
    }
  }
}

}  // namespace

absl::StatusOr<ProposalResult> CatalogProposer::Propose(const ProposalRequest& request) {
  absl::StatusOr<Problem> problem =
      Understand(request.task, request.card_kind.empty() ? std::string("cpu") : request.card_kind);
  if (!problem.ok()) return problem.status();
  absl::StatusOr<Choice> choice = ChooseNext(*problem, request);
  if (!choice.ok()) return choice.status();

  ProposalResult result;
  result.candidate = problem->target->Render(*problem, choice->parameters);

  v1::Proposal& proposal = result.proposal;
  proposal.mutable_author()->set_kind("catalog");
  proposal.mutable_author()->set_model(FamilyName(problem->family));
  proposal.mutable_author()->set_version(kVersion);
  proposal.mutable_author()->set_settings(absl::StrCat("{\"seed\": ", request.spec.proposer().catalog().seed(), "}"));
  proposal.set_purpose(choice->purpose);
  FillThought(*problem, *choice, &proposal);
  proposal.set_hypothesis(Hypothesis(*problem, *choice));
  proposal.set_rationale(Rationale(*problem, request, *choice));
  FillAdoption(request, ReadExperience(request, *problem), *choice, &proposal);
  return result;
}

}  // namespace kernelsmith::server
