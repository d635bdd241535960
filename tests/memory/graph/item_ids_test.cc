#include "memory/graph/item_ids.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

TEST(ItemIds, AreFunctionsOfTheCallersIds) {
  EXPECT_EQ(CaseItemId("local", "coordinator-1", "job-7/3"), CaseItemId("local", "coordinator-1", "job-7/3"));
  EXPECT_NE(CaseItemId("local", "coordinator-1", "job-7/3"), CaseItemId("local", "coordinator-1", "job-7/4"));
  EXPECT_NE(CaseItemId("a", "bc", "d"), CaseItemId("ab", "c", "d")) << "no shift of bytes between fields";
}

TEST(ItemIds, TurnIntoKeysAndBack) {
  for (const std::string& id : {CaseItemId("t", "p", "1"), JournalItemId("t", "p", "1"), ContentItemId("t", "p", "1"),
                                SharedItemId("t", "case-1"), RetrievalId("t", "p", "1"), QuestionId("t", "p", "1")}) {
    const std::optional<IdKey> key = ParseId(id);
    ASSERT_TRUE(key.has_value()) << id;
    EXPECT_EQ(FormatId(*key), id);
    EXPECT_EQ(ParseOrHashId(id), *key);
  }
}

TEST(ItemIds, ShareTheirBitsAcrossWhatOneAttemptMakes) {
  IdKey key = KeyOf(IdKind::kCase, "t", "p", "1");
  EXPECT_EQ(FormatId(key), CaseItemId("t", "p", "1"));
  key.kind = IdKind::kRetrieval;
  EXPECT_EQ(FormatId(key), RetrievalId("t", "p", "1"));
}

TEST(ItemIds, RefuseTextsThatAreNone) {
  for (const char* text : {"", "case-", "case-0123", "case-0123456789abcdef012G", "case-0123456789ABCDEF0123",
                           "Case-0123456789abcdef0123", "case-0123456789abcdef01234", "foreign-0123456789abcdef0123"}) {
    EXPECT_FALSE(ParseId(text).has_value()) << text;
    EXPECT_EQ(ParseOrHashId(text).kind, IdKind::kForeign);
  }
  EXPECT_NE(ParseOrHashId("x"), ParseOrHashId("y"));
}

}  // namespace
}  // namespace kernelsmith::memory
