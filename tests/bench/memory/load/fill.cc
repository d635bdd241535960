#include "tests/bench/memory/load/fill.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/memory/load/closed_loop.h"
#include "tests/bench/memory/load/latencies.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr int64_t kSlab = 25'600;  // attempts made at once, about 80 MB

class Slab {
 public:
  Slab(const Corpus& corpus, int64_t first, int64_t last, int writers) : first_(first), waiting_(writers) {
    for (int64_t number = first; number < last; ++number) {
      bytes_.push_back(corpus.Attempt(number).SerializeAsString());
      waiting_[static_cast<size_t>(Corpus::SessionOf(number) % writers)].push_back(number);
    }
  }

  // The writer's next request whose predecessor is surely recorded: nothing of its session is outstanding.
  const std::string* Next(int writer) {
    std::deque<int64_t>& mine = waiting_[writer];
    if (mine.empty() || !sessions_.insert(Corpus::SessionOf(mine.front())).second) return nullptr;
    const int64_t number = mine.front();
    mine.pop_front();
    return &bytes_[number - first_];
  }
  void Done(const std::string* request) { sessions_.erase(Corpus::SessionOf(first_ + (request - bytes_.data()))); }

 private:
  const int64_t first_;
  std::vector<std::string> bytes_;
  std::vector<std::deque<int64_t>> waiting_;
  std::set<int64_t> sessions_;  // with a call outstanding
};

}  // namespace

absl::StatusOr<FillReport> Fill(const Corpus& corpus, const FillOptions& options) {
  FillReport report;
  absl::Status failure;
  Latencies latencies;
  for (int64_t first = options.first; first < options.last && failure.ok(); first += kSlab) {
    Slab slab(corpus, first, std::min(first + kSlab, options.last), options.writers);
    const absl::Time begin = absl::Now();
    RunClosedLoop(
        {.address = options.address,
         .method = kRecordAttempt,
         .connections = options.writers,
         .window = options.window,
         .keep_replies = true},
        [&](int writer) { return failure.ok() ? slab.Next(writer) : nullptr; },
        [&](const Reply& reply) {
          slab.Done(reply.request);
          v1::RecordAttemptResponse response;
          if (!reply.status.ok()) {
            failure.Update(reply.status);
          } else if (!response.ParseFromString(reply.bytes)) {
            failure.Update(absl::InternalError("a reply does not parse"));
          }
          ++report.records;
          report.duplicates += response.duplicate() ? 1 : 0;
          latencies.Add(reply.latency);
        });
    report.elapsed += absl::Now() - begin;
  }
  if (!failure.ok()) return failure;
  report.p50 = latencies.Quantile(0.5);
  report.p99 = latencies.Quantile(0.99);
  return report;
}

}  // namespace kernelsmith::memory::bench
