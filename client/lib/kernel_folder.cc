#include "kernelsmith/client/kernel_folder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/lib/json.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

using Json = nlohmann::ordered_json;

Json ChainEntry(const v1::Attempt& attempt) {
  const v1::Proposal& proposal = attempt.proposal();
  Json adopted = Json::array();
  for (const v1::AdoptionRecord& record : proposal.adoption()) {
    if (record.state() == v1::ADOPTED) adopted.push_back({{"item_id", record.item_id()}, {"reason", record.reason()}});
  }
  return {{"round", attempt.round()},
          {"start_round", attempt.start_round()},
          {"attempt_id", attempt.attempt_id()},
          {"stage", v1::Stage_Name(attempt.stage())},
          {"purpose", v1::Purpose_Name(proposal.purpose())},
          {"author", absl::StrCat(proposal.author().kind(), " ", proposal.author().model())},
          {"thought", proposal.thought().title()},
          {"hypothesis", proposal.hypothesis()},
          {"status", v1::EvaluationStatus_Name(attempt.report().status())},
          {"latency_us", attempt.report().latency_us()},
          {"adopted", std::move(adopted)}};
}

std::string LineageJson(const KernelEvidence& evidence) {
  Json document = {{"chain", Json::array()}, {"memory", Json::array()}};
  for (const v1::Attempt& attempt : evidence.chain) document["chain"].push_back(ChainEntry(attempt));
  for (const v1::LineageNode& node : evidence.lineage) {
    document["memory"].push_back(Json::parse(ToJson(node, JsonLayout::kOneLine), nullptr, /*allow_exceptions=*/false));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Names come from the server; one that would leave the folder or hide in it is refused.
absl::Status CheckFileName(const std::string& name) {
  const bool plain = !name.empty() && name[0] != '.' && name.find('/') == std::string::npos;
  if (plain) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the candidate has a file named '", name, "'; only plain names are written"));
}

}  // namespace

absl::StatusOr<KernelEvidence> FetchEvidence(const Client& client, const MemoryClient* memory,
                                             const std::string& job_id) {
  KernelEvidence evidence;
  ASSIGN_OR_RETURN(evidence.job, client.GetJob(job_id));
  if (evidence.job.incumbent_round() == 0) {
    return common::BadState("INCUMBENT", job_id,
                            HasEnded(evidence.job.state())
                                ? "ended without a correct kernel; `kernelsmith extend` gives it more rounds"
                                : "has no correct kernel yet; `kernelsmith watch` shows its progress");
  }
  ASSIGN_OR_RETURN(evidence.winner, client.GetAttempt(job_id, evidence.job.incumbent_round()));
  evidence.chain.push_back(evidence.winner);
  for (int round = evidence.winner.start_round(); round > 0 && round < evidence.chain.back().round();) {
    ASSIGN_OR_RETURN(v1::Attempt attempt, client.GetAttempt(job_id, round));
    round = attempt.start_round();
    evidence.chain.push_back(std::move(attempt));
  }
  std::reverse(evidence.chain.begin(), evidence.chain.end());
  if (memory != nullptr) {
    absl::StatusOr<std::vector<v1::LineageNode>> lineage = memory->Lineage(job_id, "");
    if (lineage.ok()) evidence.lineage = *std::move(lineage);
  }
  return evidence;
}

std::string EvidenceReadme(const KernelEvidence& evidence) {
  const v1::Job& job = evidence.job;
  const v1::EvaluationReport& report = evidence.winner.report();
  const v1::Environment& environment = report.environment();
  std::vector<std::string> sources;
  for (const v1::SourceFile& file : evidence.winner.candidate().files()) sources.push_back(file.name());
  const std::string source = sources.empty() ? "kernel.cpp" : sources.front();
  std::string text = absl::StrCat("# ", job.task().name().empty() ? job.spec().name() : job.task().name(), "\n\n");
  absl::StrAppend(&text, "The best correct kernel of job ", job.id(), ", found in round ", evidence.winner.round(),
                  " of ", job.rounds_done(), ".\n\n");
  absl::StrAppendFormat(&text, "| figure | value |\n|---|---|\n| latency | %.3f us |\n", report.latency_us());
  if (job.first_correct_us() > 0) {
    absl::StrAppendFormat(&text, "| first correct kernel (round %d) | %.3f us |\n| speed-up against it | %.2fx |\n",
                          job.first_correct_round(), job.first_correct_us(), job.speedup_vs_first());
  }
  if (report.baseline_us() > 0) {
    absl::StrAppendFormat(&text, "| baseline (%s) | %.3f us |\n| speed-up against it | %.2fx |\n",
                          environment.baseline(), report.baseline_us(), report.speedup_vs_baseline());
  }
  absl::StrAppend(&text, "| measured on | ", environment.target().soc(), ", ", environment.target().toolchain(),
                  ", worker ", environment.worker_id(), " |\n| compiler flags | ", environment.compile_flags(),
                  " |\n| isolation | ", environment.isolation(), " |\n\n");
  absl::StrAppend(&text, "Files\n\n- `", absl::StrJoin(sources, "`, `"),
                  "`: the kernel\n"
                  "- `report.json`: the verdict gate by gate, errors of every case, times with their raw samples, the "
                  "environment\n"
                  "- `task.json`: the operator as it was submitted, with overrides and type\n"
                  "- `job.json`: the job: specification, resolved task, figures, time by kind\n"
                  "- `lineage.json`: the attempts that led here (`chain`) and how the memory values every attempt of "
                  "the job (`memory`)\n\n"
                  "To check it again, on fresh inputs, with a server running (`kernelsmith up`):\n\n    kernelsmith "
                  "eval task.json ",
                  source, "\n\nTo go on from it:\n\n    kernelsmith submit task.json --start-from ", source, "\n");
  return text;
}

absl::Status WriteKernelFolder(const KernelEvidence& evidence, const std::string& folder) {
  RETURN_IF_ERROR(common::MakeFolders(std::filesystem::absolute(folder).string()));
  const std::filesystem::path base(folder);
  for (const v1::SourceFile& file : evidence.winner.candidate().files()) {
    RETURN_IF_ERROR(CheckFileName(file.name()));
    RETURN_IF_ERROR(common::WriteFileDurably((base / file.name()).string(), file.content()));
  }
  const std::pair<const char*, std::string> documents[] = {
      {"report.json", ToJson(evidence.winner.report(), JsonLayout::kIndented)},
      {"task.json", ToJson(evidence.job.spec().task(), JsonLayout::kIndented)},
      {"job.json", ToJson(evidence.job, JsonLayout::kIndented)},
      {"lineage.json", LineageJson(evidence)},
      {"README.md", EvidenceReadme(evidence)},
  };
  for (const auto& [name, content] : documents) {
    RETURN_IF_ERROR(common::WriteFileDurably((base / name).string(), content));
  }
  return absl::OkStatus();
}

}  // namespace kernelsmith::client
