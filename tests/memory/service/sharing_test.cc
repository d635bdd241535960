// Items that are no attempts, what happens to them, and who sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

using testing::Call;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Stub = v1::ExperienceMemory::Stub;

constexpr char kRed[] = "token-red";
constexpr char kBlue[] = "token-blue";
constexpr char kGreen[] = "token-green";

v1::RecordItemRequest Insight(const std::string& key, const std::string& text) {
  v1::RecordItemRequest request;
  request.set_producer("notes");
  request.set_item_key(key);
  request.mutable_content()->set_kind(v1::INSIGHT);
  request.mutable_content()->set_title(absl::StrCat("About ", key));
  request.mutable_content()->set_text(text);
  request.mutable_content()->set_trust("user");
  return request;
}

class SharingTest : public ::testing::Test {
 protected:
  v1::RecordItemResponse Record(const v1::RecordItemRequest& request, const std::string& token = kRed) {
    const auto response = Call(*stub_, &Stub::RecordItem, request, token);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.value_or(v1::RecordItemResponse());
  }
  std::vector<std::string> Find(const std::string& query, const std::string& token = kRed,
                                const std::string& producer = "") {
    v1::RetrieveRequest request;
    request.set_query(query);
    request.set_producer(producer);
    const auto response = Call(*stub_, &Stub::Retrieve, request, token);
    EXPECT_TRUE(response.ok()) << response.status();
    std::vector<std::string> ids;
    for (const v1::RankedItem& item : response->items()) ids.push_back(item.item().id());
    return ids;
  }
  absl::StatusOr<v1::Item> Get(const std::string& id, const std::string& token = kRed,
                               const std::string& producer = "") {
    v1::GetItemRequest request;
    request.set_item_id(id);
    request.set_producer(producer);
    auto response = Call(*stub_, &Stub::GetItem, request, token);
    if (!response.ok()) return response.status();
    return response->item();
  }
  absl::StatusOr<v1::PromoteResponse> Promote(const std::string& id, const std::vector<std::string>& teams,
                                              const std::string& token = kRed) {
    v1::PromoteRequest request;
    request.set_item_id(id);
    for (const std::string& team : teams) request.add_teams(team);
    request.set_reason("helps all");
    return Call(*stub_, &Stub::Promote, request, token);
  }
  absl::Status Revoke(const std::string& id, const std::string& token = kRed) {
    v1::RevokeRequest request;
    request.set_shared_item_id(id);
    request.set_reason("was wrong");
    return Call(*stub_, &Stub::Revoke, request, token).status();
  }
  absl::StatusOr<v1::LifecycleResponse> Retire(const std::string& id, const std::string& reason = "outdated") {
    v1::RetireRequest request;
    request.set_item_id(id);
    request.set_reason(reason);
    return Call(*stub_, &Stub::Retire, request, kRed);
  }
  absl::StatusOr<v1::LifecycleResponse> Supersede(const std::string& old_id, const std::string& new_id) {
    v1::SupersedeRequest request;
    request.set_old_item_id(old_id);
    request.set_new_item_id(new_id);
    request.set_reason("newer toolchain");
    return Call(*stub_, &Stub::Supersede, request, kRed);
  }

  testing::MemoryServer server_{{{kRed, "red", "submit"}, {kBlue, "blue", "submit"}, {kGreen, "green", "submit"}}};
  const std::unique_ptr<Stub> stub_ = server_.Stub();
};

TEST_F(SharingTest, AnInsightIsRecordedOnceAndFound) {
  const auto request = Insight("banks", "Pad rows of the unified buffer to avoid bank conflicts.");
  const v1::RecordItemResponse first = Record(request);
  EXPECT_FALSE(first.duplicate());
  EXPECT_TRUE(Record(request).duplicate());
  EXPECT_THAT(Find("bank conflicts"), ElementsAre(first.item_id()));
  const auto item = Get(first.item_id());
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->kind(), v1::INSIGHT);
  EXPECT_EQ(item->text(), "Pad rows of the unified buffer to avoid bank conflicts.");
  EXPECT_EQ(item->trust(), "user");
  EXPECT_EQ(item->author().team(), "red");
  auto other = request;
  other.mutable_content()->set_text("Something else altogether.");
  EXPECT_EQ(Call(*stub_, &Stub::RecordItem, other, kRed).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(SharingTest, ANearDuplicateIsTurnedAway) {
  const std::string text =
      "Pad the rows of the unified buffer by one block of thirty-two bytes so that neighbouring rows fall into "
      "different "
      "banks and the vector unit reads them without a conflict.";
  const v1::RecordItemResponse first = Record(Insight("one", text));
  auto again = Insight("two", text + " ");
  *again.mutable_content()->mutable_title() = "About one";
  const v1::RecordItemResponse second = Record(again);
  EXPECT_EQ(second.near_duplicate_of(), first.item_id());
  EXPECT_EQ(second.item_id(), first.item_id());
  EXPECT_THAT(Find("unified buffer banks"), ElementsAre(first.item_id()));
  EXPECT_EQ(Call(*stub_, &Stub::Stats, v1::StatsRequest(), kRed)->near_duplicates(), 1);
}

TEST_F(SharingTest, RefusesItemsThatAreNone) {
  auto no_text = Insight("a", " ");
  auto no_title = Insight("a", "text");
  no_title.mutable_content()->clear_title();
  auto no_kind = Insight("a", "text");
  no_kind.mutable_content()->set_kind(v1::CASE);
  auto no_key = Insight("", "text");
  auto no_name = Insight("a", "text");
  no_name.mutable_content()->set_kind(v1::API_TEMPLATE);
  auto shared = Insight("a", "text");
  shared.set_scope(v1::SHARED);
  const std::pair<v1::RecordItemRequest, const char*> rows[] = {{no_text, "content.text"}, {no_title, "content.title"},
                                                                {no_kind, "content.kind"}, {no_key, "item_key"},
                                                                {no_name, "content.name"}, {shared, "scope"}};
  for (const auto& [request, field] : rows) {
    const absl::Status status = Call(*stub_, &Stub::RecordItem, request, kRed).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_THAT(std::string(status.message()), HasSubstr(field));
  }
  EXPECT_EQ(Call(*stub_, &Stub::Stats, v1::StatsRequest(), kRed)->items(), 0);
}

TEST_F(SharingTest, ARetiredItemIsReadableAndNotRetrieved) {
  const std::string id = Record(Insight("banks", "bank conflicts cost cycles")).item_id();
  ASSERT_TRUE(Retire(id).ok());
  EXPECT_THAT(Find("bank conflicts"), IsEmpty());
  EXPECT_TRUE(Get(id)->lifecycle().retired());
  EXPECT_EQ(Get(id)->lifecycle().reason(), "outdated");
  EXPECT_TRUE(Retire(id)->duplicate());
  EXPECT_EQ(Retire(id, "another reason").status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Retire("item-00000000000000000000").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Retire(id, " ").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Call(*stub_, &Stub::Stats, v1::StatsRequest(), kRed)->retired_items(), 1);
}

TEST_F(SharingTest, ANewerItemTakesThePlaceOfAnOlderOne) {
  const std::string old_id = Record(Insight("old", "DataCopy needs blocks of 32 bytes")).item_id();
  const std::string new_id =
      Record(Insight("new", "DataCopyPad copies any number of bytes, DataCopy whole blocks")).item_id();
  ASSERT_TRUE(Supersede(old_id, new_id).ok());
  EXPECT_THAT(Find("DataCopy bytes"), ElementsAre(new_id));
  EXPECT_EQ(Get(old_id)->lifecycle().superseded_by(), new_id);
  EXPECT_THAT(Get(new_id)->lifecycle().supersedes(), ElementsAre(old_id));
  EXPECT_TRUE(Supersede(old_id, new_id)->duplicate());
  EXPECT_EQ(Supersede(new_id, old_id).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Supersede(old_id, old_id).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(SharingTest, APrivateItemIsItsProducersAlone) {
  auto request = Insight("draft", "half a thought about tiling");
  request.set_scope(v1::PRIVATE);
  const std::string id = Record(request).item_id();
  EXPECT_THAT(Find("tiling"), IsEmpty());
  EXPECT_THAT(Find("tiling", kRed, "somebody"), IsEmpty());
  EXPECT_THAT(Find("tiling", kRed, "notes"), ElementsAre(id));
  EXPECT_EQ(Get(id).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(Get(id, kRed, "notes").ok());
  EXPECT_EQ(Promote(id, {}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SharingTest, APromotedItemIsSeenByAllAndGoneAtOnceWhenRevoked) {
  const std::string id = Record(Insight("banks", "bank conflicts cost cycles")).item_id();
  EXPECT_THAT(Find("bank conflicts", kBlue), IsEmpty());
  const auto promoted = Promote(id, {});
  ASSERT_TRUE(promoted.ok()) << promoted.status();
  const std::string& shared = promoted->shared_item_id();
  EXPECT_THAT(Find("bank conflicts", kBlue), ElementsAre(shared));
  EXPECT_THAT(Find("bank conflicts", kRed), ElementsAre(id)) << "its own team has the original";
  const auto item = Get(shared, kBlue);
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->provenance().team(), "red");
  EXPECT_EQ(item->provenance().item_id(), id);
  EXPECT_EQ(item->provenance().reason(), "helps all");
  EXPECT_EQ(item->scope(), v1::SHARED);
  EXPECT_EQ(item->text(), "bank conflicts cost cycles");
  EXPECT_EQ(Call(*stub_, &Stub::Stats, v1::StatsRequest(), kBlue)->shared_items(), 1);
  EXPECT_TRUE(Promote(id, {})->duplicate());

  EXPECT_EQ(Revoke(shared, kBlue).code(), absl::StatusCode::kNotFound) << "only who promoted it may";
  ASSERT_TRUE(Revoke(shared).ok());
  EXPECT_THAT(Find("bank conflicts", kBlue), IsEmpty());
  EXPECT_EQ(Get(shared, kBlue).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Find("bank conflicts", kRed), ElementsAre(id));
  EXPECT_EQ(Promote(id, {}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SharingTest, APromotionToNamedTeamsReachesThemAlone) {
  const std::string id = Record(Insight("banks", "bank conflicts cost cycles")).item_id();
  const auto promoted = Promote(id, {"blue"});
  ASSERT_TRUE(promoted.ok());
  EXPECT_THAT(Find("bank conflicts", kBlue), ElementsAre(promoted->shared_item_id()));
  EXPECT_THAT(Find("bank conflicts", kGreen), IsEmpty());
  EXPECT_EQ(Get(promoted->shared_item_id(), kGreen).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SharingTest, AnotherTeamsItemIsNobodysToChange) {
  const std::string id = Record(Insight("banks", "bank conflicts cost cycles")).item_id();
  EXPECT_EQ(Promote(id, {}, kBlue).status().code(), absl::StatusCode::kNotFound);
  v1::RetireRequest retire;
  retire.set_item_id(id);
  retire.set_reason("mine now");
  EXPECT_EQ(Call(*stub_, &Stub::Retire, retire, kBlue).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Find("bank conflicts"), ElementsAre(id));
}

TEST_F(SharingTest, WhatTeamsLearnAboutASharedItemIsLearnedTogether) {
  const std::string id = Record(Insight("softmax", "softmax rows fit the unified buffer")).item_id();
  const std::string shared = Promote(id, {})->shared_item_id();
  int stage = 0;
  for (const char* token : {kBlue, kGreen}) {
    const auto context = Call(*stub_, &Stub::AssembleContext, testing::Context("a", "softmax rows"), token);
    ASSERT_TRUE(context.ok()) << context.status();
    ASSERT_EQ(context->items_size(), 1);
    EXPECT_EQ(context->items(0).item().id(), shared);
    ASSERT_TRUE(Call(*stub_, &Stub::RecordAdoption, testing::Adoption(*context, 1), token).ok());
    const auto done = Call(*stub_, &Stub::CompleteStage,
                           testing::FinishedStage(absl::StrCat("s", ++stage), {context->retrieval_id()}), token);
    ASSERT_TRUE(done.ok()) << done.status();
    ASSERT_EQ(done->changes_size(), 1);
    EXPECT_EQ(done->changes(0).item_id(), shared);
    EXPECT_NE(done->changes(0).u_after(), done->changes(0).u_before());
  }
  const v1::ItemValues values = Get(shared, kBlue)->values();
  EXPECT_EQ(values.n_retrieved(), 2);
  EXPECT_EQ(values.n_adopted(), 2);
  EXPECT_GT(values.u(), 0);
  EXPECT_EQ(Get(id)->values().n_retrieved(), 0) << "the original has its own team's history";
  EXPECT_EQ(server_.experience().Fingerprint(), *server_.experience().RefoldedFingerprint());
}

TEST_F(SharingTest, ApiTemplatesAreFoundByExactNameAndBundle) {
  for (const char* name : {"DataCopy", "DataCopyPad"}) {
    auto request = Insight(name, absl::StrCat("void ", name, "(dst, src, count): moves data number ", name));
    request.mutable_content()->set_kind(v1::API_TEMPLATE);
    request.mutable_content()->set_name(name);
    request.mutable_content()->set_bundle("ascend_c");
    Record(request);
  }
  v1::AssembleContextRequest request = testing::Context("a", "copy");
  request.add_api_names("DataCopyPad");
  request.set_api_bundle("ascend_c");
  request.mutable_policy()->set_preset("evokernel");
  const auto context = Call(*stub_, &Stub::AssembleContext, request, kRed);
  ASSERT_TRUE(context.ok()) << context.status();
  std::vector<std::string> names;
  for (const v1::RankedItem& item : context->items()) names.push_back(item.item().content().name());
  EXPECT_THAT(names, Contains("DataCopyPad"));
  v1::RetrieveRequest exact;
  exact.mutable_filter()->add_names("DataCopy");
  const auto found = Call(*stub_, &Stub::Retrieve, exact, kRed);
  ASSERT_EQ(found->items_size(), 1);
  EXPECT_EQ(found->items(0).item().content().name(), "DataCopy");
}

}  // namespace
}  // namespace kernelsmith::memory
