#include "memory/service/validation.h"

#include <cmath>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {
namespace {

using common::InvalidField;

constexpr size_t kLongestId = 200;           // bytes
constexpr size_t kLargestAttempt = 8 << 20;  // bytes of one attempt
constexpr size_t kLongestQuery = 64 << 10;   // bytes
constexpr size_t kLongestText = 256 << 10;   // bytes of one item that is no attempt
constexpr size_t kLongestTitle = 500;        // bytes
constexpr int kMostSources = 64;
constexpr int kMostReaders = 256;
constexpr int kMostDiagnostics = 20;
constexpr int kLargestLimit = 200;

absl::Status CheckAmount(absl::string_view field, double value) {
  if (std::isfinite(value) && value >= 0) return absl::OkStatus();
  return InvalidField(field, absl::StrCat("is ", value, "; it must be a finite number of at least 0"));
}

absl::Status CheckShare(absl::string_view field, double value) {
  if (std::isfinite(value) && value >= 0 && value <= 1) return absl::OkStatus();
  return InvalidField(field, absl::StrCat("is ", value, "; it must lie within 0 and 1"));
}

absl::Status CheckReason(const std::string& reason) {
  if (!absl::StripAsciiWhitespace(reason).empty()) return absl::OkStatus();
  return InvalidField("reason", "is empty; say in a word why");
}

absl::Status CheckScope(v1::Scope scope) {
  if (scope != v1::SHARED && v1::Scope_IsValid(scope)) return absl::OkStatus();
  return InvalidField("scope", "must be PRIVATE or TEAM; Promote makes an item visible to other teams");
}

// True for kinds that RecordItem takes.
bool IsContentKind(v1::ItemKind kind) {
  return v1::ItemKind_IsValid(kind) && kind != v1::ITEM_KIND_UNSPECIFIED && kind != v1::CASE && kind != v1::JOURNAL;
}

absl::Status CheckQuery(const std::string& query) {
  if (query.size() <= kLongestQuery) return absl::OkStatus();
  return InvalidField("query", absl::StrCat("has ", query.size(), " bytes; at most ", kLongestQuery, " are allowed"));
}

// True for outcomes that say something about the candidate.
bool IsEvidence(v1::EvaluationStatus status) {
  switch (status) {
    case v1::EVALUATION_STATUS_UNSPECIFIED:
    case v1::INVALID_TASK:
    case v1::INFRASTRUCTURE:
    case v1::EVALUATION_CANCELLED:
      return false;
    default:
      return v1::EvaluationStatus_IsValid(status);
  }
}

}  // namespace

absl::Status CheckId(absl::string_view field, const std::string& id) {
  if (id.empty()) return InvalidField(field, "is empty");
  if (id.size() > kLongestId) {
    return InvalidField(field, absl::StrCat("has ", id.size(), " bytes; at most ", kLongestId, " are allowed"));
  }
  for (const char c : id) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) return InvalidField(field, "holds a control character");
  }
  return absl::OkStatus();
}

absl::Status CheckAttempt(const v1::RecordAttemptRequest& request) {
  RETURN_IF_ERROR(CheckId("producer", request.producer()));
  RETURN_IF_ERROR(CheckId("attempt_id", request.attempt_id()));
  if (!request.prev_attempt_id().empty()) RETURN_IF_ERROR(CheckId("prev_attempt_id", request.prev_attempt_id()));
  if (request.prev_attempt_id() == request.attempt_id()) {
    return InvalidField("prev_attempt_id", "is the attempt itself; leave it empty for a root");
  }
  if (request.ByteSizeLong() > kLargestAttempt) {
    return InvalidField("case", absl::StrCat("makes an attempt of ", request.ByteSizeLong(), " bytes; at most ",
                                             kLargestAttempt, " are allowed"));
  }
  const v1::Case& source = request.case_();
  RETURN_IF_ERROR(CheckId("case.operator_name", source.operator_name()));
  if (!IsEvidence(source.status())) {
    return InvalidField("case.status", absl::StrCat("is ", v1::EvaluationStatus_Name(source.status()),
                                                    ", which says nothing about the candidate; record only verdicts"));
  }
  RETURN_IF_ERROR(CheckAmount("case.latency_us", source.latency_us()));
  RETURN_IF_ERROR(CheckAmount("case.speedup", source.speedup()));
  RETURN_IF_ERROR(CheckAmount("case.confidence", source.confidence()));
  if (source.confidence() > 1) return InvalidField("case.confidence", "is above 1");
  if (source.step() < 0) return InvalidField("case.step", "is negative; rounds count from 1");
  if (source.diagnostics_size() > kMostDiagnostics) {
    return InvalidField("case.diagnostics", absl::StrCat("has ", source.diagnostics_size(), " entries; at most ",
                                                         kMostDiagnostics, " are allowed"));
  }
  if (request.recorded_at_unix_us() < 0) return InvalidField("recorded_at_unix_us", "is negative");
  if (!request.start_attempt_id().empty()) RETURN_IF_ERROR(CheckId("start_attempt_id", request.start_attempt_id()));
  return CheckScope(request.scope());
}

absl::Status CheckItem(const v1::RecordItemRequest& request) {
  RETURN_IF_ERROR(CheckId("producer", request.producer()));
  RETURN_IF_ERROR(CheckId("item_key", request.item_key()));
  RETURN_IF_ERROR(CheckScope(request.scope()));
  const v1::ItemContent& content = request.content();
  if (!IsContentKind(content.kind())) {
    return InvalidField("content.kind", "must be a kind other than CASE and JOURNAL, which RecordAttempt makes");
  }
  if (content.title().empty()) return InvalidField("content.title", "is empty");
  if (content.title().size() > kLongestTitle) {
    return InvalidField("content.title", absl::StrCat("has ", content.title().size(), " bytes; at most ", kLongestTitle,
                                                      " are allowed"));
  }
  if (absl::StripAsciiWhitespace(content.text()).empty()) return InvalidField("content.text", "is empty");
  if (content.text().size() > kLongestText) {
    return InvalidField("content.text", absl::StrCat("has ", content.text().size(), " bytes; at most ", kLongestText,
                                                     " are allowed; split it"));
  }
  if (content.kind() == v1::API_TEMPLATE) RETURN_IF_ERROR(CheckId("content.name", content.name()));
  if (content.source_item_ids_size() > kMostSources) {
    return InvalidField("content.source_item_ids", absl::StrCat("has ", content.source_item_ids_size(),
                                                                " entries; at most ", kMostSources, " are allowed"));
  }
  if (request.recorded_at_unix_us() < 0) return InvalidField("recorded_at_unix_us", "is negative");
  return absl::OkStatus();
}

absl::Status CheckSupersede(const v1::SupersedeRequest& request) {
  RETURN_IF_ERROR(CheckId("old_item_id", request.old_item_id()));
  RETURN_IF_ERROR(CheckId("new_item_id", request.new_item_id()));
  if (request.old_item_id() == request.new_item_id()) return InvalidField("new_item_id", "is the old item itself");
  return CheckReason(request.reason());
}

absl::Status CheckRetire(const v1::RetireRequest& request) {
  RETURN_IF_ERROR(CheckId("item_id", request.item_id()));
  return CheckReason(request.reason());
}

absl::Status CheckPromote(const v1::PromoteRequest& request) {
  RETURN_IF_ERROR(CheckId("item_id", request.item_id()));
  if (request.teams_size() > kMostReaders) {
    return InvalidField("teams", absl::StrCat("has ", request.teams_size(), " entries; at most ", kMostReaders,
                                              " are allowed; name none for every team"));
  }
  for (int i = 0; i < request.teams_size(); ++i)
    RETURN_IF_ERROR(CheckId(absl::StrCat("teams[", i, "]"), request.teams(i)));
  return CheckReason(request.reason());
}

absl::Status CheckRevoke(const v1::RevokeRequest& request) {
  RETURN_IF_ERROR(CheckId("shared_item_id", request.shared_item_id()));
  return CheckReason(request.reason());
}

absl::Status CheckAdoption(const v1::RecordAdoptionRequest& request) {
  RETURN_IF_ERROR(CheckId("retrieval_id", request.retrieval_id()));
  std::set<std::string> seen;
  for (int i = 0; i < request.records_size(); ++i) {
    const v1::AdoptionRecord& record = request.records(i);
    const std::string field = absl::StrCat("records[", i, "]");
    RETURN_IF_ERROR(CheckId(absl::StrCat(field, ".item_id"), record.item_id()));
    if (record.state() != v1::ADOPTED && record.state() != v1::NOT_ADOPTED) {
      return InvalidField(absl::StrCat(field, ".state"), "must be ADOPTED or NOT_ADOPTED");
    }
    if (absl::StripAsciiWhitespace(record.reason()).empty()) {
      return InvalidField(absl::StrCat(field, ".reason"), "is empty; say in a word why");
    }
    if (!seen.insert(record.item_id()).second) {
      return InvalidField(absl::StrCat(field, ".item_id"), absl::StrCat("repeats ", record.item_id()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStage(const v1::CompleteStageRequest& request) {
  RETURN_IF_ERROR(CheckId("producer", request.producer()));
  RETURN_IF_ERROR(CheckId("stage_id", request.stage_id()));
  RETURN_IF_ERROR(CheckId("operator_name", request.operator_name()));
  if (request.stage() != v1::DRAFTING && request.stage() != v1::REFINING) {
    return InvalidField("stage", "must be DRAFTING or REFINING");
  }
  RETURN_IF_ERROR(CheckAmount("first_us", request.first_us()));
  RETURN_IF_ERROR(CheckAmount("best_us", request.best_us()));
  if (request.stage() == v1::REFINING && request.passed()) {
    if (request.first_us() <= 0) return InvalidField("first_us", "is missing; a refining stage that passed needs it");
    if (request.best_us() <= 0) return InvalidField("best_us", "is missing; a refining stage that passed needs it");
    if (request.best_us() > request.first_us()) {
      return InvalidField("best_us", "is above first_us, so the stage has not passed");
    }
  }
  std::set<std::string> seen;
  for (int i = 0; i < request.retrieval_ids_size(); ++i) {
    const std::string field = absl::StrCat("retrieval_ids[", i, "]");
    RETURN_IF_ERROR(CheckId(field, request.retrieval_ids(i)));
    if (!seen.insert(request.retrieval_ids(i)).second) return InvalidField(field, "is listed twice");
  }
  return ResolvePolicy(request.policy()).status();
}

absl::Status CheckRetrieve(const v1::RetrieveRequest& request) {
  if (request.limit() < 0 || request.limit() > kLargestLimit) {
    return InvalidField("limit", absl::StrCat("is ", request.limit(), "; it must lie within 1 and ", kLargestLimit,
                                              ", or be 0 for 10"));
  }
  RETURN_IF_ERROR(CheckQuery(request.query()));
  RETURN_IF_ERROR(CheckShare("progress", request.progress()));
  if (!request.retrieval_key().empty() && request.producer().empty()) {
    return InvalidField("producer", "is empty; a recorded retrieval needs both producer and retrieval_key");
  }
  if (!request.producer().empty()) RETURN_IF_ERROR(CheckId("producer", request.producer()));
  if (!request.retrieval_key().empty()) {
    RETURN_IF_ERROR(CheckId("retrieval_key", request.retrieval_key()));
    if (!request.attempt_id().empty()) RETURN_IF_ERROR(CheckId("attempt_id", request.attempt_id()));
  }
  return ResolvePolicy(request.policy()).status();
}

absl::Status CheckContext(const v1::AssembleContextRequest& request) {
  RETURN_IF_ERROR(CheckId("producer", request.producer()));
  RETURN_IF_ERROR(CheckId("attempt_id", request.attempt_id()));
  for (int i = 0; i < request.required_size(); ++i) {
    RETURN_IF_ERROR(CheckId(absl::StrCat("required[", i, "].name"), request.required(i).name()));
  }
  const v1::TokenBudget& budget = request.budget();
  if (budget.window() <= 0) {
    return InvalidField("budget.window", absl::StrCat("is ", budget.window(), "; give the model's window in tokens"));
  }
  const std::pair<const char*, int64_t> reserves[] = {{"budget.system", budget.system()},
                                                      {"budget.generation", budget.generation()},
                                                      {"budget.recency", budget.recency()}};
  for (const auto& [field, value] : reserves) {
    if (value < 0) return InvalidField(field, "is negative");
  }
  RETURN_IF_ERROR(CheckQuery(request.query()));
  RETURN_IF_ERROR(CheckShare("progress", request.progress()));
  return ResolvePolicy(request.policy()).status();
}

}  // namespace kernelsmith::memory
