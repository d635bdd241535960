// Verify, Backup and SealIndex: what an administrator asks of the whole store.
#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "memory/log/store_backup.h"
#include "memory/log/store_check.h"
#include "memory/retrieval/lexical/lexical_index.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"

namespace kernelsmith::memory {
namespace {

constexpr uint64_t kFactsPerReport = 10'000;
constexpr size_t kMostDifferences = 100;
constexpr uint32_t kTextsAtOnce = 512;

}  // namespace

// The words that a fresh index of the team's texts has against those that are served.
absl::Status Experience::VerifyIndex(const std::string& team, const TeamMemory& memory,
                                     std::vector<std::string>& differences) const {
  const uint32_t indexed = memory.index->indexed();
  LexicalIndex fresh;
  for (uint32_t first = 0; first < indexed; first += kTextsAtOnce) {
    ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                     ReadSearchTexts(team, first, std::min(indexed, first + kTextsAtOnce)));
    for (const std::string& text : texts) fresh.Add(text);
  }
  if (memory.index->indexed() == indexed && memory.index->Fingerprint() != fresh.Fingerprint()) {
    differences.push_back(absl::StrCat("team ", team, ": the search index of ", indexed,
                                       " items differs from one made of their texts; remove the folder 'index' of the "
                                       "stopped server and start it again"));
  }
  return absl::OkStatus();
}

absl::Status Experience::Verify(const std::function<absl::Status(const v1::VerifyProgress&)>& report) const {
  v1::VerifyProgress progress;
  const TeamRegistry::Snapshot served = teams_.TakeSnapshot();
  progress.set_total_facts(served.facts);
  TeamRegistry fresh;
  const auto fold = [&](const Fact& fact) -> absl::Status {
    const auto limit = served.last_sequences.find(fact.team());
    if (limit == served.last_sequences.end() || fact.sequence() > limit->second) return absl::OkStatus();  // came later
    RETURN_IF_ERROR(fresh.Fold(fact).status());
    progress.set_facts(progress.facts() + 1);
    return progress.facts() % kFactsPerReport == 0 ? report(progress) : absl::OkStatus();
  };
  RETURN_IF_ERROR(store_->Scan(0, fold));
  ASSIGN_OR_RETURN(StoreCheck check, CheckStore(store_->rocks(), [](uint64_t) {}));
  std::vector<std::string> differences = std::move(check.differences);
  const std::map<std::string, std::string> refolded = fresh.Fingerprints();
  for (const auto& [team, fingerprint] : served.fingerprints) {
    const auto again = refolded.find(team);
    if (again != refolded.end() && again->second == fingerprint) continue;
    const std::vector<std::string> lines = TeamRegistry::Differences(
        teams_, fresh, team, kMostDifferences - std::min(kMostDifferences, differences.size()));
    differences.insert(differences.end(), lines.begin(), lines.end());
    if (lines.empty()) differences.push_back(absl::StrCat("team ", team, " differs from a fold of the log"));
  }
  for (const auto& [team, memory] : teams_.All()) RETURN_IF_ERROR(VerifyIndex(team, *memory, differences));
  progress.set_done(true);
  progress.set_equal(differences.empty());
  if (differences.size() > kMostDifferences) differences.resize(kMostDifferences);
  progress.mutable_differences()->Assign(differences.begin(), differences.end());
  return report(progress);
}

absl::StatusOr<v1::BackupResponse> Experience::Backup(const v1::BackupRequest& request) const {
  if (request.directory().empty()) return common::InvalidField("directory", "is empty; name a new folder");
  ASSIGN_OR_RETURN(const BackupSummary made, BackUpStore(store_->rocks(), request.directory()));
  v1::BackupResponse response;
  response.set_last_sequence(made.last_sequence);
  response.set_bytes(made.bytes);
  return response;
}

absl::StatusOr<v1::SealIndexResponse> Experience::SealIndex(const std::string& team, const v1::SealIndexRequest&) {
  const absl::Time begin = absl::Now();
  v1::SealIndexResponse response;
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return response;
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  RETURN_IF_ERROR(keeper_->SealNow(team, SealScope::kAll, threads).status());
  const SearchStatistics index = memory->index->Statistics();
  response.set_items(index.indexed);
  response.set_segments(index.segments);
  response.set_seconds(absl::ToDoubleSeconds(absl::Now() - begin));
  return response;
}

}  // namespace kernelsmith::memory
