#include "common/coldstart/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/coldstart/language.h"
#include "common/coldstart/markdown.h"
#include "common/file_io.h"

namespace kernelsmith::common {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<v1::ItemContent> Split(const std::string& text, const DocumentOptions& options = {}) {
  auto items = SplitDocument("d.md", text, options);
  EXPECT_TRUE(items.ok()) << items.status();
  return items.ok() ? *std::move(items) : std::vector<v1::ItemContent>();
}

std::vector<std::string> Names(const std::vector<v1::ItemContent>& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name());
  return names;
}

TEST(Documents, AreCutAtHeadingsWithTheirPath) {
  const auto items = Split("intro\n\n# A\n\ntext a\n\n## B\n\ntext b\n\n# C\n\ntext c\n");
  EXPECT_THAT(Names(items), ElementsAre("d.md", "d.md#A", "d.md#A > B", "d.md#C"));
  EXPECT_EQ(items[2].text(), "## B\n\ntext b\n");
  EXPECT_EQ(items[2].title(), "A: B");
  EXPECT_EQ(items[0].title(), "d.md");
  for (const auto& item : items) {
    EXPECT_EQ(item.kind(), v1::DOCUMENT);
    EXPECT_EQ(item.trust(), "document");
    EXPECT_EQ(item.language(), "en");
  }
}

TEST(Documents, HeadingsAreWrittenInManyWays) {
  const auto items = Split(
      "Title\n=====\n\na\n\nSub\n---\n\nb\n\n## `Code` <a name=\"x\"></a>\n\nc\n\n### **Bold** ###\n\nd\n\n#no "
      "heading\n\n| a |\n---\n");
  EXPECT_THAT(Names(items),
              ElementsAre("d.md#Title", "d.md#Title > Sub", "d.md#Title > Code", "d.md#Title > Code > Bold"));
  EXPECT_THAT(items[3].text(), HasSubstr("#no heading"));
}

TEST(Documents, DeepHeadingsStayInTheirSection) {
  const auto items = Split("# A\n\na\n\n#### Deep\n\nb\n");
  EXPECT_THAT(Names(items), ElementsAre("d.md#A"));
  EXPECT_THAT(items[0].text(), HasSubstr("#### Deep\n\nb"));
}

TEST(Documents, ALineInAFenceIsNoHeading) {
  const auto items = Split("# A\n\n```sh\n# comment\n```\n\n~~~~\n~~~\n# still code\n~~~~\n\n# B\n\nb\n");
  EXPECT_THAT(Names(items), ElementsAre("d.md#A", "d.md#B"));
}

TEST(Documents, AHeadingWithNothingBelowMakesNoItem) {
  EXPECT_THAT(Names(Split("# A\n\n## B\n\nb\n")), ElementsAre("d.md#A > B"));
}

TEST(Documents, RepeatedHeadingsGetNumbers) {
  EXPECT_THAT(Names(Split("# A\n\n1\n\n# A\n\n2\n")), ElementsAre("d.md#A", "d.md#A [2]"));
}

TEST(Documents, ALargeSectionIsCutAtDeeperHeadingsThenAtBlankLines) {
  const std::string paragraph(60, 'x');
  const auto deeper = Split("# A\n\n" + paragraph + "\n\n#### D\n\n" + paragraph + "\n", {.most_bytes = 100});
  EXPECT_THAT(Names(deeper), ElementsAre("d.md#A", "d.md#A > D"));
  const auto blank = Split("# A\n\n" + paragraph + "\n\n" + paragraph + "\n", {.most_bytes = 100});
  EXPECT_THAT(Names(blank), ElementsAre("d.md#A (1 of 2)", "d.md#A (2 of 2)"));
  for (const auto& item : blank) EXPECT_LE(item.text().size(), 101U);
}

TEST(Documents, CodeIsNeverCut) {
  std::string fence = "```cpp\n";
  std::string indented;
  for (int i = 0; i < 30; ++i) {
    fence += "line " + std::to_string(i) + ";\n\n";
    indented += "    row " + std::to_string(i) + ";\n\n";
  }
  fence += "```\n";
  const auto items = Split("# A\n\nbefore\n\n" + fence + "\nbetween\n\n" + indented + "after\n", {.most_bytes = 64});
  int whole = 0;
  for (const auto& item : items) {
    if (item.text().find("line 0") != std::string::npos) {
      EXPECT_THAT(item.text(), HasSubstr(fence.substr(0, fence.size() - 1)));
      ++whole;
    }
    if (item.text().find("row 0") != std::string::npos) {
      EXPECT_THAT(item.text(), HasSubstr("row 29"));
      ++whole;
    }
  }
  EXPECT_EQ(whole, 2);
}

TEST(Documents, NothingIsLostHoweverSmallTheCap) {
  const std::string text = *ReadFile(std::string(KERNELSMITH_SOURCE_DIR) + "/docs/knowledge/ascend_c/cheat-sheet.md");
  for (const size_t most_bytes : {1U, 80U, 500U, 4096U, 1U << 20}) {
    const auto items = Split(text, {.most_bytes = most_bytes});
    std::string together;
    for (const auto& item : items) together += item.text();
    const auto squeezed = [](const std::string& from) {
      std::string kept;
      for (const char c : from) {
        if (c != ' ' && c != '\n') kept += c;
      }
      return kept;
    };
    EXPECT_EQ(squeezed(together), squeezed(text)) << most_bytes;
  }
}

TEST(Documents, LanguageIsToldByTheProse) {
  const struct {
    const char* text;
    const char* language;
  } rows[] = {{"# DataCopy\n\n搬运数据，调用 DataCopyPad 接口。\n", "zh"},
              {"The term 双缓冲 means double buffering here.\n", "en"},
              {"```cpp\nint many words of code here\n```\n\n中文\n", "zh"},
              {"123 | --- |\n", ""}};
  for (const auto& row : rows) EXPECT_EQ(DetectLanguage(row.text), row.language) << row.text;
}

TEST(Documents, WhatIsNoTextIsRefused) {
  for (const std::string& text : {std::string(), std::string(" \n\n"), std::string("a\xFF"), std::string("\xC0\x80"),
                                  std::string("\xED\xA0\x80"), std::string("\xE6\xA0")}) {
    const absl::Status status = SplitDocument("bad.md", text, {}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("bad.md"));
  }
  const std::string huge = "# A\n\n```\n" + std::string(kMostItemBytes, 'x') + "\n```\n";
  EXPECT_THAT(std::string(SplitDocument("bad.md", huge, {}).status().message()), HasSubstr("cannot be cut"));
}

constexpr char kApi[] =
    "# Vector\n\n## Adds\n\nAdds a number.\n\n### Prototype\n\n```cpp\ntemplate <typename T>\n__aicore__ inline void "
    "Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& value, const int32_t& count);\n```\n\n### "
    "Example\n\n```cpp\nAdds(y, x, 1.0f, n);\n```\n\n## Usage\n\nOther text.\n";

TEST(ApiTemplates, AreSectionsWithTheNameASignatureAndAUse) {
  const auto items = Split(kApi, {.bundle = "ascend_c"});
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].kind(), v1::API_TEMPLATE);
  EXPECT_EQ(items[0].name(), "Adds");
  EXPECT_EQ(items[0].bundle(), "ascend_c");
  EXPECT_EQ(items[0].title(), "Adds");
  EXPECT_THAT(items[0].text(), HasSubstr("### Example"));
  EXPECT_EQ(items[1].kind(), v1::DOCUMENT);
  EXPECT_EQ(items[1].name(), "d.md#Vector > Usage");
}

TEST(ApiTemplates, NeedABundle) {
  for (const auto& item : Split(kApi)) EXPECT_EQ(item.kind(), v1::DOCUMENT);
}

TEST(ApiTemplates, TakeTheirNameFromTheHeadingExactly) {
  const std::string code = "\n\n```\nvoid DataCopyPad(int x);\nDataCopyPad(1);\n```\n";
  for (const std::string heading : {"DataCopyPad", "`DataCopyPad`", "AscendC::DataCopyPad", "DataCopyPad(ISASI)",
                                    "DataCopyPad（ISASI）", "DataCopyPad<T>(dst, src)"}) {
    const auto items = Split("## " + heading + code, {.bundle = "b"});
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].kind(), v1::API_TEMPLATE) << heading;
    EXPECT_EQ(items[0].name(), "DataCopyPad") << heading;
  }
  for (const std::string heading : {"DataCopyPad and others", "3DataCopyPad", "DataCopy", "Copies"}) {
    EXPECT_EQ(Split("## " + heading + code, {.bundle = "b"})[0].kind(), v1::DOCUMENT) << heading;
  }
}

TEST(ApiTemplates, NeedBothSignatureAndUse) {
  for (const char* code : {"void Exp(int x);", "Exp(y, x, n);", "return Exp(y);", "auto y = Exp(x);", ""}) {
    EXPECT_EQ(Split("## Exp\n\ntext\n\n```\n" + std::string(code) + "\n```\n", {.bundle = "b"})[0].kind(), v1::DOCUMENT)
        << code;
  }
  EXPECT_EQ(Split("## Get\n\n    LocalTensor<T> Get<T>(uint32_t n);\n    x = work.Get<float>();\n", {.bundle = "b"})[0]
                .kind(),
            v1::API_TEMPLATE);
}

TEST(Documents, TheProjectsOwnKnowledgeLoads) {
  namespace fs = std::filesystem;
  int templates = 0;
  for (const auto& entry : fs::directory_iterator(std::string(KERNELSMITH_SOURCE_DIR) + "/docs/knowledge/ascend_c")) {
    const auto items =
        SplitDocument(entry.path().filename().string(), *ReadFile(entry.path().string()), {.bundle = "ascend_c"});
    ASSERT_TRUE(items.ok()) << items.status();
    EXPECT_GT(items->size(), 2U) << entry.path();
    for (const auto& item : *items) {
      EXPECT_THAT(item.text(), Not(testing::IsEmpty()));
      EXPECT_EQ(item.language(), "en") << item.name();
      templates += item.kind() == v1::API_TEMPLATE ? 1 : 0;
    }
  }
  EXPECT_GE(templates, 20);
}

}  // namespace
}  // namespace kernelsmith::common
