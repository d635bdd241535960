// The memory's fact log: durable appends by one and by many writers, reading the heads at a start, reading the facts of
// a reply. Records are about 3 KB: code before and after, a journal, diagnostics.
//
//   memory_log_bench --benchmark_filter=Append
//
// TMPDIR decides the disk.
#include <benchmark/benchmark.h>

#include <atomic>
#include <random>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/log/commit_queue.h"

namespace kernelsmith::memory {
namespace {

constexpr char kProducer[] = "coordinator-1";
constexpr int kScannedFacts = 200'000;
constexpr int kBatch = 512;

// Lines of code that compress about as well as real ones.
std::string Code(std::mt19937_64& random, size_t bytes) {
  static constexpr const char* kWords[] = {"DataCopy",
                                           "pipe.AllocTensor<float>",
                                           "LocalTensor<half>",
                                           "for (int i = 0",
                                           "tile_length",
                                           "blockIdx",
                                           "Muls",
                                           "Adds",
                                           "ReduceMax",
                                           "SyncAll",
                                           "auto",
                                           "queue.EnQue",
                                           "queue.DeQue",
                                           "const int64_t",
                                           "srcLocal",
                                           "dstLocal"};
  std::string code;
  while (code.size() < bytes) {
    absl::StrAppend(&code, "  ", kWords[random() % 16], "(", kWords[random() % 16], "_", random() % 1000, ", ",
                    kWords[random() % 16], ");\n");
  }
  return code;
}

Fact MakeFact(const std::string& id, std::mt19937_64& random) {
  Fact fact;
  fact.set_team("local");
  fact.set_idempotency_key(FactKeyOf("attempt", kProducer, id));
  fact.set_content_sha256(std::string(64, 'a'));
  v1::RecordAttemptRequest& attempt = *fact.mutable_attempt();
  attempt.set_producer(kProducer);
  attempt.set_attempt_id(id);
  attempt.mutable_target()->set_architecture("ascend-a2");
  attempt.mutable_target()->set_soc("Ascend910B3");
  attempt.mutable_target()->set_toolchain("cann 8.5.0");
  attempt.mutable_author()->set_kind("chat");
  v1::Case& source = *attempt.mutable_case_();
  source.set_operator_name(absl::StrCat("operator-", random() % 100));
  source.set_family("row_reduction");
  source.set_status(v1::PASSED);
  source.set_latency_us(static_cast<double>(random() % 1000));
  source.set_speedup(1.25);
  source.set_session(absl::StrCat("job-", random() % 1000));
  source.mutable_thought()->set_id("double-buffer");
  source.mutable_thought()->set_title("copy while computing");
  source.set_code_before(Code(random, 1000));
  source.set_code_after(Code(random, 1000));
  source.set_feedback(Code(random, 200));
  attempt.mutable_journal()->set_change(Code(random, 500));
  return fact;
}

struct Store {
  const common::TemporaryFolder folder = *common::TemporaryFolder::Make("memory-log-bench");
  const std::unique_ptr<FactStore> facts = *FactStore::Open(folder.path());
};

// One store and queue for all threads of a run.
struct Shared {
  Store store;
  CommitQueue queue{*store.facts, [](const Fact& fact) { benchmark::DoNotOptimize(fact.sequence()); }};
  std::atomic<int64_t> next = 0;
};
std::unique_ptr<Shared> shared;

void AppendByWriters(benchmark::State& state) {
  std::mt19937_64 random(static_cast<uint64_t>(state.thread_index()) + 1);
  const Fact sample = MakeFact("sample", random);
  for (auto step : state) {
    Fact fact = sample;
    const std::string id = absl::StrCat("attempt-", shared->next++);
    fact.mutable_attempt()->set_attempt_id(id);
    fact.set_idempotency_key(FactKeyOf("attempt", kProducer, id));
    const AppendResult result = shared->queue.Commit(std::move(fact));
    if (!result.status.ok()) state.SkipWithError(std::string(result.status.message()).c_str());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(AppendByWriters)
    ->Setup([](const benchmark::State&) { shared = std::make_unique<Shared>(); })
    ->Teardown([](const benchmark::State&) { shared.reset(); })
    ->Threads(1)
    ->Threads(16)
    ->Threads(64)
    ->MinTime(3)
    ->UseRealTime();

// A store of kScannedFacts, made once.
Store& Filled() {
  static Store* const filled = [] {
    auto* store = new Store;
    std::mt19937_64 random(7);
    for (int first = 0; first < kScannedFacts; first += kBatch) {
      std::vector<Fact> facts;
      std::vector<Fact*> pointers;
      for (int i = first; i < std::min(first + kBatch, kScannedFacts); ++i) {
        facts.push_back(MakeFact(absl::StrCat("attempt-", i), random));
      }
      for (Fact& fact : facts) pointers.push_back(&fact);
      store->facts->Append(pointers);
    }
    return store;
  }();
  return *filled;
}

void ScanHeads(benchmark::State& state) {
  Store& store = Filled();
  int64_t facts = 0;
  for (auto step : state) {
    const absl::Status status = store.facts->ScanHeads(0, [&](const Fact&) {
      ++facts;
      return absl::OkStatus();
    });
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
  }
  state.SetItemsProcessed(facts);
}
BENCHMARK(ScanHeads)->Unit(benchmark::kMillisecond)->UseRealTime();

void ScanFacts(benchmark::State& state) {
  Store& store = Filled();
  int64_t facts = 0;
  for (auto step : state) {
    const absl::Status status = store.facts->Scan(0, [&](const Fact&) {
      ++facts;
      return absl::OkStatus();
    });
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
  }
  state.SetItemsProcessed(facts);
}
BENCHMARK(ScanFacts)->Unit(benchmark::kMillisecond)->UseRealTime();

// Ten facts of a reply; `distinct` different replies decide whether their blocks are warm.
void ReadTen(benchmark::State& state) {
  Store& store = Filled();
  const int64_t distinct = state.range(0);
  std::mt19937_64 random(3);
  std::vector<std::vector<uint64_t>> replies(static_cast<size_t>(distinct));
  for (auto& reply : replies) {
    for (int i = 0; i < 10; ++i) reply.push_back(1 + random() % kScannedFacts);
  }
  size_t next = 0;
  for (auto step : state) {
    const auto facts = store.facts->ReadMany("local", replies[next++ % replies.size()]);
    if (!facts.ok()) state.SkipWithError(std::string(facts.status().message()).c_str());
  }
}
BENCHMARK(ReadTen)->Arg(100)->Arg(20'000)->Unit(benchmark::kMicrosecond);

void PrepareOne(benchmark::State& state) {
  std::mt19937_64 random(5);
  const Fact fact = MakeFact("one", random);
  size_t bytes = 0;
  for (auto step : state) {
    const PreparedFact prepared = PrepareFact(fact);
    bytes = prepared.head.bytes.size();
  }
  state.counters["fact_bytes"] = static_cast<double>(fact.ByteSizeLong());
  state.counters["head_bytes"] = static_cast<double>(bytes);
}
BENCHMARK(PrepareOne)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace kernelsmith::memory
