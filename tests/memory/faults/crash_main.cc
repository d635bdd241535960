// memory-crash: kill -9 of the memory server, and random events through it, at any size. Prints lines `name value`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "tests/memory/faults/crash_scenario.h"
#include "tests/memory/faults/random_events.h"

namespace kernelsmith::memory::testing {
namespace {

void Print(const char* name, int64_t value) { std::printf("%s %lld\n", name, static_cast<long long>(value)); }

void PrintDamage(const std::vector<std::string>& damage) {
  for (const std::string& sentence : damage) std::cerr << sentence << "\n";
  Print("damaged", static_cast<int64_t>(damage.size()));
}

absl::Status Kill(const CrashOptions& options) {
  const absl::StatusOr<CrashOutcome> outcome = RunCrashScenario(options);
  if (!outcome.ok()) return outcome.status();
  Print("kills", outcome->kills);
  Print("kills_while_starting", outcome->kills_while_starting);
  Print("acknowledged", outcome->acknowledged);
  Print("in_flight", outcome->in_flight);
  Print("in_flight_stored", outcome->in_flight_stored);
  Print("verified_equal", outcome->equal ? 1 : 0);
  PrintDamage(outcome->damage);
  return absl::OkStatus();
}

absl::Status Play(const EventOptions& options) {
  const absl::StatusOr<EventOutcome> outcome = RunRandomEvents(options);
  if (!outcome.ok()) return outcome.status();
  Print("accepted", outcome->accepted);
  Print("refused", outcome->refused);
  Print("verified_equal", outcome->equal ? 1 : 0);
  Print("verified_equal_after_kill", outcome->equal_after_kill ? 1 : 0);
  PrintDamage(outcome->damage);
  return absl::OkStatus();
}

}  // namespace
}  // namespace kernelsmith::memory::testing

int main(int argc, char** argv) {
  kernelsmith::memory::testing::CrashOptions crash;
  kernelsmith::memory::testing::EventOptions events;
  crash.tell = [](const std::string& progress) { std::cerr << "  " << progress << "\n"; };
  CLI::App app("kill -9 of the memory server, and random events through it.");
  app.require_subcommand(1);
  app.add_option("--program", crash.program, "kernelsmith-memory")->required();
  app.add_option("--data", crash.data, "Folder of the store")->required();
  app.add_option("--seed", crash.seed, "Of the moments and events");
  CLI::App* kills = app.add_subcommand("kills", "Kills it while it records and seals")->fallthrough();
  kills->add_option("--attempts", crash.attempts, "Of the corpus, recorded first if they are not there");
  kills->add_option("--kills", crash.kills, "How many");
  kills->add_option("--seal-after", crash.seal_after, "Items that wait before they are sealed");
  CLI::App* random = app.add_subcommand("events", "Random events of four clients of two teams")->fallthrough();
  random->add_option("--events", events.events, "How many");
  CLI11_PARSE(app, argc, argv);
  events.program = crash.program;
  events.data = crash.data;
  events.seed = crash.seed;
  const absl::Status status =
      *random ? kernelsmith::memory::testing::Play(events) : kernelsmith::memory::testing::Kill(crash);
  if (status.ok()) return 0;
  std::cerr << "memory-crash: " << status << "\n";
  return 1;
}
