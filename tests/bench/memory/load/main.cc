// memory-load: fills an experience memory with a seeded corpus and measures it, through gRPC. Each subcommand prints
// lines `name value`, which the scripts of tests/bench read.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/status.h"
#include "kernelsmith/v1/memory.grpc.pb.h"
#include "tests/bench/memory/corpus/queries.h"
#include "tests/bench/memory/load/admin.h"
#include "tests/bench/memory/load/fill.h"
#include "tests/bench/memory/load/search.h"

namespace kernelsmith::memory::bench {
namespace {

struct Flags {
  std::string address;
  std::string port_file;
  uint64_t seed = 1;
  FillOptions fill;
  SearchOptions search;
  double patience_s = 120;
};

void Print(const char* name, double value) { std::printf("%s %.6g\n", name, value); }
void PrintMillis(const char* name, absl::Duration value) { Print(name, absl::ToDoubleMilliseconds(value)); }

absl::StatusOr<std::string> Address(const Flags& flags) {
  if (!flags.address.empty()) return flags.address;
  return common::ReadFile(flags.port_file);
}

absl::Status RunFill(Flags flags) {
  ASSIGN_OR_RETURN(flags.fill.address, Address(flags));
  ASSIGN_OR_RETURN(const FillReport report, Fill(Corpus({.seed = flags.seed}), flags.fill));
  Print("records", static_cast<double>(report.records));
  Print("duplicates", static_cast<double>(report.duplicates));
  Print("records_per_s", static_cast<double>(report.records) / absl::ToDoubleSeconds(report.elapsed));
  PrintMillis("p50_ms", report.p50);
  PrintMillis("p99_ms", report.p99);
  return absl::OkStatus();
}

void PrintSearch(const SearchReport& report) {
  PrintMillis("p50_ms", report.p50);
  PrintMillis("p99_ms", report.p99);
  Print("per_s", report.per_second);
}

absl::Status RunSearch(Flags flags) {
  ASSIGN_OR_RETURN(flags.search.address, Address(flags));
  ASSIGN_OR_RETURN(const SearchReport report, Search(Corpus({.seed = flags.seed}), flags.search));
  PrintSearch(report);
  return absl::OkStatus();
}

absl::Status RunContext(Flags flags) {
  ASSIGN_OR_RETURN(flags.search.address, Address(flags));
  flags.search.run = absl::StrCat(absl::ToUnixMicros(absl::Now()));
  ASSIGN_OR_RETURN(const SearchReport report, MakeContexts(Corpus({.seed = flags.seed}), flags.search));
  PrintSearch(report);
  return absl::OkStatus();
}

// Waits for the port file and for the answer of a Retrieve.
absl::Status RunReady(const Flags& flags) {
  v1::RetrieveRequest request = MakeQuery(Corpus({.seed = flags.seed}), flags.search.attempts, 0);
  const absl::Time deadline = absl::Now() + absl::Seconds(flags.patience_s);
  for (; absl::Now() < deadline; absl::SleepFor(absl::Milliseconds(2))) {
    const absl::StatusOr<std::string> address = Address(flags);
    if (!address.ok() || address->empty()) continue;
    ASSIGN_OR_RETURN(const common::Connection connection, Dial(*address));
    const auto context = connection.Context(deadline - absl::Now());
    v1::RetrieveResponse response;
    if (v1::ExperienceMemory::NewStub(connection.channel())->Retrieve(context.get(), request, &response).ok()) {
      Print("candidates", static_cast<double>(response.candidates()));
      return absl::OkStatus();
    }
  }
  return absl::DeadlineExceededError("the server does not answer");
}

absl::Status RunSeal(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string address, Address(flags));
  ASSIGN_OR_RETURN(const common::Connection connection, Dial(address));
  ASSIGN_OR_RETURN(const v1::SealIndexResponse sealed, SealIndex(connection));
  Print("items", static_cast<double>(sealed.items()));
  Print("segments", static_cast<double>(sealed.segments()));
  Print("seconds", sealed.seconds());
  return absl::OkStatus();
}

absl::Status RunStats(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string address, Address(flags));
  ASSIGN_OR_RETURN(const common::Connection connection, Dial(address));
  ASSIGN_OR_RETURN(const v1::StatsResponse stats, Stats(connection));
  Print("attempts", static_cast<double>(stats.attempts()));
  Print("items", static_cast<double>(stats.items()));
  Print("store_bytes", static_cast<double>(stats.store_bytes()));
  Print("segments", static_cast<double>(stats.segments()));
  Print("unsealed_items", static_cast<double>(stats.unsealed_items()));
  return absl::OkStatus();
}

absl::Status RunVerify(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string address, Address(flags));
  ASSIGN_OR_RETURN(const common::Connection connection, Dial(address));
  ASSIGN_OR_RETURN(const v1::VerifyProgress verified, Verify(connection));
  for (const std::string& difference : verified.differences()) std::cerr << difference << "\n";
  Print("facts", static_cast<double>(verified.facts()));
  Print("equal", verified.equal() ? 1 : 0);
  return absl::OkStatus();
}

}  // namespace
}  // namespace kernelsmith::memory::bench

int main(int argc, char** argv) {
  using namespace kernelsmith::memory::bench;  // NOLINT
  Flags flags;
  CLI::App app("Fills an experience memory with a seeded corpus and measures it.");
  app.require_subcommand(1);
  app.add_option("--address", flags.address, "host:port of the server");
  app.add_option("--port-file", flags.port_file, "File that holds it");
  app.add_option("--seed", flags.seed, "Of the corpus");
  app.add_option("--attempts", flags.search.attempts, "Attempts that the server holds; each has two items");
  app.add_option("--queries", flags.search.queries, "How many");
  app.add_option("--first-query", flags.search.first_query, "Number of the first one");
  app.add_option("--terms", flags.search.terms, "Of a query");
  app.add_option("--clients", flags.search.clients, "Callers at once");
  app.add_option("--preset", flags.search.preset, "Policy");
  app.add_flag("--brief", flags.search.brief, "Items without case, journal and code");

  absl::Status status;
  const auto command = [&](const char* name, const char* help, absl::Status (*run)(Flags)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->fallthrough();
    sub->callback([&flags, &status, run] { status = run(flags); });
    return sub;
  };
  CLI::App* fill = command("fill", "Records attempts [first, last)", RunFill);
  fill->add_option("--first", flags.fill.first);
  fill->add_option("--last", flags.fill.last);
  fill->add_option("--writers", flags.fill.writers, "Connections");
  fill->add_option("--window", flags.fill.window, "Calls that a writer has outstanding");
  fill->add_option("--group", flags.fill.group, "Attempts a call");
  command("search", "Latency and rate of Retrieve", RunSearch);
  command("context", "Latency and rate of AssembleContext", RunContext);
  CLI::App* ready = command("ready", "Waits until a Retrieve is answered", [](Flags f) { return RunReady(f); });
  ready->add_option("--patience", flags.patience_s, "Seconds");
  command("seal", "Seals and merges the search index", [](Flags f) { return RunSeal(f); });
  command("stats", "Counts", [](Flags f) { return RunStats(f); });
  command("verify", "Folds the log again and compares", [](Flags f) { return RunVerify(f); });
  CLI11_PARSE(app, argc, argv);
  if (status.ok()) return 0;
  std::cerr << "memory-load: " << status << "\n";
  return 1;
}
