#include "kernelsmith/client/knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "common/file_io.h"

namespace kernelsmith::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Knowledge : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(common::WriteFileAtomically(path, content).ok());
    return path;
  }
  std::vector<std::string> Names(const absl::StatusOr<std::vector<v1::RecordItemRequest>>& items) {
    EXPECT_TRUE(items.ok()) << items.status();
    std::vector<std::string> names;
    if (!items.ok()) return names;
    for (const auto& item : *items) names.push_back(item.content().name());
    return names;
  }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-knowledge-test");
};

TEST_F(Knowledge, IsEveryMarkdownFileOfAFolderInOrder) {
  Write("asc/b.md", "# B\n\nb\n");
  Write("asc/a.md", "# A\n\na\n");
  Write("asc/deep/c.markdown", "# C\n\nc\n");
  Write("asc/notes.txt", "no");
  const std::string folder = folder_.path() + "/asc";
  EXPECT_THAT(Names(LoadKnowledge(folder, {})), ElementsAre("asc/a.md#A", "asc/b.md#B", "asc/deep/c.markdown#C"));
  EXPECT_THAT(Names(LoadKnowledge(folder + "/", {})), ElementsAre("asc/a.md#A", "asc/b.md#B", "asc/deep/c.markdown#C"));
  EXPECT_THAT(Names(LoadKnowledge(folder + "/a.md", {})), ElementsAre("asc/a.md#A"));
}

TEST_F(Knowledge, KeysAreMadeFromTheContent) {
  const std::string path = Write("asc/a.md", "# A\n\na\n\n# B\n\nb\n");
  const auto before = LoadKnowledge(path, {});
  const auto again = LoadKnowledge(path, {});
  Write("asc/a.md", "# A\n\na\n\n# B\n\nchanged\n");
  const auto after = LoadKnowledge(path, {});
  ASSERT_TRUE(before.ok() && again.ok() && after.ok());
  ASSERT_EQ(before->size(), 2U);
  EXPECT_EQ((*before)[0].item_key(), (*again)[0].item_key());
  EXPECT_EQ((*before)[0].item_key(), (*after)[0].item_key());
  EXPECT_NE((*before)[1].item_key(), (*after)[1].item_key());
  EXPECT_EQ((*before)[1].content().name(), (*after)[1].content().name());
}

TEST_F(Knowledge, OptionsSayWhoseAndWhereItIs) {
  const std::string path = Write("asc/a.md", "## Exp\n\n```\nvoid Exp(int x);\nExp(1);\n```\n");
  const auto items =
      LoadKnowledge(path, {.producer = "me", .bundle = "b", .architectures = {"ascend-a2"}, .scope = v1::PRIVATE});
  ASSERT_TRUE(items.ok()) << items.status();
  const v1::RecordItemRequest& item = items->at(0);
  EXPECT_EQ(item.producer(), "me");
  EXPECT_EQ(item.scope(), v1::PRIVATE);
  EXPECT_EQ(item.content().kind(), v1::API_TEMPLATE);
  EXPECT_EQ(item.content().bundle(), "b");
  EXPECT_THAT(item.content().applicability().architectures(), ElementsAre("ascend-a2"));
  EXPECT_EQ(LoadKnowledge(path, {})->at(0).content().bundle(), "asc");
}

TEST_F(Knowledge, WhatCannotBeLoadedIsRefusedByName) {
  std::filesystem::create_directories(folder_.path() + "/none");
  const struct {
    std::string path;
    const char* reason;
  } rows[] = {{folder_.path() + "/absent", "does not exist"},
              {folder_.path() + "/none", "holds no Markdown file"},
              {Write("a.txt", "x"), "no Markdown file"},
              {Write("bad.md", "\xFF"), "bad.md is not UTF-8"},
              {Write("empty.md", ""), "empty.md holds no text"}};
  for (const auto& row : rows) {
    const absl::Status status = LoadKnowledge(row.path, {}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << row.path;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.reason));
  }
}

TEST_F(Knowledge, TheProjectsDocumentsHaveKeysOfTheirOwn) {
  const auto items = LoadKnowledge(std::string(KERNELSMITH_SOURCE_DIR) + "/docs/knowledge/ascend_c", {});
  ASSERT_TRUE(items.ok()) << items.status();
  std::set<std::string> keys;
  std::set<std::string> names;
  for (const auto& item : *items) {
    keys.insert(item.item_key());
    names.insert(item.content().name());
  }
  EXPECT_EQ(keys.size(), items->size());
  EXPECT_EQ(names.size(), items->size());
  EXPECT_EQ(names.count("DataCopyPad"), 1U);
  EXPECT_EQ(names.count("ascend_c/cheat-sheet.md#Ascend C cheat sheet, for people who know CUDA > Copies"), 1U);
}

TEST_F(Knowledge, AnItemIsAContentOrARequestInEitherNotation) {
  const std::string text = "kind: RULE title: 'T' text: 'body'";
  const auto content = LoadItem(Write("a.textproto", text));
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(content->content().kind(), v1::RULE);
  EXPECT_EQ(content->producer(), "user");
  EXPECT_EQ(content->content().trust(), "user");
  EXPECT_EQ(content->author().kind(), "user");
  const auto json = LoadItem(Write("a.json", R"({"kind": "RULE", "title": "T", "text": "body"})"));
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->item_key(), content->item_key());
  const auto request =
      LoadItem(Write("b.textproto", "producer: 'me' item_key: 'k' scope: PRIVATE content { " + text + " }"));
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->producer(), "me");
  EXPECT_EQ(request->item_key(), "k");
}

TEST_F(Knowledge, AnItemThatSaysTooLittleOrNonsenseIsRefused) {
  const struct {
    std::string path;
    const char* reason;
  } rows[] = {{Write("a.textproto", "title: 'T' text: 'b'"), "kind"},
              {Write("b.textproto", "kind: RULE text: 'b'"), "title"},
              {Write("c.textproto", "kind: RULE title: 'T'"), "text"},
              {Write("d.textproto", "kind: RULE\nknd: 3"), "line 2"},
              {Write("e.json", "{"), "e.json"},
              {Write("f.txt", "kind: RULE"), "neither text format"},
              {folder_.path() + "/absent.json", "absent.json"}};
  for (const auto& row : rows) {
    const absl::Status status = LoadItem(row.path).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << row.path << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.reason)) << row.path;
  }
}

v1::Candidate Cpu(const std::string& text) {
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::CPU_SOURCE);
  candidate.add_files()->set_name("kernel.cpp");
  candidate.mutable_files(0)->set_content(text);
  return candidate;
}

TEST(Mine, MakesAnInsightForBothKindsOfKernels) {
  MineOptions options{.operator_name = "relu", .generated_us = 20, .expert_us = 10, .clock = v1::PARENT};
  options.target.set_architecture("cpu-x86_64");
  const auto cpu = MineKernels(Cpu("for (;;) a();"), Cpu("std::thread t; for (;;) a();"), options);
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_EQ(cpu->content().kind(), v1::INSIGHT);
  EXPECT_EQ(cpu->content().thought().id(), "threads");
  EXPECT_EQ(cpu->producer(), "mining");
  EXPECT_EQ(cpu->target().architecture(), "cpu-x86_64");
  EXPECT_EQ(MineKernels(Cpu("for (;;) a();"), Cpu("std::thread t; for (;;) a();"), options)->item_key(),
            cpu->item_key());

  v1::Candidate generated;
  generated.set_kind(v1::Candidate::ASCEND_KERNEL);
  generated.add_files()->set_name("kernel.asc");
  generated.mutable_files(0)->set_content("TPipe pipe;");
  generated.add_files()->set_name("plan.cpp");
  generated.mutable_files(1)->set_content("ks_add_launch(plan, \"k\", 1);");
  v1::Candidate expert = generated;
  expert.mutable_files(1)->set_content("ks_add_launch(plan, \"k\", call->cpu_count);");
  const auto ascend = MineKernels(generated, expert, options);
  ASSERT_TRUE(ascend.ok()) << ascend.status();
  EXPECT_EQ(ascend->content().thought().id(), "all-cores");
  EXPECT_TRUE(absl::IsInvalidArgument(MineKernels(generated, Cpu("x"), options).status()));
  options.held_out_operators = {"relu"};
  EXPECT_TRUE(absl::IsFailedPrecondition(MineKernels(generated, expert, options).status()));
}

}  // namespace
}  // namespace kernelsmith::client
