#include "memory/log/store_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/log/store_check.h"
#include "tests/memory/log/facts.h"

namespace kernelsmith::memory {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kFactCount = 400;
constexpr int kBatch = 10;

// Hardly compressible, so that a table has many blocks.
std::string RandomCode(std::mt19937_64& random) {
  std::string code;
  while (code.size() < 2000) absl::StrAppend(&code, random(), ";");
  return code;
}

class StoreRepairTest : public ::testing::Test {
 protected:
  StoreRepairTest() {
    std::mt19937_64 random(5);
    const auto store = *FactStore::Open(damaged_);
    for (int first = 1; first <= kFactCount; first += kBatch) {
      std::vector<Fact> facts;
      std::vector<Fact*> pointers;
      for (int i = first; i < first + kBatch; ++i) {
        Fact& fact = facts.emplace_back(testing::AttemptFact(i % 4 == 0 ? "b" : "a", std::to_string(i)));
        fact.mutable_attempt()->mutable_case_()->set_code_after(RandomCode(random));
      }
      for (Fact& fact : facts) pointers.push_back(&fact);
      store->Append(pointers);
    }
    for (const Fact& fact : All(*store)) original_[fact.sequence()] = fact.DebugString();
  }

  static std::vector<Fact> All(const FactStore& store) {
    std::vector<Fact> facts;
    EXPECT_TRUE(store
                    .Scan(0,
                          [&](const Fact& fact) {
                            facts.push_back(fact);
                            return absl::OkStatus();
                          })
                    .ok());
    return facts;
  }

  // Brings everything from memory into tables.
  void Flush() const {
    const auto store = *FactStore::Open(damaged_);
    for (const size_t family : {kFacts, kIdempotency, kHeads}) {
      ASSERT_TRUE(store->rocks().db().Flush({}, store->rocks().family(family)).ok());
    }
  }

  fs::path Largest(const std::string& extension) const {
    fs::path largest;
    for (const fs::directory_entry& file : fs::directory_iterator(damaged_)) {
      if (file.path().extension() != extension) continue;
      if (largest.empty() || file.file_size() > fs::file_size(largest)) largest = file.path();
    }
    return largest;
  }

  static void Overwrite(const fs::path& file, uintmax_t place, size_t bytes) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(place));
    stream << std::string(bytes, '\x55');
  }

  // Repairs, and holds the new store against what was written: every fact is there unchanged or listed as lost.
  RepairReport Repair() {
    const absl::StatusOr<RepairReport> report = RepairStore(damaged_, Target());
    EXPECT_TRUE(report.ok()) << report.status();
    if (!report.ok()) return {};
    const auto store = *FactStore::Open(Target());
    EXPECT_THAT(CheckStore(store->rocks(), [](uint64_t) {})->differences, IsEmpty());
    std::set<uint64_t> lost;
    for (const LostFact& fact : report->lost) lost.insert(fact.sequence);
    uint64_t salvaged = 0;
    for (const Fact& fact : All(*store)) {
      EXPECT_EQ(fact.DebugString(), original_[fact.sequence()]);
      EXPECT_FALSE(lost.contains(fact.sequence()));
      ++salvaged;
    }
    EXPECT_EQ(report->salvaged, salvaged);
    return *report;
  }

  std::string Target() const { return folder_.path() + "/salvaged"; }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("store-repair");
  const std::string damaged_ = folder_.path() + "/store";
  std::map<uint64_t, std::string> original_;
};

TEST_F(StoreRepairTest, CopiesASoundStoreWhole) {
  const RepairReport report = Repair();
  EXPECT_EQ(report.salvaged, kFactCount);
  EXPECT_EQ(report.last_sequence, kFactCount);
  EXPECT_THAT(report.lost, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_THAT(RepairText(report), HasSubstr("nothing below that number is missing"));
}

TEST_F(StoreRepairTest, IsNeededWhereABlockOfATableIsDamaged) {
  Flush();
  const fs::path table = Largest(".sst");
  Overwrite(table, fs::file_size(table) / 2, 40);
  const auto open = FactStore::Open(damaged_);
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ((*open)->Scan(0, [](const Fact&) { return absl::OkStatus(); }).code(), absl::StatusCode::kDataLoss);
}

TEST_F(StoreRepairTest, NamesWhatADamagedBlockHeld) {
  Flush();
  const fs::path table = Largest(".sst");
  Overwrite(table, fs::file_size(table) / 2, 40);
  const RepairReport report = Repair();
  EXPECT_GT(report.lost.size(), 0u);
  EXPECT_LT(report.lost.size(), 20u);
  EXPECT_EQ(report.salvaged + report.lost.size(), static_cast<size_t>(kFactCount));
  EXPECT_THAT(report.lost.front().key, HasSubstr("attempt coordinator-1 "));
  EXPECT_THAT(RepairText(report), HasSubstr(absl::StrCat("lost: number ", report.lost.front().sequence)));
}

TEST_F(StoreRepairTest, SalvagesAroundDamageInTheWriteAheadLog) {
  const fs::path log = Largest(".log");
  Overwrite(log, fs::file_size(log) / 2, 40);
  ASSERT_EQ(FactStore::Open(damaged_).status().code(), absl::StatusCode::kDataLoss);
  const RepairReport report = Repair();
  EXPECT_GT(report.salvaged, kFactCount / 2 - 20u);
  EXPECT_THAT(report.notes, ::testing::Not(IsEmpty()));
}

TEST_F(StoreRepairTest, SalvagesAStoreWithoutAManifest) {
  Flush();
  for (const fs::directory_entry& file : fs::directory_iterator(damaged_)) {
    if (absl::StartsWith(file.path().filename().string(), "MANIFEST")) fs::remove(file.path());
  }
  ASSERT_FALSE(FactStore::Open(damaged_).ok());
  EXPECT_EQ(Repair().salvaged, kFactCount);
}

TEST_F(StoreRepairTest, ListsEveryFactOfATableThatIsGone) {
  Flush();
  fs::remove(Largest(".sst"));
  ASSERT_FALSE(FactStore::Open(damaged_).ok());
  const RepairReport report = Repair();
  EXPECT_EQ(report.lost.size(), static_cast<size_t>(kFactCount));
}

TEST_F(StoreRepairTest, RefusesAStoreInUseATargetInUseAndNoStoreAtAll) {
  {
    const auto open = *FactStore::Open(damaged_);
    EXPECT_EQ(RepairStore(damaged_, Target()).status().code(), absl::StatusCode::kUnavailable);
  }
  EXPECT_EQ(RepairStore(damaged_, damaged_).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(RepairStore(folder_.path() + "/nothing", Target()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreRepairTest, ChangesNothingInTheDamagedFolder) {
  Flush();
  std::map<std::string, std::string> before;
  for (const fs::directory_entry& file : fs::directory_iterator(damaged_)) {
    before[file.path().filename().string()] = *common::ReadFile(file.path().string());
  }
  Repair();
  for (const auto& [name, content] : before) {
    EXPECT_EQ(*common::ReadFile(damaged_ + "/" + name), content) << name;
  }
}

}  // namespace
}  // namespace kernelsmith::memory
