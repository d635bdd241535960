// PostgreSQL full text search over libpq: a tsvector column with a GIN index, ts_rank_cd, a prepared statement.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/bench/memory/peers/workload.h"

namespace kernelsmith::memory::bench {

// Fills a fresh table, builds the index, VACUUM ANALYZE. `connection` as of libpq: "host=/socket/folder
// dbname=postgres".
absl::Status FillPostgres(const Workload& workload, const std::string& connection);

// All queries, shared by `clients` connections with a thread each, every one waiting for its answer. Queries a second.
absl::StatusOr<double> PostgresRate(const Workload& workload, const std::string& connection, int clients);

}  // namespace kernelsmith::memory::bench
