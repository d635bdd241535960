#include "memory/log/store_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "tests/memory/log/facts.h"

namespace kernelsmith::memory {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreCheckTest : public ::testing::Test {
 protected:
  StoreCheckTest() {
    for (int i = 1; i <= 10; ++i) testing::Append(*store_, testing::AttemptFact("a", std::to_string(i)));
  }
  std::vector<std::string> Differences() {
    return CheckStore(store_->rocks(), [](uint64_t) {})->differences;
  }
  rocksdb::DB& db() { return store_->rocks().db(); }
  rocksdb::ColumnFamilyHandle* family(size_t index) { return store_->rocks().family(index); }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("store-check");
  const std::unique_ptr<FactStore> store_ = *FactStore::Open(folder_.path());
};

TEST_F(StoreCheckTest, FindsNothingInASoundStore) {
  EXPECT_THAT(Differences(), IsEmpty());
  EXPECT_EQ(CheckStore(store_->rocks(), [](uint64_t) {})->facts, 10u);
}

TEST_F(StoreCheckTest, FindsNothingInFactsWithMapsWhoseEntriesHaveNoOrder) {
  for (int i = 1; i <= 20; ++i) {
    Fact fact = testing::AttemptFact("b", std::to_string(i));
    auto& parameters = *fact.mutable_attempt()->mutable_case_()->mutable_thought()->mutable_parameters();
    for (int key = 0; key < 9; ++key) parameters[absl::StrCat("p", key * i)] = absl::StrCat(key);
    testing::Append(*store_, fact);
  }
  EXPECT_THAT(Differences(), IsEmpty());
}

TEST_F(StoreCheckTest, NamesADamagedFactAndStillChecksTheRest) {
  ASSERT_TRUE(db().Put({}, family(kFacts), FactKey("a", 3), "damage").ok());
  ASSERT_TRUE(db().Delete({}, family(kHeads), FactKey("a", 7)).ok());
  EXPECT_THAT(Differences(),
              AllOf(Contains(HasSubstr("number 3 of team 'a'")), Contains(HasSubstr("there is no head of number 7"))));
}

TEST_F(StoreCheckTest, NamesAHeadThatSaysSomethingElse) {
  std::string other;
  ASSERT_TRUE(db().Get({}, family(kHeads), FactKey("a", 4), &other).ok());
  ASSERT_TRUE(db().Put({}, family(kHeads), FactKey("a", 5), other).ok());
  EXPECT_THAT(Differences(), Contains(HasSubstr("the head differs from its fact: number 5")));
}

TEST_F(StoreCheckTest, NamesAHeadWithoutAFact) {
  std::string head;
  ASSERT_TRUE(db().Get({}, family(kHeads), FactKey("a", 4), &head).ok());
  ASSERT_TRUE(db().Put({}, family(kHeads), FactKey("a", 11), head).ok());
  EXPECT_THAT(Differences(), Contains(HasSubstr("a head has no fact: number 11")));
}

TEST_F(StoreCheckTest, NamesAMissingIdempotencyKey) {
  const std::string key = IdempotencyKey("a", FactKeyOf("attempt", testing::kProducer, "6"));
  ASSERT_TRUE(db().Delete({}, family(kIdempotency), key).ok());
  EXPECT_THAT(Differences(), AllOf(Contains(HasSubstr("the idempotency key of number 6")),
                                   Contains(HasSubstr("9 idempotency keys stand beside 10 facts"))));
}

}  // namespace
}  // namespace kernelsmith::memory
