// A target without libFuzzer: runs its seeds, then changed ones for a while; or writes the seeds for libFuzzer, or runs
// saved inputs again.
//
//   fuzz_memory_calls 3                  three seconds, 0 seeds alone
//   fuzz_memory_calls --seeds folder     writes each seed as a file
//   fuzz_memory_calls crash-1234         runs this input
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/message_mutator.h"

namespace kernelsmith::fuzz {
namespace {

constexpr int kMostChanges = 20;  // of one seed

void WriteSeeds(const Target& target, const std::string& folder) {
  int number = 0;
  for (const auto& seed : target.Seeds()) {
    std::ofstream(absl::StrCat(folder, "/seed-", number++), std::ios::binary) << seed->SerializeAsString();
  }
}

int RunFile(Target& target, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto input = target.Empty();
  if (!input->ParseFromString(bytes)) return 2;
  target.Run(*input);
  return 0;
}

void RunFor(Target& target, absl::Duration time) {
  const auto seeds = target.Seeds();
  for (const auto& seed : seeds) target.Run(*seed);
  Chance chance(1);
  int64_t runs = static_cast<int64_t>(seeds.size());
  for (const absl::Time end = absl::Now() + time; absl::Now() < end; ++runs) {
    const auto input = target.Empty();
    input->CopyFrom(*seeds[chance() % seeds.size()]);
    for (auto changes = 1 + chance() % kMostChanges; changes > 0; --changes) MutateMessage(*input, chance, MutateBytes);
    target.Run(*input);
  }
  std::cout << runs << " inputs\n";
}

}  // namespace
}  // namespace kernelsmith::fuzz

int main(int argc, char** argv) {
  using namespace kernelsmith::fuzz;  // NOLINT
  const auto target = MakeTarget();
  const std::string first = argc > 1 ? argv[1] : "3";
  if (first == "--seeds" && argc > 2) {
    WriteSeeds(*target, argv[2]);
    return 0;
  }
  char* end = nullptr;
  const double seconds = std::strtod(first.c_str(), &end);
  if (*end != '\0') return RunFile(*target, first);
  RunFor(*target, absl::Seconds(seconds));
  return 0;
}
