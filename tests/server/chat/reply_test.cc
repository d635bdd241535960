#include "server/proposers/chat/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::server {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kCode[] = "```cpp kernel.cpp\nextern \"C\" int ks_kernel(const ks_call* call) { return 0; }\n```\n";

const CandidateForm& Form() {
  static const auto* const form = new CandidateForm(*CandidateFormOf("cpu"));
  return *form;
}

std::string Json(const std::string& adoption,
                 const std::string& rest =
                     R"("thought": {"id": "Vector exp!", "title": "t", "layer": "tiling"}, "hypothesis": "h")") {
  return absl::StrCat("```json\n{\"adoption\": ", adoption, ", ", rest, "}\n```\n");
}

const std::string& GoodAdoption() {
  static const auto* const text = new std::string(
      R"([{"item_id": "a", "state": "ADOPTED", "reason": "its tile"}, {"item_id": "b", "state": "NOT_ADOPTED", "reason": "other"}])");
  return *text;
}

ParsedReply Parse(const std::string& text, const std::string& finish_reason = "stop") {
  return ParseReply(text, finish_reason, {"a", "b"}, Form());
}

TEST(ParseReply, TakesAGoodReplyApart) {
  const ParsedReply reply = Parse(absl::StrCat(
      "Some thoughts.\n", kCode,
      Json(GoodAdoption(), R"j("thought": {"id": "Vector exp (fast)", "title": "Exp in vectors", "reason": "r",
           "layer": "INSTRUCTION", "bottleneck": "compute-bound", "applies_when": "w", "parameters": {
  "threads" : 2, "isa" : "avx2"}},
           "hypothesis": "h", "rationale": "why")j")));
  EXPECT_THAT(reply.errors, IsEmpty());
  EXPECT_EQ(reply.candidate.kind(), v1::Candidate::CPU_SOURCE);
  ASSERT_EQ(reply.candidate.files_size(), 1);
  EXPECT_EQ(reply.candidate.files(0).name(), "kernel.cpp");
  EXPECT_EQ(reply.candidate.files(0).content(), "extern \"C\" int ks_kernel(const ks_call* call) { return 0; }\n");
  const Account& account = reply.account;
  ASSERT_EQ(account.adoption.size(), 2u);
  EXPECT_EQ(account.adoption[0].state(), v1::ADOPTED);
  EXPECT_EQ(account.adoption[0].reason(), "its tile");
  EXPECT_EQ(account.adoption[1].state(), v1::NOT_ADOPTED);
  EXPECT_EQ(account.thought.id(), "vector-exp-fast");
  EXPECT_EQ(account.thought.title(), "Exp in vectors");
  EXPECT_EQ(account.thought.layer(), v1::INSTRUCTION);
  EXPECT_EQ(account.thought.bottleneck(), "compute-bound");
  EXPECT_EQ(account.thought.parameters().at("threads"), "2");
  EXPECT_EQ(account.thought.parameters().at("isa"), "avx2");
  EXPECT_EQ(account.hypothesis, "h");
  EXPECT_EQ(account.rationale, "why");
}

TEST(ParseReply, AcceptsTheWaysToNameTheFile) {
  const std::string body = "int ks_kernel();\n```\n";
  for (const std::string& code :
       {"```cpp\n" + body, "```c++ kernel.cpp\n" + body, "```cpp\n// file: kernel.cpp\n" + body,
        "```kernel.cpp\n" + body, "```cpp\nint snippet;\n```\n```cpp kernel.cpp\n" + body,
        "```bash\ng++ x.cpp\n```\n```cpp\n" + body, "```text\nplan\n```\n~~~cc\n" + body + "~~~\n"}) {
    const ParsedReply reply = Parse(code + Json(GoodAdoption()));
    const bool tildes = code.find("~~~") != std::string::npos;
    EXPECT_THAT(reply.errors, IsEmpty()) << code;
    ASSERT_EQ(reply.candidate.files_size(), 1) << code;
    EXPECT_EQ(reply.candidate.files(0).name(), "kernel.cpp") << code;
    EXPECT_THAT(reply.candidate.files(0).content(), HasSubstr(tildes ? "```" : "ks_kernel")) << code;
  }
}

TEST(ParseReply, TakesHeadersBesideTheMainFile) {
  const ParsedReply reply = Parse(absl::StrCat(kCode, "```cpp tile.h\nint x;\n```\n", Json(GoodAdoption())));
  EXPECT_THAT(reply.errors, IsEmpty());
  EXPECT_EQ(reply.candidate.files_size(), 2);
}

TEST(ParseReply, NeedsNoAdoptionWithoutItems) {
  for (const char* json : {R"({"thought": {"id": "a", "title": "t"}, "hypothesis": "h"})",
                           R"({"adoption": [], "thought": {"id": "a", "title": "t"}, "hypothesis": "h"})"}) {
    EXPECT_THAT(ParseReply(absl::StrCat(kCode, "```json\n", json, "\n```\n"), "stop", {}, Form()).errors, IsEmpty());
  }
}

TEST(ParseReply, SaysWhatIsWrong) {
  const std::string json = Json(GoodAdoption());
  const std::string thought = R"("thought": {"id": "a", "title": "t"}, "hypothesis": "h")";
  auto account = [&](const std::string& adoption) { return kCode + Json(adoption, thought); };
  auto rest = [&](const std::string& text) { return kCode + Json(GoodAdoption(), text); };
  struct {
    const char* name;
    std::string text;
    const char* error;
  } cases[] = {
      {"empty reply", "", "no code block for kernel.cpp"},
      {"no JSON", kCode, "there are 0 fenced json blocks"},
      {"no code", json, "no code block for kernel.cpp"},
      {"JSON without a fence", std::string(kCode) + "{\"adoption\": []}", "there are 0 fenced json blocks"},
      {"two JSON blocks", kCode + json + json, "there are 2 fenced json blocks"},
      {"two nameless blocks", "```cpp\nks_kernel\n```\n```cpp\nks_kernel\n```\n" + json,
       "2 cpp blocks without a file name"},
      {"two blocks of one name", std::string(kCode) + kCode + json, "two blocks for kernel.cpp"},
      {"block without end", json + "```cpp kernel.cpp\nint ks_kernel();\n", "begins in line 4 has no end"},
      {"empty code", "```cpp\n\n```\n" + json, "kernel.cpp is empty"},
      {"no entry", "```cpp\nint main() {}\n```\n" + json, "does not define ks_kernel"},
      {"only another file", "```cpp helper.cpp\nks_kernel\n```\n" + json, "no code block for kernel.cpp"},
      {"path", kCode + ("```cpp ../x.cpp\n```\n" + json), "'../x.cpp' is not a plain name"},
      {"hidden file", kCode + ("```cpp .x.cpp\n```\n" + json), "is not a plain name"},
      {"other extension", kCode + ("```bash run.sh\n```\n" + json), "run.sh has none of the extensions .cpp, .h, .hpp"},
      {"too long", "```cpp\nks_kernel" + std::string(kMaxCodeBytes, ' ') + "\n```\n" + json,
       "at most 524288 are allowed"},
      {"bad JSON", std::string(kCode) + "```json\n{\"adoption\": [}\n```\n", "the error is at byte 14"},
      {"JSON that is no object", std::string(kCode) + "```json\n[]\n```\n", "must hold an object"},
      {"adoption missing", std::string(kCode) + "```json\n{" + thought + "}\n```\n", "adoption must be an array"},
      {"adoption that is no array", account("{}"), "adoption must be an array"},
      {"item without a record", account(R"([{"item_id": "a", "state": "ADOPTED", "reason": "r"}])"), "no entry for b"},
      {"unknown item", account(R"([{"item_id": "z", "state": "ADOPTED", "reason": "r"}])"),
       "'z', which is none of the items"},
      {"second record",
       account(
           R"([{"item_id": "a", "state": "ADOPTED", "reason": "r"}, {"item_id": "a", "state": "ADOPTED", "reason": "r"}])"),
       "more than one entry for a"},
      {"unknown state", account(R"([{"item_id": "a", "state": "PARTLY", "reason": "r"}])"),
       "the state of a is 'PARTLY'"},
      {"state in lower case", account(R"([{"item_id": "a", "state": "adopted", "reason": "r"}])"),
       "the state of a is 'adopted'"},
      {"blank reason", account(R"([{"item_id": "a", "state": "ADOPTED", "reason": "  "}])"),
       "the entry for a has no reason"},
      {"record without an id", account(R"([{"state": "ADOPTED", "reason": "r"}, 7])"), "has no item_id"},
      {"no thought", rest(R"("hypothesis": "h")"), "thought must be an object"},
      {"thought without an id", rest(R"("thought": {"title": "t"}, "hypothesis": "h")"),
       "thought.id is missing or empty"},
      {"thought id without letters", rest(R"("thought": {"id": "--", "title": "t"}, "hypothesis": "h")"),
       "no letter or digit"},
      {"thought title of another type", rest(R"("thought": {"id": "a", "title": 3}, "hypothesis": "h")"),
       "thought.title must be a string"},
      {"unknown layer", rest(R"("thought": {"id": "a", "title": "t", "layer": "gpu"}, "hypothesis": "h")"),
       "thought.layer 'gpu'"},
      {"no hypothesis", rest(R"("thought": {"id": "a", "title": "t"})"), "hypothesis is missing or empty"},
      {"rationale of another type", rest(R"("thought": {"id": "a", "title": "t"}, "hypothesis": "h", "rationale": [])"),
       "rationale must be a string"},
  };
  for (const auto& c : cases) EXPECT_THAT(Parse(c.text).errors, Contains(HasSubstr(c.error))) << c.name;
}

TEST(ParseReply, NamesALengthLimitedReply) {
  EXPECT_THAT(Parse(kCode + Json(GoodAdoption()), "length").errors,
              ElementsAre(HasSubstr("cut at the limit of tokens")));
}

TEST(ParseReply, KeepsTheRecordsThatAreRight) {
  const ParsedReply reply = Parse(
      Json(R"([{"item_id": "a", "state": "ADOPTED", "reason": "r"}, {"item_id": "b", "state": "?", "reason": "r"}])"));
  ASSERT_EQ(reply.account.adoption.size(), 1u);
  EXPECT_EQ(reply.account.adoption[0].item_id(), "a");
}

TEST(ParseReply, CutsLongProse) {
  const std::string long_text(10'000, 'x');
  const ParsedReply reply =
      Parse(kCode + Json(GoodAdoption(), absl::StrCat(R"("thought": {"id": ")", long_text, R"(", "title": ")",
                                                      long_text, R"("}, "hypothesis": ")", long_text, "\"")));
  EXPECT_THAT(reply.errors, IsEmpty());
  EXPECT_EQ(reply.account.thought.id().size(), 64u);
  EXPECT_EQ(reply.account.thought.title().size(), 200u);
  EXPECT_EQ(reply.account.hypothesis.size(), 4000u);
}

TEST(ParseReply, NeverTakesADamagedReplyForAnEmptyErrorList) {
  const std::string good = kCode + Json(GoodAdoption());
  std::mt19937 random(5);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
    const ParsedReply reply = Parse(text);
    if (!reply.errors.empty()) continue;
    ++accepted;
    ASSERT_EQ(reply.account.adoption.size(), 2u);
    ASSERT_EQ(reply.candidate.files(0).name(), "kernel.cpp");
    ASSERT_THAT(reply.candidate.files(0).content(), HasSubstr("ks_kernel"));
    ASSERT_FALSE(reply.account.hypothesis.empty());
  }
  EXPECT_GT(accepted, 0);
}

constexpr char kAscendCode[] =
    "```cpp kernel.asc\nextern \"C\" __global__ __aicore__ void add(GM_ADDR x) {}\n```\n"
    "```cpp plan.cpp\nextern \"C\" int ks_plan(const ks_call* call, ks_plan* plan) { return 0; }\n```\n";
constexpr char kAscendAccount[] =
    "```json\n{\"adoption\": [], \"thought\": {\"id\": \"draft\", \"title\": \"t\", \"reason\": \"r\", \"layer\": "
    "\"none\", "
    "\"bottleneck\": \"\"}, \"hypothesis\": \"h\", \"rationale\": \"r\"}\n```\n";

TEST(AscendReply, IsAKernelAndItsPlan) {
  const CandidateForm form = *CandidateFormOf("ascend");
  const ParsedReply reply = ParseReply(absl::StrCat(kAscendCode, kAscendAccount), "stop", {}, form);
  EXPECT_TRUE(reply.errors.empty()) << absl::StrJoin(reply.errors, "; ");
  EXPECT_EQ(reply.candidate.kind(), v1::Candidate::ASCEND_KERNEL);
  ASSERT_EQ(reply.candidate.files_size(), 2);
  EXPECT_EQ(reply.candidate.files(0).name(), "kernel.asc");
  EXPECT_EQ(reply.candidate.files(1).name(), "plan.cpp");
}

TEST(AscendReply, SaysWhatIsWrongWithItsFiles) {
  const CandidateForm form = *CandidateFormOf("ascend");
  const struct {
    std::string code;
    const char* error;
  } rows[] = {
      {"```cpp kernel.asc\n__global__\n```\n", "there is no code block for plan.cpp"},
      {"```cpp\n__global__\n```\n", "name it kernel.asc and plan.cpp"},
      {absl::StrCat(kAscendCode, "```cpp extra.h\nint x;\n```\n"), "a candidate is kernel.asc and plan.cpp alone"},
      {"```cpp kernel.asc\nvoid add() {}\n```\n```cpp plan.cpp\nks_plan\n```\n",
       "kernel.asc does not define __global__"},
      {"```cpp kernel.asc\n__global__\n```\n```cpp plan.cpp\n\n```\n", "plan.cpp is empty"},
  };
  for (const auto& row : rows) {
    const ParsedReply reply = ParseReply(absl::StrCat(row.code, kAscendAccount), "stop", {}, form);
    EXPECT_THAT(absl::StrJoin(reply.errors, "; "), HasSubstr(row.error));
  }
}

TEST(CandidateFormOf, KnowsCpuAndAscend) {
  EXPECT_THAT(CandidateFormOf("ascend")->header,
              AllOf(HasSubstr("typedef struct ks_call {"), HasSubstr("ks_add_launch"), HasSubstr("struct ks_plan {")));
  EXPECT_THAT(Form().header,
              AllOf(HasSubstr("typedef struct ks_call {"), HasSubstr("} ks_call;"), HasSubstr("KS_BF16 = 3")));
  EXPECT_EQ(CandidateFormOf("abacus").status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace kernelsmith::server
