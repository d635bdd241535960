#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/knowledge/cold_documents.h"

namespace kernelsmith::server {
namespace {

using ::testing::HasSubstr;

v1::AssembleContextResponse ContextOf(int64_t budget, int64_t used) {
  v1::AssembleContextResponse context;
  context.set_budget_tokens(budget);
  context.set_required_tokens(used);
  context.set_used_tokens(used);
  for (const auto& [name, tier] :
       {std::pair("specification", v1::REQUIRED), std::pair("case", v1::WARM), std::pair("feedback", v1::REQUIRED)}) {
    v1::ContextBlock& block = *context.add_blocks();
    block.set_name(name);
    block.set_tier(tier);
  }
  v1::ItemDecision& decision = *context.add_decisions();
  decision.set_item_id("case");
  decision.set_included(true);
  decision.set_position(1);
  return context;
}

std::vector<std::string> Names(const v1::AssembleContextResponse& context) {
  std::vector<std::string> names;
  for (const v1::ContextBlock& block : context.blocks()) names.push_back(block.name());
  return names;
}

const std::vector<Document> kTwo = {{"document-1", "One", std::string(300, 'a')},
                                    {"document-2", "Two", std::string(3000, 'b')}};

TEST(Knowledge, ThereAreThreeDocumentsForAscendAndNoneForTheCpu) {
  const std::vector<Document>& documents = DocumentsFor("ascend");
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_TRUE(DocumentsFor("cpu").empty());
  std::set<std::string> ids;
  for (const Document& document : documents) {
    EXPECT_THAT(document.id, HasSubstr("document-"));
    EXPECT_FALSE(document.title.empty());
    ids.insert(document.id);
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_THAT(documents[1].text, HasSubstr("ks_add_launch"));
}

TEST(ColdDocuments, StandBehindTheSpecification) {
  v1::AssembleContextResponse context = ContextOf(100'000, 1000);
  AddColdDocuments(kTwo, &context);
  EXPECT_EQ(Names(context), (std::vector<std::string>{"specification", "One", "Two", "case", "feedback"}));
  EXPECT_EQ(context.blocks(1).tier(), v1::COLD);
  EXPECT_EQ(context.blocks(1).item_id(), "document-1");
  EXPECT_EQ(context.used_tokens(), 1000 + 100 + 1000);
  EXPECT_EQ(context.decisions(0).position(), 3);
  EXPECT_TRUE(context.decisions(1).included());
}

TEST(ColdDocuments, AreNotItemsSoThatNoAdoptionIsAskedFor) {
  v1::AssembleContextResponse context = ContextOf(100'000, 1000);
  AddColdDocuments(kTwo, &context);
  EXPECT_TRUE(context.items().empty());
}

TEST(ColdDocuments, AddingThemTwiceChangesNothing) {
  v1::AssembleContextResponse once = ContextOf(100'000, 1000);
  AddColdDocuments(kTwo, &once);
  v1::AssembleContextResponse twice = once;
  AddColdDocuments(kTwo, &twice);
  EXPECT_EQ(once.SerializeAsString(), twice.SerializeAsString());
}

TEST(ColdDocuments, TakeAQuarterOfWhatIsFreeAndOnlyWhole) {
  v1::AssembleContextResponse context = ContextOf(2000, 1000);  // a quarter of 1000 tokens
  AddColdDocuments(kTwo, &context);
  EXPECT_EQ(Names(context), (std::vector<std::string>{"specification", "One", "case", "feedback"}));
  ASSERT_EQ(context.decisions_size(), 3);
  EXPECT_FALSE(context.decisions(2).included());
  EXPECT_THAT(context.decisions(2).reason(), HasSubstr("does not fit"));
}

TEST(ColdDocuments, OfADocumentThatIsTooLongTheSectionsThatFitAreTaken) {
  const std::string text = "# Guide\n\n## A\n\n" + std::string(200, 'a') + "\n\n## B\n\n" + std::string(3000, 'b') +
                           "\n\n## C\n\n" + std::string(200, 'c') + "\n";
  v1::AssembleContextResponse context = ContextOf(2000, 1000);
  AddColdDocuments({{"document-1", "Guide", text}}, &context);
  EXPECT_EQ(Names(context), (std::vector<std::string>{"specification", "Guide: A", "Guide: C", "case", "feedback"}));
  ASSERT_EQ(context.decisions_size(), 5);  // case, the document, A, B, C
  EXPECT_FALSE(context.decisions(1).included());
  EXPECT_EQ(context.decisions(2).item_id(), "document-1-1");
  EXPECT_TRUE(context.decisions(2).included());
  EXPECT_FALSE(context.decisions(3).included());
  EXPECT_TRUE(IsDocument(context.decisions(4).item_id()));
  EXPECT_LE(context.used_tokens(), 1000 + 250);
  const v1::AssembleContextResponse once = context;
  AddColdDocuments({{"document-1", "Guide", text}}, &context);
  EXPECT_EQ(context.SerializeAsString(), once.SerializeAsString());
}

TEST(ColdDocuments, AFullPromptHasNone) {
  v1::AssembleContextResponse context = ContextOf(1000, 1000);
  AddColdDocuments(kTwo, &context);
  EXPECT_EQ(context.blocks_size(), 3);
}

}  // namespace
}  // namespace kernelsmith::server
