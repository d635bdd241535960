// SQLite FTS5: a contentless table, merged into one b-tree, mapped into memory; a prepared statement; order by rank,
// which FTS5 documents as its fast path for bm25().
#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"
#include "tests/bench/memory/peers/engine.h"

namespace kernelsmith::memory::bench {
namespace {

class Fts5 : public Engine {
 public:
  explicit Fts5(const Workload& workload) : workload_(workload) {}
  ~Fts5() override {
    sqlite3_finalize(search_);
    sqlite3_close(db_);
  }

  absl::Status Fill(const std::string& folder) {
    if (sqlite3_open(absl::StrCat(folder, "/fts5").c_str(), &db_) != SQLITE_OK) return Failed("open");
    RETURN_IF_ERROR(
        Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 4294967296;"
                "PRAGMA cache_size = -524288;"
                "CREATE VIRTUAL TABLE items USING fts5(body, content = '', tokenize = 'ascii'); BEGIN;"));
    sqlite3_stmt* insert = nullptr;
    if (sqlite3_prepare_v2(db_, "INSERT INTO items(rowid, body) VALUES (?, ?)", -1, &insert, nullptr) != SQLITE_OK) {
      return Failed("insert");
    }
    bool stored = true;
    for (size_t item = 0; item < workload_.words.size() && stored; ++item) {
      const std::string& words = workload_.words[item];
      sqlite3_bind_int64(insert, 1, static_cast<int64_t>(item) + 1);
      sqlite3_bind_text(insert, 2, words.data(), static_cast<int>(words.size()), SQLITE_STATIC);
      stored = sqlite3_step(insert) == SQLITE_DONE;
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (!stored) return Failed("insert");
    RETURN_IF_ERROR(Execute("COMMIT; INSERT INTO items(items) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE);"));
    if (sqlite3_prepare_v2(db_, "SELECT rowid FROM items WHERE items MATCH ? ORDER BY rank LIMIT ?", -1, &search_,
                           nullptr) != SQLITE_OK) {
      return Failed("search");
    }
    return absl::OkStatus();
  }

  std::vector<uint32_t> Search(size_t query) override {
    const std::string match = absl::StrJoin(workload_.query_words[query], " OR ");
    sqlite3_bind_text(search_, 1, match.data(), static_cast<int>(match.size()), SQLITE_STATIC);
    sqlite3_bind_int(search_, 2, kHits);
    std::vector<uint32_t> items;
    while (sqlite3_step(search_) == SQLITE_ROW) {
      items.push_back(static_cast<uint32_t>(sqlite3_column_int64(search_, 0) - 1));
    }
    sqlite3_reset(search_);
    return items;
  }

 private:
  absl::Status Failed(const char* what) const {
    return absl::InternalError(absl::StrCat("SQLite: ", what, ": ", sqlite3_errmsg(db_)));
  }
  absl::Status Execute(const char* sql) {
    return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? absl::OkStatus() : Failed(sql);
  }

  const Workload& workload_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* search_ = nullptr;
};

}  // namespace

MadeEngine MakeFts5(const Workload& workload, const std::string& folder) {
  auto engine = std::make_unique<Fts5>(workload);
  RETURN_IF_ERROR(engine->Fill(folder));
  return engine;
}

}  // namespace kernelsmith::memory::bench
