// memory-recall: asks a filled server the corpus' queries and compares with the exact scan. Prints lines `name value`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "common/file_io.h"
#include "common/status.h"
#include "memory/embedding/make_embedder.h"
#include "tests/bench/memory/corpus/queries.h"
#include "tests/bench/memory/load/oracle.h"
#include "tests/bench/memory/load/search.h"

namespace kernelsmith::memory::bench {
namespace {

struct Flags {
  std::string port_file;
  uint64_t seed = 1;
  std::string embedder = "hashed";
  SearchOptions search;
  OracleOptions oracle;
};

absl::Status Run(Flags flags) {
  const Corpus corpus({.seed = flags.seed});
  ASSIGN_OR_RETURN(flags.search.address, common::ReadFile(flags.port_file));
  flags.search.keep_ids = true;
  flags.search.brief = true;
  flags.search.preset = "static_rag";  // by relevance alone
  ASSIGN_OR_RETURN(const SearchReport report, Search(corpus, flags.search));
  std::vector<v1::RetrieveRequest> queries;
  for (int64_t i = 0; i < flags.search.queries; ++i) {
    queries.push_back(MakeQuery(corpus, flags.search.attempts, flags.search.first_query + i));
  }
  config::v1::Embedder config;
  config.set_kind(flags.embedder);
  ASSIGN_OR_RETURN(const std::unique_ptr<Embedder> embedder, MakeEmbedder(config));
  flags.oracle.attempts = flags.search.attempts;
  ASSIGN_OR_RETURN(const auto exact, ExactHybrid(corpus, queries, flags.oracle, embedder.get()));
  std::printf("lexical_only %lld\n", static_cast<long long>(report.lexical_only));
  std::printf("recall_at_10 %.6g\n", Recall(exact, report.ids));
  return absl::OkStatus();
}

}  // namespace
}  // namespace kernelsmith::memory::bench

int main(int argc, char** argv) {
  kernelsmith::memory::bench::Flags flags;
  CLI::App app("Recall of a filled experience memory against an exact scan of its corpus.");
  app.add_option("--port-file", flags.port_file, "File that holds the server's host:port")->required();
  app.add_option("--seed", flags.seed, "Of the corpus");
  app.add_option("--attempts", flags.search.attempts, "Attempts that the server holds; each has two items")->required();
  app.add_option("--queries", flags.search.queries, "How many");
  app.add_option("--first-query", flags.search.first_query, "Number of the first one");
  app.add_option("--half", flags.oracle.half, "Hits that each half contributes to the fusion");
  app.add_option("--embedder", flags.embedder, "The server's: hashed or none");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = kernelsmith::memory::bench::Run(flags);
  if (status.ok()) return 0;
  std::cerr << "memory-recall: " << status << "\n";
  return 1;
}
