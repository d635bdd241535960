#include "server/proposers/chat/fences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace kernelsmith::server {

void PrintTo(const FencedBlock& block, std::ostream* out) {
  *out << "{" << block.language << ", " << block.name << ", " << testing::PrintToString(block.content) << ", line "
       << block.line << "}";
}

namespace {

struct Case {
  const char* name;
  const char* text;
  std::vector<FencedBlock> blocks;
  int unclosed_line = 0;
};

TEST(FindFences, FindsBlocksWithLanguageAndName) {
  const Case cases[] = {
      {"none", "just words\nand `code`\n", {}},
      {"plain", "```\nx\n```\n", {{"", "", "x\n", 1}}},
      {"language and name", "a\n```cpp kernel.cpp\nint x;\n```", {{"cpp", "kernel.cpp", "int x;\n", 2}}},
      {"name after a colon", "```c++:kernel.cpp\n```", {{"c++", "kernel.cpp", "", 1}}},
      {"name as a setting", "```cpp file=kernel.cpp\n```", {{"cpp", "kernel.cpp", "", 1}}},
      {"name in quotes", "```CPP {title=\"kernel.cpp\"}\n```", {{"cpp", "kernel.cpp", "", 1}}},
      {"name alone", "```kernel.cpp\n```", {{"", "kernel.cpp", "", 1}}},
      {"name in the first line",
       "```cpp\n// file: kernel.cpp\nint x;\n```",
       {{"cpp", "kernel.cpp", "// file: kernel.cpp\nint x;\n", 1}}},
      {"another comment first", "```cpp\n// the file: kernel.cpp\n```", {{"cpp", "", "// the file: kernel.cpp\n", 1}}},
      {"two blocks", "```cpp\na\n```\n\n```json\n{}\n```\n", {{"cpp", "", "a\n", 1}, {"json", "", "{}\n", 5}}},
      {"longer fence", "````cpp\n```\nx\n```\n````\n", {{"cpp", "", "```\nx\n```\n", 1}}},
      {"tildes", "~~~json\n```\n~~~\n", {{"json", "", "```\n", 1}}},
      {"carriage returns", "```json\r\n{}\r\n```\r\n", {{"json", "", "{}\n", 1}}},
      {"indented by three", "   ```json\n{}\n  ```\n", {{"json", "", "{}\n", 1}}},
      {"indented by four", "    ```json\n", {}},
      {"inside a line", "use ```x``` here\n```x```\n", {}},
      {"open at the end", "a\n\n```cpp\nint x;\n", {}, 3},
      {"a language does not close", "```cpp\n```json\n{}\n```\n", {{"cpp", "", "```json\n{}\n", 1}}},
      {"empty text", "", {}},
  };
  for (const Case& c : cases) {
    const Fences fences = FindFences(c.text);
    EXPECT_EQ(fences.blocks, c.blocks) << c.name;
    EXPECT_EQ(fences.unclosed_line, c.unclosed_line) << c.name;
  }
}

TEST(FindFences, SurvivesRandomText) {
  std::mt19937 random(11);
  const std::string alphabet = "``~\n\n json:{}=\".//file:\r\x80";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += alphabet[random() % alphabet.size()];
    for (const FencedBlock& block : FindFences(text).blocks) EXPECT_GT(block.line, 0);
  }
}

}  // namespace
}  // namespace kernelsmith::server
