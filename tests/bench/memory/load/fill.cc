#include "tests/bench/memory/load/fill.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/time/clock.h"
#include "tests/bench/memory/load/closed_loop.h"
#include "tests/bench/memory/load/latencies.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr int64_t kSlab = 25'600;  // attempts made at once, about 80 MB

// One call and the attempts that it records.
struct Request {
  std::string bytes;
  std::vector<int64_t> numbers;
};

class Slab {
 public:
  Slab(const Corpus& corpus, int64_t first, int64_t last, const FillOptions& options)
      : first_(first), group_(options.group), waiting_(options.writers) {
    for (int64_t number = first; number < last; ++number) {
      bytes_.push_back(corpus.Attempt(number).SerializeAsString());
      waiting_[static_cast<size_t>(Corpus::SessionOf(number) % options.writers)].push_back(number);
    }
  }

  // The writer's next request whose predecessors are surely recorded: nothing of its sessions is outstanding.
  const std::string* Next(int writer) {
    std::deque<int64_t>& mine = waiting_[writer];
    Request request;
    while (!mine.empty() && static_cast<int>(request.numbers.size()) < group_ &&
           !sessions_.contains(Corpus::SessionOf(mine.front()))) {
      request.numbers.push_back(mine.front());
      mine.pop_front();
    }
    if (request.numbers.empty()) return nullptr;
    for (const int64_t number : request.numbers) {
      sessions_.insert(Corpus::SessionOf(number));
      Append(bytes_[number - first_], &request.bytes);
    }
    auto kept = std::make_unique<Request>(std::move(request));
    const std::string* const bytes = &kept->bytes;
    outstanding_[bytes] = std::move(kept);
    return bytes;
  }

  // How many attempts the request had.
  int64_t Done(const std::string* request) {
    const auto kept = outstanding_.extract(request);
    for (const int64_t number : kept.mapped()->numbers) sessions_.erase(Corpus::SessionOf(number));
    return static_cast<int64_t>(kept.mapped()->numbers.size());
  }

 private:
  // An attempt alone is the whole request; of several each is field 1 of RecordAttemptsRequest.
  void Append(const std::string& attempt, std::string* request) const {
    if (group_ > 1) {
      google::protobuf::io::StringOutputStream stream(request);
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.WriteTag((1 << 3) | 2);
      coded.WriteVarint32(static_cast<uint32_t>(attempt.size()));
    }
    request->append(attempt);
  }

  const int64_t first_;
  const int group_;
  std::vector<std::string> bytes_;
  std::vector<std::deque<int64_t>> waiting_;
  std::unordered_map<const std::string*, std::unique_ptr<Request>> outstanding_;
  std::set<int64_t> sessions_;  // with a call outstanding
};

// How many of a reply's attempts were recorded before, or the first refusal.
absl::StatusOr<int64_t> DuplicatesOf(const Reply& reply, bool grouped) {
  if (!reply.status.ok()) return reply.status;
  v1::RecordAttemptsResponse responses;
  const bool parsed = grouped ? responses.ParseFromString(reply.bytes)
                              : responses.add_outcomes()->mutable_recorded()->ParseFromString(reply.bytes);
  if (!parsed) return absl::InternalError("a reply does not parse");
  int64_t duplicates = 0;
  for (const v1::RecordAttemptsResponse::Outcome& outcome : responses.outcomes()) {
    if (outcome.has_status()) return absl::FailedPreconditionError(outcome.status().message());
    duplicates += outcome.recorded().duplicate() ? 1 : 0;
  }
  return duplicates;
}

}  // namespace

absl::StatusOr<FillReport> Fill(const Corpus& corpus, const FillOptions& options) {
  FillReport report;
  absl::Status failure;
  Latencies latencies;
  for (int64_t first = options.first; first < options.last && failure.ok(); first += kSlab) {
    Slab slab(corpus, first, std::min(first + kSlab, options.last), options);
    const absl::Time begin = absl::Now();
    RunClosedLoop(
        {.address = options.address,
         .method = options.group > 1 ? kRecordAttempts : kRecordAttempt,
         .connections = options.writers,
         .window = options.window,
         .keep_replies = true},
        [&](int writer) { return failure.ok() ? slab.Next(writer) : nullptr; },
        [&](const Reply& reply) {
          report.records += slab.Done(reply.request);
          const absl::StatusOr<int64_t> duplicates = DuplicatesOf(reply, options.group > 1);
          failure.Update(duplicates.status());
          report.duplicates += duplicates.value_or(0);
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
