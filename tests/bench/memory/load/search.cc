#include "tests/bench/memory/load/search.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/memory/corpus/queries.h"
#include "tests/bench/memory/load/closed_loop.h"
#include "tests/bench/memory/load/latencies.h"

namespace kernelsmith::memory::bench {
namespace {

// Sends every request once; `read` sees each reply with the number of its request.
absl::StatusOr<SearchReport> Run(const std::vector<std::string>& requests, const SearchOptions& options,
                                 const char* method, bool keep_replies,
                                 const std::function<absl::Status(size_t, const Reply&)>& read) {
  SearchReport report;
  absl::Status failure;
  Latencies latencies;
  size_t next = 0;
  const absl::Time begin = absl::Now();
  RunClosedLoop(
      {.address = options.address,
       .method = method,
       .connections = options.clients,
       .deadline = absl::Seconds(60),
       .keep_replies = keep_replies},
      [&](int) { return failure.ok() && next < requests.size() ? &requests[next++] : nullptr; },
      [&](const Reply& reply) {
        latencies.Add(reply.latency);
        failure.Update(reply.status.ok() ? read(static_cast<size_t>(reply.request - requests.data()), reply)
                                         : reply.status);
      });
  if (!failure.ok()) return failure;
  report.elapsed = absl::Now() - begin;
  report.p50 = latencies.Quantile(0.5);
  report.p99 = latencies.Quantile(0.99);
  report.per_second = static_cast<double>(requests.size()) / absl::ToDoubleSeconds(report.elapsed);
  return report;
}

}  // namespace

absl::StatusOr<SearchReport> Search(const Corpus& corpus, const SearchOptions& options) {
  std::vector<std::string> requests;
  for (int64_t i = 0; i < options.queries; ++i) {
    v1::RetrieveRequest request = MakeQuery(corpus, options.attempts, options.first_query + i, options.terms);
    request.set_brief(options.brief);
    if (!options.filters) request.clear_filter();
    request.mutable_policy()->set_preset(options.preset);
    requests.push_back(request.SerializeAsString());
  }
  std::vector<std::vector<std::string>> ids(options.keep_ids ? requests.size() : 0);
  int64_t lexical_only = 0;
  absl::StatusOr<SearchReport> report =
      Run(requests, options, kRetrieve, options.keep_ids, [&](size_t query, const Reply& reply) {
        if (!options.keep_ids) return absl::OkStatus();
        v1::RetrieveResponse response;
        if (!response.ParseFromString(reply.bytes)) return absl::InternalError("a reply does not parse");
        lexical_only += response.lexical_only() ? 1 : 0;
        for (const v1::RankedItem& item : response.items()) ids[query].push_back(item.item().id());
        return absl::OkStatus();
      });
  if (report.ok()) {
    report->lexical_only = lexical_only;
    report->ids = std::move(ids);
  }
  return report;
}

absl::StatusOr<SearchReport> MakeContexts(const Corpus& corpus, const SearchOptions& options) {
  std::vector<std::string> requests;
  for (int64_t i = 0; i < options.queries; ++i) {
    v1::AssembleContextRequest request = MakeContext(corpus, options.attempts, options.first_query + i);
    request.set_attempt_id(absl::StrCat("context-", options.run, "-", i));
    request.mutable_policy()->set_preset(options.preset);
    requests.push_back(request.SerializeAsString());
  }
  return Run(requests, options, kAssembleContext, false, [](size_t, const Reply&) { return absl::OkStatus(); });
}

}  // namespace kernelsmith::memory::bench
