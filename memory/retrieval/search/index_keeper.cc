#include "memory/retrieval/search/index_keeper.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/logging.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr uint32_t kBatch = 128;  // items read and indexed at once
constexpr int kNiceness = 10;

// Names the calling thread and puts it behind those that answer calls.
void StartBackgroundThread(const char* name) {
  pthread_setname_np(pthread_self(), name);
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
}

}  // namespace

IndexKeeper::IndexKeeper(Options options, ReadTexts read_texts)
    : options_(options), read_texts_(std::move(read_texts)) {
  index_thread_ = std::thread([this] { IndexLoop(); });
  seal_thread_ = std::thread([this] { SealLoop(); });
  if (options_.embedder != nullptr) embed_thread_ = std::thread([this] { EmbedLoop(); });
}

IndexKeeper::~IndexKeeper() {
  {
    const common::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    unfilled_.NotifyAll();
    stopped_.NotifyAll();
  }
  index_thread_.join();
  seal_thread_.join();
  if (embed_thread_.joinable()) embed_thread_.join();
}

bool IndexKeeper::stopping() const {
  const common::MutexLock lock(mutex_);
  return stopping_;
}

void IndexKeeper::Watch(const std::string& team, SearchIndex* index, uint32_t items) {
  auto watched = std::make_unique<Watched>();
  watched->index = index;
  watched->items = items;
  watched->searchable = index->indexed();
  const common::MutexLock lock(mutex_);
  teams_[team] = std::move(watched);
  changed_.NotifyAll();
}

void IndexKeeper::Recorded(const std::string& team, uint32_t items) {
  const common::MutexLock lock(mutex_);
  const auto found = teams_.find(team);
  if (found == teams_.end() || found->second->items >= items) return;
  found->second->items = items;
  found->second->failed = false;
  burst_.Recorded(absl::Now());
  changed_.NotifyAll();
}

uint32_t IndexKeeper::Await(const std::string& team, uint32_t items, absl::Duration limit) {
  const absl::Time deadline = absl::Now() + limit;
  const common::MutexLock lock(mutex_);
  const auto found = teams_.find(team);
  if (found == teams_.end()) return 0;
  const Watched& watched = *found->second;
  while (watched.searchable < items && items - watched.searchable <= kNear && !watched.failed && !stopping_) {
    if (!changed_.WaitUntil(mutex_, deadline)) break;
  }
  return watched.searchable;
}

std::string IndexKeeper::embedder_problem() const {
  const common::MutexLock lock(mutex_);
  return embedder_problem_;
}

std::vector<Vector> IndexKeeper::Embed(const std::vector<std::string>& texts) {
  const std::vector<absl::string_view> views(texts.begin(), texts.end());
  absl::StatusOr<std::vector<Vector>> vectors = options_.embedder->Embed(views);
  const std::string problem(vectors.ok() ? "" : vectors.status().message());
  bool news = false;
  {
    const common::MutexLock lock(mutex_);
    news = embedder_problem_.empty() != problem.empty();
    embedder_problem_ = problem;
  }
  if (news && vectors.ok()) common::LogInfo("memory.embedder_answers");
  if (news && !vectors.ok()) common::LogWarning("memory.embedder_down", {{"error", problem}});
  return vectors.ok() ? *std::move(vectors) : std::vector<Vector>();
}

void IndexKeeper::IndexSome() {
  std::string team;
  SearchIndex* index = nullptr;
  uint32_t first = 0;
  uint32_t last = 0;
  {
    const common::MutexLock lock(mutex_);
    for (const auto& [name, watched] : teams_) {
      if (watched->searchable >= watched->items || watched->failed) continue;
      team = name;
      index = watched->index;
      first = watched->searchable;
      last = std::min(watched->items, first + kBatch);
      break;
    }
  }
  if (index == nullptr) return;
  const absl::StatusOr<std::vector<std::string>> texts = read_texts_(team, first, last);
  if (texts.ok()) {
    std::vector<Vector> vectors;
    if (options_.embedder != nullptr && !options_.embedder_is_remote) vectors = Embed(*texts);
    const std::vector<absl::string_view> views(texts->begin(), texts->end());
    const absl::Status added = index->Add(views, vectors);
    if (!added.ok()) common::LogWarning("memory.vector_refused", {{"team", team}, {"error", added.ToString()}});
  } else {
    common::LogError("memory.index_stalled", {{"team", team}, {"error", texts.status().ToString()}});
  }
  const common::MutexLock lock(mutex_);
  Watched& watched = *teams_.at(team);
  watched.searchable = index->indexed();
  watched.failed = !texts.ok();
  changed_.NotifyAll();
  if (options_.embedder_is_remote) unfilled_.NotifyAll();
}

void IndexKeeper::AwaitWork() {
  const common::MutexLock lock(mutex_);
  while (!stopping_) {
    int64_t behind = 0;
    for (const auto& [name, watched] : teams_) {
      if (!watched->failed) behind += static_cast<int64_t>(watched->items) - watched->searchable;
    }
    if (burst_.HasPriority(behind, absl::Now())) {
      stopped_.WaitFor(mutex_, WriteBurst::kPause);
    } else if (behind == 0) {
      changed_.Wait(mutex_);
    } else {
      return;
    }
  }
}

void IndexKeeper::IndexLoop() {
  StartBackgroundThread("memory-index");
  while (!stopping()) {
    AwaitWork();
    IndexSome();
  }
}

bool IndexKeeper::EmbedSome() {
  std::map<std::string, SearchIndex*> indexes;
  {
    const common::MutexLock lock(mutex_);
    for (const auto& [name, watched] : teams_) indexes[name] = watched->index;
  }
  bool any = false;
  for (const auto& [team, index] : indexes) {
    const std::vector<uint32_t> items = index->WithoutVector(0, kBatch);
    if (items.empty()) continue;
    std::vector<std::string> texts;
    for (const uint32_t item : items) {
      absl::StatusOr<std::vector<std::string>> text = read_texts_(team, item, item + 1);
      if (!text.ok()) return false;
      texts.push_back(std::move(text->front()));
    }
    const std::vector<Vector> vectors = Embed(texts);
    if (vectors.empty()) return false;
    if (const absl::Status added = index->AddVectors(items, vectors); !added.ok()) {
      common::LogWarning("memory.vector_refused", {{"team", team}, {"error", added.ToString()}});
      return false;
    }
    any = true;
  }
  return any;
}

void IndexKeeper::EmbedLoop() {
  StartBackgroundThread("memory-embed");
  while (!stopping()) {
    if (EmbedSome()) continue;
    const common::MutexLock lock(mutex_);
    if (!stopping_) unfilled_.WaitFor(mutex_, options_.retry);
  }
}

absl::StatusOr<int64_t> IndexKeeper::SealOne(const std::string& team, SealScope scope, int threads) {
  SearchIndex* index = nullptr;
  {
    const common::MutexLock lock(mutex_);
    Watched& watched = *teams_.at(team);
    while (watched.sealing && !stopping_) changed_.Wait(mutex_);
    if (stopping_) return absl::CancelledError("the memory is shutting down");
    watched.sealing = true;
    index = watched.index;
  }
  absl::StatusOr<int64_t> sealed = index->Seal(
      scope,
      {.threads = threads, .cancelled = [this] { return stopping(); }, .now_unix_us = absl::ToUnixMicros(absl::Now())});
  const common::MutexLock lock(mutex_);
  teams_.at(team)->sealing = false;
  changed_.NotifyAll();
  return sealed;
}

void IndexKeeper::SealLoop() {
  StartBackgroundThread("memory-seal");
  absl::Time again = absl::InfinitePast();
  while (!stopping()) {
    std::optional<std::string> due;
    {
      const common::MutexLock lock(mutex_);
      for (const auto& [name, watched] : teams_) {
        if (absl::Now() >= again && watched->index->Statistics().unsealed >= options_.seal_after) due = name;
      }
      if (!due && !stopping_) stopped_.WaitFor(mutex_, absl::Seconds(1));
    }
    if (!due) continue;
    const absl::StatusOr<int64_t> sealed = SealOne(*due, SealScope::kDue, options_.seal_threads);
    if (sealed.ok()) {
      common::LogInfo("memory.sealed", {{"team", *due}, {"items", absl::StrCat(*sealed)}});
    } else if (!absl::IsCancelled(sealed.status())) {
      common::LogError("memory.seal_failed", {{"team", *due}, {"error", sealed.status().ToString()}});
      again = absl::Now() + options_.retry;
    }
  }
}

absl::StatusOr<int64_t> IndexKeeper::SealNow(const std::string& team, SealScope scope, int threads) {
  {
    const common::MutexLock lock(mutex_);
    const auto found = teams_.find(team);
    if (found == teams_.end()) return 0;
    const Watched& watched = *found->second;
    const uint32_t items = watched.items;
    while (watched.searchable < items && !watched.failed && !stopping_) changed_.Wait(mutex_);
    if (watched.failed) return absl::UnavailableError("the items' texts cannot be read; see the log of the memory");
  }
  return SealOne(team, scope, threads);
}

}  // namespace kernelsmith::memory
