#include "memory/service/experience.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/logging.h"
#include "common/status.h"
#include "memory/context/tokens/make_token_counter.h"
#include "memory/embedding/make_embedder.h"
#include "memory/service/item_view.h"

namespace kernelsmith::memory {
namespace {

constexpr int64_t kSealAfter = 20'000;
constexpr int64_t kEmbeddingsKept = 2'000'000;  // of an http embedder
constexpr int64_t kGaugesEveryUs = 200'000;

std::string IndexFolder(const config::v1::MemoryConfig& config) { return absl::StrCat(config.data_dir(), "/index"); }

}  // namespace

Experience::Experience(const config::v1::MemoryConfig& config, std::unique_ptr<FactStore> store,
                       const common::Clock& clock, MemoryMetrics& metrics)
    : config_(config),
      store_(std::move(store)),
      clock_(clock),
      metrics_(metrics),
      queue_(*store_, [this](const Fact& fact) { Fold(fact); }) {}

absl::StatusOr<std::unique_ptr<Experience>> Experience::Open(const std::string& folder, const common::Clock& clock,
                                                             MemoryMetrics& metrics) {
  config::v1::MemoryConfig config;
  config.set_data_dir(folder);
  return Open(config, clock, metrics);
}

absl::StatusOr<std::unique_ptr<Experience>> Experience::Open(const config::v1::MemoryConfig& config,
                                                             const common::Clock& clock, MemoryMetrics& metrics) {
  ASSIGN_OR_RETURN(std::unique_ptr<FactStore> store, FactStore::Open(config.data_dir()));
  auto experience = std::unique_ptr<Experience>(new Experience(config, std::move(store), clock, metrics));
  RETURN_IF_ERROR(experience->OpenPeers());
  RETURN_IF_ERROR(experience->FoldLog());
  experience->RefreshGauges();
  return experience;
}

absl::Status Experience::OpenPeers() {
  embeddings_ = std::make_unique<EmbeddingStore>(store_->rocks(), kEmbeddingsKept);
  ASSIGN_OR_RETURN(embedder_, MakeEmbedder(config_.embedder(), {.store = embeddings_.get()}));
  ASSIGN_OR_RETURN(token_counter_, MakeTokenCounter(config_.token_counting(), clock_));
  teams_.IndexIn(IndexFolder(config_), embedder_ == nullptr ? "" : embedder_->id(),
                 embedder_ == nullptr ? 0 : embedder_->dimensions());
  return absl::OkStatus();
}

absl::Status Experience::FoldHeads() {
  const auto fold = [&](const Fact& fact) {
    const auto change = teams_.Fold(fact);
    if (change.ok()) metrics_.CountFolded(change->before, change->after, change->new_items);
    return change.status();
  };
  return store_->ScanHeads(0, fold);
}

// Damaged heads are made anew from the facts, which have checksums of their own.
absl::Status Experience::FoldLog() {
  absl::Status folded = FoldHeads();
  if (absl::IsDataLoss(folded)) {
    common::LogWarning("memory.heads_rebuilt", {{"because", folded.ToString()}});
    RETURN_IF_ERROR(store_->RebuildHeads());
    teams_.Clear();
    folded = FoldHeads();
  }
  RETURN_IF_ERROR(folded);
  IndexKeeper::Options options{.embedder = embedder_.get(),
                               .embedder_is_remote = config_.embedder().kind() == "http",
                               .seal_after = config_.seal_after_items() > 0 ? config_.seal_after_items() : kSealAfter};
  keeper_ = std::make_unique<IndexKeeper>(options, [this](const std::string& team, uint32_t first, uint32_t last) {
    return ReadSearchTexts(team, first, last);
  });
  for (const auto& [name, memory] : teams_.All()) {
    for (const std::string& problem : memory->index->problems()) {
      common::LogWarning("memory.index_dropped", {{"team", name}, {"problem", problem}});
    }
    const ReaderLock lock(memory->mutex);
    keeper_->Watch(name, memory->index.get(), static_cast<uint32_t>(memory->graph.item_count()));
  }
  return absl::OkStatus();
}

void Experience::Fold(const Fact& fact) {
  const auto change = teams_.Fold(fact);
  if (!change.ok()) {  // Commit has opened the team's memory
    common::LogError("memory.fold_failed", {{"error", change.status().ToString()}});
    return;
  }
  if (change->new_items > 0) keeper_->Recorded(fact.team(), static_cast<uint32_t>(change->items));
  metrics_.CountFolded(change->before, change->after, change->new_items);
}

absl::StatusOr<std::vector<std::string>> Experience::ReadSearchTexts(const std::string& team, uint32_t first,
                                                                     uint32_t last) const {
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return absl::NotFoundError(absl::StrCat("no team '", team, "'"));
  std::vector<uint64_t> sequences;
  std::vector<v1::ItemKind> kinds;
  {
    const ReaderLock lock(memory->mutex);
    for (uint32_t item = first; item < last; ++item) {
      sequences.push_back(memory->graph.facets(static_cast<int>(item)).sequence);
      kinds.push_back(memory->graph.item(static_cast<int>(item)).kind);
    }
  }
  ASSIGN_OR_RETURN(const std::vector<Fact> facts, store_->ReadMany(team, sequences));
  std::vector<std::string> texts;
  texts.reserve(facts.size());
  for (size_t i = 0; i < facts.size(); ++i) texts.push_back(SearchTextOf(facts[i], kinds[i]));
  return texts;
}

Fact Experience::NewFact(const std::string& team, std::string key, std::string content_sha256) const {
  Fact fact;
  fact.set_team(team);
  fact.set_idempotency_key(std::move(key));
  fact.set_content_sha256(std::move(content_sha256));
  fact.set_at_unix_us(clock_.UnixMicros());
  return fact;
}

absl::Status Experience::OpenTeam(const std::string& team) {
  if (teams_.Find(team) != nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(TeamMemory * memory, teams_.FindOrAdd(team));
  keeper_->Watch(team, memory->index.get(), 0);
  return absl::OkStatus();
}

absl::StatusOr<AppendResult> Experience::Commit(Fact fact) {
  RETURN_IF_ERROR(OpenTeam(fact.team()));
  AppendResult result = queue_.Commit(std::move(fact));
  if (!result.status.ok()) return result.status;
  RefreshGauges();
  return result;
}

void Experience::StartCommit(Fact fact, std::function<void(absl::StatusOr<AppendResult>)> done) {
  const absl::Status opened = OpenTeam(fact.team());
  if (!opened.ok()) return done(opened);
  RefreshGauges();
  queue_.Start(std::move(fact), [done = std::move(done)](AppendResult result) {
    if (!result.status.ok()) return done(result.status);
    done(std::move(result));
  });
}

void Experience::RefreshGauges() {
  const int64_t now = clock_.UnixMicros();
  int64_t last = gauges_at_us_.load();
  if (now - last < kGaugesEveryUs || !gauges_at_us_.compare_exchange_strong(last, now)) return;
  SearchStatistics sum;
  int64_t items = 0;
  for (const auto& [name, memory] : teams_.All()) {
    const SearchStatistics one = memory->index->Statistics();
    sum.indexed += one.indexed;
    sum.unsealed += one.unsealed;
    sum.without_vector += one.without_vector;
    sum.segments += one.segments;
    sum.memory_bytes += one.memory_bytes;
    const ReaderLock lock(memory->mutex);
    items += memory->graph.item_count();
  }
  metrics_.SetIndex(sum, items, keeper_->embedder_problem().empty());
  metrics_.SetStoreBytes(store_->TotalBytes());
  metrics_.SetStoreHealth(store_->Health());
}

absl::StatusOr<std::map<std::string, std::string>> Experience::RefoldedFingerprint() const {
  TeamRegistry fresh;
  RETURN_IF_ERROR(store_->Scan(0, [&](const Fact& fact) { return fresh.Fold(fact).status(); }));
  return fresh.Fingerprints();
}

}  // namespace kernelsmith::memory
