// Keeps the search indexes of all teams up to date beside the traffic: one thread indexes what was recorded, one seals
// what has gathered, and with an embedder that may be slow or down a third one fetches vectors. A write returns before
// it is searchable; Await closes the gap for a reader.
//
//   IndexKeeper keeper({.embedder = embedder, .seal_after = 20'000}, read_texts);
//   keeper.Watch("local", &index);                 // catches up from index.indexed() on
//   keeper.Recorded("local", graph.item_count());  // after every fact that adds items
//   keeper.Await("local", graph.item_count());     // before a search
//
// An embedder that does not answer stops nothing: items are indexed by their words, and embedded once it answers again.
// The threads run at a lower priority than the calls. While a mass of records arrives that no reader waits for any more
// (more than kNear behind), the indexing stands aside for a few seconds: then the mass is in sooner, and the index too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/mutex.h"
#include "memory/embedding/embedder.h"
#include "memory/retrieval/search/search_index.h"
#include "memory/retrieval/search/write_burst.h"

namespace kernelsmith::memory {

class IndexKeeper {
 public:
  struct Options {
    Embedder* embedder = nullptr;              // null: words alone; outlives the keeper
    bool embedder_is_remote = false;           // words are indexed first, vectors follow
    int64_t seal_after = 20'000;               // items in memory
    int seal_threads = 1;                      // in the background
    absl::Duration retry = absl::Seconds(10);  // of an embedder that is down
  };
  // The search texts of items [first, last) of a team. Called from the keeper's threads without a lock held.
  using ReadTexts =
      std::function<absl::StatusOr<std::vector<std::string>>(const std::string& team, uint32_t first, uint32_t last)>;

  IndexKeeper(Options options, ReadTexts read_texts);
  // Stops after the step at hand; what is not indexed is indexed at the next start.
  ~IndexKeeper();

  // `index` outlives the keeper. REQUIRES: once for each team.
  void Watch(const std::string& team, SearchIndex* index, uint32_t items);

  // The team has `items` items now.
  void Recorded(const std::string& team, uint32_t items);

  // Waits until the first `items` items are searchable if that is near: not when more than kNear are missing, and at
  // most `limit`. Returns how many are searchable.
  uint32_t Await(const std::string& team, uint32_t items, absl::Duration limit = absl::Seconds(2));
  static constexpr auto kNear = static_cast<uint32_t>(WriteBurst::kNear);

  // Waits until everything recorded is searchable, then seals with all cores. What the admin's call does.
  absl::StatusOr<int64_t> SealNow(const std::string& team, SealScope scope, int threads);

  // Why the last text had no vector; empty if all is well.
  std::string embedder_problem() const;

 private:
  struct Watched {
    SearchIndex* index = nullptr;
    uint32_t items = 0;       // recorded
    uint32_t searchable = 0;  // indexed
    bool failed = false;      // texts could not be read; waits for the next record
    bool sealing = false;     // its segments are being replaced
  };

  void IndexLoop();
  // Waits while there is nothing to index, or something better to do.
  void AwaitWork();
  void SealLoop();
  void EmbedLoop();
  // One batch of one team.
  void IndexSome();
  // Vectors for items that have none; false if there is nothing to do or the embedder does not answer.
  bool EmbedSome();
  // None if the embedder does not answer.
  std::vector<Vector> Embed(const std::vector<std::string>& texts);
  absl::StatusOr<int64_t> SealOne(const std::string& team, SealScope scope, int threads);
  bool stopping() const;

  const Options options_;
  const ReadTexts read_texts_;
  mutable common::Mutex mutex_;
  common::CondVar changed_;   // records, indexed items, ends of sealing
  common::CondVar unfilled_;  // items without a vector
  common::CondVar stopped_;
  std::map<std::string, std::unique_ptr<Watched>> teams_ GUARDED_BY(mutex_);
  std::string embedder_problem_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  WriteBurst burst_ GUARDED_BY(mutex_);
  std::thread index_thread_;
  std::thread seal_thread_;
  std::thread embed_thread_;
};

}  // namespace kernelsmith::memory
