#include "client/cli/doctor/server_checks.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/health.h"
#include "client/cli/text/format.h"

namespace kernelsmith::client {
namespace {

constexpr absl::Duration kHealthTimeout = absl::Seconds(3);

Finding HealthFinding(const Session& session, const std::string& name, const absl::StatusOr<std::string>& address) {
  if (!address.ok() || address->empty()) {
    return {.name = name,
            .verdict = Verdict::kWarn,
            .detail = "no address is known",
            .advice = "start everything on this machine with: kernelsmith up"};
  }
  const absl::Status health = CheckHealth(session.Options(*address), kHealthTimeout);
  if (health.ok()) return {.name = name, .detail = absl::StrCat("serves on ", *address)};
  return {
      .name = name,
      .verdict = Verdict::kFail,
      .detail = std::string(health.message()),
      .advice = absl::StrCat("start it (kernelsmith up), or look into its log under ", session.DataFolder(), "/log")};
}

Finding JudgeCard(const v1::Card& card) {
  const v1::CardState& state = card.state();
  Finding finding{
      .name = absl::StrCat("card ", state.card_id()),
      .detail = absl::StrCat(card.worker_id(), ", ", FormatEnum(v1::CardHealth_Name(state.health())), ", noise ",
                             FormatPercent(state.noise_floor()), ", isolation ", state.isolation())};
  if (!card.connected()) {
    finding.verdict = Verdict::kFail;
    finding.detail = absl::StrCat(card.worker_id(), " is away since ", FormatUtc(card.last_seen_unix_us()), " UTC");
    finding.advice = "start its worker daemon again, and look into its log";
  } else if (state.health() == v1::QUARANTINED) {
    finding.verdict = Verdict::kFail;
    finding.detail += ": " + OneLine(state.health_detail(), 120);
    finding.advice = "its self-test fails; it comes back by itself once the cause is gone";
  } else if (!absl::StartsWith(state.isolation(), "bwrap")) {
    finding.verdict = Verdict::kWarn;
    finding.advice = "candidates run without namespaces; install bubblewrap and start workers with --isolation bwrap";
  } else if (state.health() == v1::NOISY) {
    finding.verdict = Verdict::kWarn;
    finding.advice = "the machine is too busy to time kernels; stop what else runs on it";
  }
  return finding;
}

}  // namespace

std::vector<Finding> JudgeCards(const std::vector<v1::Card>& cards) {
  if (cards.empty()) {
    return {{.name = "cards",
             .verdict = Verdict::kFail,
             .detail = "no worker has connected",
             .advice = "start a worker daemon that dials the coordinator"}};
  }
  std::vector<Finding> findings;
  for (const v1::Card& card : cards) findings.push_back(JudgeCard(card));
  return findings;
}

std::vector<Finding> ServerFindings(const Session& session) {
  const absl::StatusOr<std::string> address = session.ServerAddress();
  std::vector<Finding> findings = {HealthFinding(session, "coordinator", address),
                                   HealthFinding(session, "memory", session.MemoryAddress())};
  if (findings.front().verdict != Verdict::kOk) return findings;
  const absl::StatusOr<Client> client = session.ConnectServer();
  const absl::StatusOr<std::vector<v1::Card>> cards =
      client.ok() ? client->ListCards() : absl::StatusOr<std::vector<v1::Card>>(client.status());
  if (!cards.ok()) {
    findings.push_back({.name = "cards",
                        .verdict = Verdict::kFail,
                        .detail = std::string(cards.status().message()),
                        .advice = "give a token that may read, with --token-file"});
    return findings;
  }
  for (Finding& finding : JudgeCards(*cards)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace kernelsmith::client
