#include "tests/bench/memory/peers/postgresql.h"

#include <libpq-fe.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status.h"
#include "tests/bench/memory/peers/engine.h"

namespace kernelsmith::memory::bench {
namespace {

class Connection {
 public:
  explicit Connection(const std::string& to) : connection_(PQconnectdb(to.c_str())) {}
  ~Connection() { PQfinish(connection_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  PGconn* get() { return connection_; }
  absl::Status Failed() const { return absl::InternalError(absl::StrCat("PostgreSQL: ", PQerrorMessage(connection_))); }
  bool ok() const { return PQstatus(connection_) == CONNECTION_OK; }

  absl::Status Execute(const std::string& sql) {
    PGresult* result = PQexec(connection_, sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_COPY_IN ? absl::OkStatus()
                                                                                              : Failed();
  }

 private:
  PGconn* const connection_;
};

}  // namespace

absl::Status FillPostgres(const Workload& workload, const std::string& connection) {
  Connection server(connection);
  if (!server.ok()) return server.Failed();
  RETURN_IF_ERROR(
      server.Execute("DROP TABLE IF EXISTS items; CREATE TABLE items (id int, body text, terms tsvector "
                     "GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED);"));
  RETURN_IF_ERROR(server.Execute("COPY items (id, body) FROM STDIN"));
  for (size_t item = 0; item < workload.words.size(); ++item) {
    const std::string line = absl::StrCat(item, "\t", workload.words[item], "\n");
    if (PQputCopyData(server.get(), line.data(), static_cast<int>(line.size())) != 1) return server.Failed();
  }
  if (PQputCopyEnd(server.get(), nullptr) != 1) return server.Failed();
  while (PGresult* result = PQgetResult(server.get())) PQclear(result);
  RETURN_IF_ERROR(server.Execute("CREATE INDEX ON items USING gin (terms) WITH (fastupdate = off)"));
  return server.Execute("VACUUM ANALYZE items");
}

absl::StatusOr<double> PostgresRate(const Workload& workload, const std::string& connection, int clients) {
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < clients; ++i) {
    Connection& added = *connections.emplace_back(std::make_unique<Connection>(connection));
    if (!added.ok()) return added.Failed();
    RETURN_IF_ERROR(added.Execute(absl::StrCat(
        "PREPARE search(text) AS SELECT id FROM items, to_tsquery('simple', $1) AS query WHERE terms @@ query "
        "ORDER BY ts_rank_cd(terms, query) DESC LIMIT ",
        kHits)));
  }
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  absl::Status failure;
  std::vector<std::thread> threads;
  const absl::Time begin = absl::Now();
  for (const auto& mine : connections) {
    threads.emplace_back([&, server = mine.get()] {
      for (size_t query = next++; query < workload.query_words.size(); query = next++) {
        const std::string terms = absl::StrJoin(workload.query_words[query], " | ");
        const char* values[] = {terms.c_str()};
        PGresult* result = PQexecPrepared(server->get(), "search", 1, values, nullptr, nullptr, 0);
        const bool answered = PQresultStatus(result) == PGRES_TUPLES_OK;
        PQclear(result);
        if (answered) continue;
        const std::lock_guard<std::mutex> lock(mutex);
        failure.Update(server->Failed());
        return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  RETURN_IF_ERROR(failure);
  return static_cast<double>(workload.query_words.size()) / absl::ToDoubleSeconds(absl::Now() - begin);
}

}  // namespace kernelsmith::memory::bench
