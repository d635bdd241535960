// memory-peers: the memory's indexes and server beside what a user would reach for instead, on the same corpus and
// queries, in one run. Prints lines `name value`; docs/memory-benchmarks.md says what is equal and what is not.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/file_io.h"
#include "common/status.h"
#include "tests/bench/memory/load/admin.h"
#include "tests/bench/memory/load/fill.h"
#include "tests/bench/memory/load/search.h"
#include "tests/bench/memory/peers/engine.h"
#include "tests/bench/memory/peers/postgresql.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr int kRounds = 5;  // of every engine, in turn; the best counts
constexpr int kServerClients = 4;

struct Flags {
  WorkloadOptions workload;
  std::string postgres;   // libpq connection; empty leaves it out
  std::string port_file;  // of a memory server without embedder, empty of items
};

void Print(const std::string& name, double value) {
  std::printf("%s %.6g\n", name.c_str(), value);
  std::fflush(stdout);
}

// Processor time of this process. Each engine searches in the calling thread alone, so this is its time without what
// the machine does besides.
absl::Duration ProcessorTime() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return absl::DurationFromTimespec(now);
}

// Queries a second of processor time, over one pass.
double Pass(Engine& engine, size_t queries) {
  const absl::Duration begin = ProcessorTime();
  for (size_t query = 0; query < queries; ++query) engine.Search(query);
  return static_cast<double>(queries) / absl::ToDoubleSeconds(ProcessorTime() - begin);
}

struct Contestant {
  std::string name;
  Engine* engine = nullptr;
  double rate = 0;
};

// Rounds in turn, so that all see the same machine.
void Race(std::vector<Contestant>& contestants, size_t queries, const std::vector<std::vector<uint32_t>>& exact) {
  for (int round = 0; round < kRounds; ++round) {
    for (Contestant& each : contestants) each.rate = std::max(each.rate, Pass(*each.engine, queries));
  }
  for (const Contestant& each : contestants) {
    Print(absl::StrCat(each.name, "_per_s"), each.rate);
    Print(absl::StrCat(each.name, "_recall"), RecallOf(*each.engine, exact));
  }
}

absl::StatusOr<std::string> Folder(const common::TemporaryFolder& base, const char* name) {
  const std::string path = absl::StrCat(base.path(), "/", name);
  RETURN_IF_ERROR(common::MakeFolders(path));
  return path;
}

absl::Status CompareWords(const Workload& workload, const common::TemporaryFolder& base) {
  const auto exact = ExactWords(workload, kHits);
  ASSIGN_OR_RETURN(const std::string our_folder, Folder(base, "words"));
  ASSIGN_OR_RETURN(const auto ours, MakeOurWords(workload, our_folder));
  ASSIGN_OR_RETURN(const std::string fts5_folder, Folder(base, "fts5"));
  ASSIGN_OR_RETURN(const auto fts5, MakeFts5(workload, fts5_folder));
  ASSIGN_OR_RETURN(const std::string xapian_folder, Folder(base, "xapian"));
  ASSIGN_OR_RETURN(const auto xapian, MakeXapian(workload, xapian_folder));
  std::vector<Contestant> contestants = {{"words", ours.get()}, {"fts5", fts5.get()}, {"xapian", xapian.get()}};
  Race(contestants, workload.query_texts.size(), exact);
  Print("ratio_fts5", contestants[0].rate / contestants[1].rate);
  Print("ratio_xapian", contestants[0].rate / contestants[2].rate);
  return absl::OkStatus();
}

absl::Status CompareVectors(const Workload& workload, const common::TemporaryFolder& base) {
  const auto exact = ExactVectors(workload, kHits);
  ASSIGN_OR_RETURN(const std::string graph_folder, Folder(base, "graph"));
  ASSIGN_OR_RETURN(const auto graph, MakeOurVectors(workload, graph_folder, false));
  ASSIGN_OR_RETURN(const std::string scan_folder, Folder(base, "scan"));
  ASSIGN_OR_RETURN(const auto scan, MakeOurVectors(workload, scan_folder, true));
  ASSIGN_OR_RETURN(const auto flat, MakeFaissFlat(workload));
  ASSIGN_OR_RETURN(const auto hnsw, MakeFaissHnsw(workload, exact, RecallOf(*graph, exact)));
  std::vector<Contestant> contestants = {
      {"vectors", graph.get()}, {"faiss_hnsw", hnsw.get()}, {"vector_scan", scan.get()}, {"faiss_flat", flat.get()}};
  Race(contestants, workload.query_texts.size(), exact);
  Print("ratio_faiss_hnsw", contestants[0].rate / contestants[1].rate);
  Print("ratio_faiss_flat", contestants[2].rate / contestants[3].rate);
  return absl::OkStatus();
}

absl::Status CompareServers(const Workload& workload, const Flags& flags) {
  RETURN_IF_ERROR(FillPostgres(workload, flags.postgres));
  const Corpus corpus({.seed = flags.workload.seed});
  ASSIGN_OR_RETURN(const std::string address, common::ReadFile(flags.port_file));
  const int64_t attempts = flags.workload.items / 2;
  RETURN_IF_ERROR(Fill(corpus, {.address = address, .last = attempts, .writers = 8, .window = 4}).status());
  ASSIGN_OR_RETURN(const common::Connection connection, Dial(address));
  RETURN_IF_ERROR(SealIndex(connection).status());
  double ours = 0;
  double theirs = 0;
  for (int round = 0; round < kRounds; ++round) {
    ASSIGN_OR_RETURN(const SearchReport report, Search(corpus, {.address = address,
                                                                .attempts = attempts,
                                                                .queries = flags.workload.queries,
                                                                .clients = kServerClients,
                                                                .brief = true,
                                                                .preset = "static_rag",
                                                                .filters = false}));
    ours = std::max(ours, report.per_second);
    ASSIGN_OR_RETURN(const double rate, PostgresRate(workload, flags.postgres, kServerClients));
    theirs = std::max(theirs, rate);
  }
  Print("server_per_s", ours);
  Print("postgresql_per_s", theirs);
  Print("ratio_postgresql", ours / theirs);
  return absl::OkStatus();
}

absl::Status Run(const Flags& flags) {
  ASSIGN_OR_RETURN(const common::TemporaryFolder base, common::TemporaryFolder::Make("memory-peers"));
  ASSIGN_OR_RETURN(const Workload workload, MakeWorkload(flags.workload));
  RETURN_IF_ERROR(CompareWords(workload, base));
  RETURN_IF_ERROR(CompareVectors(workload, base));
  return flags.postgres.empty() ? absl::OkStatus() : CompareServers(workload, flags);
}

}  // namespace

}  // namespace kernelsmith::memory::bench

int main(int argc, char** argv) {
  kernelsmith::memory::bench::Flags flags;
  CLI::App app("The memory beside SQLite FTS5, Xapian, PostgreSQL and faiss on one corpus.");
  app.add_option("--items", flags.workload.items, "Items of the corpus");
  app.add_option("--queries", flags.workload.queries, "How many");
  app.add_option("--seed", flags.workload.seed, "Of the corpus");
  app.add_option("--postgres", flags.postgres, "libpq connection of a PostgreSQL server");
  app.add_option("--port-file", flags.port_file, "Port file of an empty memory server without embedder");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = kernelsmith::memory::bench::Run(flags);
  if (status.ok()) return 0;
  std::cerr << "memory-peers: " << status << "\n";
  return 1;
}
