// `kernelsmith memory ...` in this process against a scripted memory: exit codes, documents, what it sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "absl/time/clock.h"
#include "common/exchange_rows.h"
#include "tests/client/example_export.h"
#include "tests/client/program_run.h"
#include "tests/server/model/scripted_model_server.h"

namespace kernelsmith::client {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class MemoryProgram : public ProgramRun {
 protected:
  FakeMemory& memory() { return server_.memory; }
  Ran Memory(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "memory");
    return Run(std::move(arguments));
  }
};

TEST_F(MemoryProgram, EveryCommandHasHelpWithAnExample) {
  for (const char* name :
       {"search", "show", "lineage", "load", "add", "mine", "supersede", "retire", "promote", "revoke", "conflicts",
        "residents", "policies", "export", "import", "verify", "backup", "seal", "stats"}) {
    const Ran ran = Memory({name, "--help"});
    EXPECT_EQ(ran.code, 0) << name;
    EXPECT_THAT(ran.out, HasSubstr("Example")) << name;
  }
}

TEST_F(MemoryProgram, AWrongCommandLineIsCodeTwoAndSendsNothing) {
  const std::string rule = Write("rule.textproto", "title: 'T'");
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"search", "--kind", "poem"},
      {"search", "--label", "great"},
      {"search", "--stage", "later"},
      {"search", "--purpose", "fun"},
      {"search", "--layer", "onion"},
      {"search", "--dtype", "half"},
      {"search", "--policy", "best"},
      {"search", "--limit", "0"},
      {"show"},
      {"add"},
      {"add", rule},
      {"add", folder_.path() + "/absent.textproto"},
      {"add", Write("ok.textproto", "kind: RULE title: 'T' text: 'x'"), "--scope", "world"},
      {"load"},
      {"load", folder_.path() + "/absent"},
      {"load", Write("empty/a.md", "")},
      {"load", kernel_},
      {"load", Write("d/b.md", "# B\n\nb\n"), "--scope", "world"},
      {"load", folder_.path() + "/d", "--most-bytes", "10"},
      {"mine", "--generated", kernel_, "--expert", kernel_},
      {"mine", "--generated", kernel_, "--expert", task_, "--operator", "relu"},
      {"mine", "--generated", kernel_, "--expert", folder_.path(), "--operator", "relu"},
      {"mine", "--generated", kernel_, "--expert", kernel_, "--operator", "relu", "--clock", "mine"},
      {"mine", "--generated", kernel_, "--expert", kernel_, "--operator", "relu", "--expert-us", "-1"},
      {"mine", "--generated", kernel_, "--expert", Write("e.cpp", "int y;"), "--operator", "relu", "--expert-us", "3"},
      {"supersede", "m-1"},
      {"supersede", "m-1", "m-1", "--reason", "x"},
      {"supersede", "m-1", "m-2"},
      {"retire", "m-1"},
      {"retire", "m-1", "--reason", " "},
      {"promote", "m-1"},
      {"revoke", "m-1"},
      {"conflicts", "--limit", "0"},
      {"conflicts", "--kind", "poem"},
      {"residents", "--policy", "best"},
      {"export"},
      {"export", "x.jsonl", "--kind", "poem"},
      {"import"},
      {"import", folder_.path() + "/absent.jsonl"},
      {"import", Write("no.jsonl", "nonsense\n")},
      {"backup"},
      {"lineage", "--svg", folder_.path() + "/absent/x.svg"},
  };
  for (const auto& arguments : wrong) {
    const Ran ran = Memory(arguments);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(arguments) << ran.err;
    EXPECT_THAT(ran.err, Not(IsEmpty())) << testing::PrintToString(arguments);
  }
  EXPECT_THAT(memory().Recorded(), IsEmpty());
}

TEST_F(MemoryProgram, RefusalsAreCodeFiveAndUnknownItemsCodeThree) {
  memory().FailNext("RecordItem", {grpc::StatusCode::ALREADY_EXISTS, "other content"});
  memory().FailNext("Promote", {grpc::StatusCode::PERMISSION_DENIED, "needs submit"});
  memory().FailNext("Verify", {grpc::StatusCode::PERMISSION_DENIED, "needs admin"});
  memory().FailNext("Backup", {grpc::StatusCode::FAILED_PRECONDITION, "not empty"});
  memory().FailNext("SealIndex", {grpc::StatusCode::PERMISSION_DENIED, "needs admin"});
  memory().FailNext("Revoke", {grpc::StatusCode::NOT_FOUND, "no such item"});
  EXPECT_EQ(Memory({"add", Write("r.textproto", "kind: RULE title: 'T' text: 'x'")}).code, 5);
  EXPECT_EQ(Memory({"promote", "m-1", "--reason", "good"}).code, 5);
  EXPECT_EQ(Memory({"verify"}).code, 5);
  EXPECT_EQ(Memory({"backup", "/b"}).code, 5);
  EXPECT_EQ(Memory({"seal"}).code, 5);
  EXPECT_EQ(Memory({"revoke", "m-1", "--reason", "x"}).code, 3);
  EXPECT_EQ(Memory({"retire", "m-9", "--reason", "x"}).code, 3);
  EXPECT_EQ(Memory({"show", "m-9"}).code, 3);
}

TEST_F(MemoryProgram, SearchSendsEveryFilter) {
  ASSERT_EQ(Memory({"search",
                    "vector",
                    "exp",
                    "--kind",
                    "api-template",
                    "--kind",
                    "CASE",
                    "--operator",
                    "softmax",
                    "--family",
                    "matmul",
                    "--level",
                    "1",
                    "--label",
                    "effective",
                    "--stage",
                    "refining",
                    "--purpose",
                    "syntax-repair",
                    "--layer",
                    "core-partition",
                    "--bottleneck",
                    "memory-bound",
                    "--thought",
                    "threads",
                    "--proposer",
                    "chat",
                    "--model",
                    "m",
                    "--producer",
                    "p",
                    "--job",
                    "j-1",
                    "--exclude-job",
                    "j-2",
                    "--bundle",
                    "ascend_c",
                    "--name",
                    "Exp",
                    "--dtype",
                    "fp16",
                    "--architecture",
                    "ascend-a2",
                    "--correct-only",
                    "--include-retired",
                    "--policy",
                    "kope",
                    "--limit",
                    "5",
                    "--seed",
                    "9",
                    "--brief",
                    "--exclude-operator",
                    "gelu"})
                .code,
            0);
  const v1::RetrieveRequest sent = memory().LastRetrieve();
  const v1::Filter& filter = sent.filter();
  EXPECT_EQ(sent.query(), "vector exp");
  EXPECT_THAT(filter.kinds(), ElementsAre(v1::API_TEMPLATE, v1::CASE));
  EXPECT_THAT(filter.operators(), ElementsAre("softmax"));
  EXPECT_THAT(filter.families(), ElementsAre("matmul"));
  EXPECT_THAT(filter.levels(), ElementsAre("1"));
  EXPECT_THAT(filter.labels(), ElementsAre(v1::EFFECTIVE));
  EXPECT_THAT(filter.stages(), ElementsAre(v1::REFINING));
  EXPECT_THAT(filter.purposes(), ElementsAre(v1::SYNTAX_REPAIR));
  EXPECT_THAT(filter.layers(), ElementsAre(v1::CORE_PARTITION));
  EXPECT_THAT(filter.bottlenecks(), ElementsAre("memory-bound"));
  EXPECT_THAT(filter.thoughts(), ElementsAre("threads"));
  EXPECT_THAT(filter.proposer_kinds(), ElementsAre("chat"));
  EXPECT_THAT(filter.models(), ElementsAre("m"));
  EXPECT_THAT(filter.producers(), ElementsAre("p"));
  EXPECT_THAT(filter.sessions(), ElementsAre("j-1"));
  EXPECT_THAT(filter.excluded_sessions(), ElementsAre("j-2"));
  EXPECT_THAT(filter.bundles(), ElementsAre("ascend_c"));
  EXPECT_THAT(filter.names(), ElementsAre("Exp"));
  EXPECT_THAT(filter.dtypes(), ElementsAre(v1::FP16));
  EXPECT_EQ(filter.architecture(), "ascend-a2");
  EXPECT_TRUE(filter.correct_only() && filter.include_retired());
  EXPECT_EQ(sent.policy().preset(), "kope");
  EXPECT_THAT(sent.policy().held_out_operators(), ElementsAre("gelu"));
  EXPECT_EQ(sent.limit(), 5);
  EXPECT_EQ(sent.seed(), 9U);
  EXPECT_TRUE(sent.brief());
}

TEST_F(MemoryProgram, ExplainShowsHowScoresCameAbout) {
  v1::RankedItem& ranked = *memory().found.add_items();
  ranked.set_rank(1);
  ranked.set_reason("found by softmax");
  ranked.mutable_parts()->set_similarity(0.75);
  ranked.mutable_parts()->set_vector_rank(3);
  EXPECT_THAT(Memory({"search", "x", "--explain"}).out, AllOf(HasSubstr("0.750 (#3)"), HasSubstr("found by softmax")));
  EXPECT_THAT(Memory({"search", "x"}).out, Not(HasSubstr("found by softmax")));
}

TEST_F(MemoryProgram, DocumentsAreLoadedOnceAndCounted) {
  Write("k/a.md", "# A\n\na\n\n# B\n\nb\n");
  const std::string folder = folder_.path() + "/k";
  const Ran first = Memory({"load", folder, "--architecture", "ascend-a2", "--scope", "private"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("2 items stored, 0 were there already"));
  ASSERT_EQ(memory().Recorded().size(), 2U);
  const v1::RecordItemRequest item = memory().Recorded()[0];
  EXPECT_EQ(item.content().name(), "k/a.md#A");
  EXPECT_EQ(item.scope(), v1::PRIVATE);
  EXPECT_THAT(item.content().applicability().architectures(), ElementsAre("ascend-a2"));
  EXPECT_EQ(Memory({"load", folder, "--architecture", "ascend-a2", "--json"}).document()["present"], 2);
}

TEST_F(MemoryProgram, AChangedSectionReplacesItsOlderVersionAndNoOther) {
  const std::string file = Write("k/a.md", "# A\n\nnew\n");
  const auto add = [&](const std::string& id, const std::string& name, const std::string& producer) {
    v1::Item& item = *memory().found.add_items()->mutable_item();
    item.set_id(id);
    item.set_producer(producer);
    item.mutable_content()->set_kind(v1::DOCUMENT);
    item.mutable_content()->set_name(name);
  };
  add("older", "k/a.md#A", "documents");
  add("other-name", "k/a.md#B", "documents");
  add("other-producer", "k/a.md#A", "someone");
  const Ran ran = Memory({"load", file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 older versions replaced"));
  ASSERT_EQ(memory().Superseded().size(), 1U);
  EXPECT_EQ(memory().Superseded()[0].old_item_id(), "older");
  EXPECT_THAT(memory().LastRetrieve().filter().names(), ElementsAre("k/a.md#A"));
}

TEST_F(MemoryProgram, NearDuplicatesAreSaidAndNotStored) {
  const std::string file = Write("k/a.md", "# A\n\na\n");
  const std::string key = [&] {
    Memory({"load", file});
    return memory().Recorded()[0].item_key();
  }();
  memory().near_duplicates[key] = "item-9";
  EXPECT_THAT(Memory({"load", file}).out, HasSubstr("1 not stored: nearly the same item is there"));
}

TEST_F(MemoryProgram, ADryRunSendsNothing) {
  const std::string file = Write("k/a.md", "# A\n\na\n");
  EXPECT_THAT(RunAlone({"memory", "load", file, "--dry-run"}).out, HasSubstr("document      k/a.md#A"));
  EXPECT_EQ(RunAlone({"memory", "load", file, "--dry-run", "--json"}).lines()[0]["item"]["content"]["kind"],
            "DOCUMENT");
  const std::string expert = Write("expert.cpp", "std::thread t;");
  const Ran mined =
      RunAlone({"memory", "mine", "--generated", kernel_, "--expert", expert, "--operator", "relu", "--dry-run"});
  EXPECT_EQ(mined.code, 0) << mined.err;
  EXPECT_THAT(mined.out, AllOf(HasSubstr("relu: Work split over threads"), HasSubstr("## Hardware reason")));
}

TEST_F(MemoryProgram, CtrlCLeavesALoadThatCanGoOn) {
  const std::string file = Write("k/a.md", "# A\n\na\n");
  stop_.request_stop();
  const Ran ran = Memory({"load", file});
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(ran.err, HasSubstr("interrupted after 0 of 1 items; the same command goes on"));
}

TEST_F(MemoryProgram, AnItemComesFromAFileAndOptions) {
  const std::string file = Write("r.textproto", "kind: RULE title: 'T' text: 'x' layer: INSTRUCTION");
  EXPECT_THAT(Memory({"add", file}).out, HasSubstr("stored as item-"));
  EXPECT_THAT(Memory({"add", file}).out, HasSubstr("was there already as item-"));
  EXPECT_EQ(
      Memory({"add", file, "--producer", "me", "--key", "k", "--scope", "shared", "--json"}).document()["item_id"],
      "item-k");
  const v1::RecordItemRequest sent = memory().Recorded().back();
  EXPECT_EQ(sent.producer(), "me");
  EXPECT_EQ(sent.scope(), v1::SHARED);
  EXPECT_EQ(sent.content().layer(), v1::INSTRUCTION);
}

TEST_F(MemoryProgram, MiningHasAModelWriteAndSaysWhenTheTemplateDid) {
  const server::ScriptedModelServer model(
      {.replies = {{.text = "# Threads\n\n## Difference\na\n## Hardware reason\nb\n## Pattern\nc\n## Applies when\nd"},
                   {.status = 503, .body = "busy"}}});
  const std::vector<std::string> mine = {
      "mine",
      "--generated",
      kernel_,
      "--expert",
      Write("expert.cpp", "std::thread t;"),
      "--operator",
      "relu",
      "--model-file",
      Write("model.textproto", absl::StrCat("base_url: \"", model.base_url(), "\" model: \"m\""))};
  const Ran by_model = Memory(mine);
  EXPECT_EQ(by_model.code, 0) << by_model.err;
  EXPECT_EQ(by_model.err, "");
  const Ran by_template = Memory(mine);
  EXPECT_EQ(by_template.code, 0) << by_template.err;
  EXPECT_THAT(by_template.err, HasSubstr("the template wrote it, not the model: the model 'm' at"));
  ASSERT_EQ(memory().Recorded().size(), 2U);
  EXPECT_EQ(memory().Recorded()[0].content().title(), "relu: Threads");
  EXPECT_EQ(memory().Recorded()[0].author().model(), "m");
  EXPECT_EQ(memory().Recorded()[1].content().trust(), "user");
  EXPECT_EQ(memory().Recorded()[1].author().model(), "");
}

TEST_F(MemoryProgram, MiningStoresAnInsightAndNeverForHeldOutOperators) {
  const std::string expert = Write("expert.cpp", "std::thread t;");
  const std::vector<std::string> mine = {
      "mine",        "--generated",    kernel_,      "--expert",      expert,  "--operator", "relu",   "--family",
      "elementwise", "--generated-us", "20",         "--expert-us",   "10",    "--clock",    "parent", "--dtype",
      "fp32",        "--architecture", "cpu-x86_64", "--source-item", "case-1"};
  const Ran ran = Memory(mine);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("2.00 times as fast"), HasSubstr("stored as item-insight-")));
  ASSERT_EQ(memory().Recorded().size(), 1U);
  EXPECT_EQ(memory().Recorded()[0].content().kind(), v1::INSIGHT);
  EXPECT_THAT(memory().Recorded()[0].content().source_item_ids(), ElementsAre("case-1"));
  auto held_out = mine;
  held_out.insert(held_out.end(), {"--held-out-operator", "relu"});
  EXPECT_EQ(Memory(held_out).code, 5);
  EXPECT_EQ(Memory({"mine", "--generated", kernel_, "--expert", kernel_, "--operator", "relu"}).code, 5);
  EXPECT_EQ(memory().Recorded().size(), 1U);
}

TEST_F(MemoryProgram, ItemsAreReplacedRetiredSharedAndTakenBack) {
  memory().items["m-1"].set_id("m-1");
  EXPECT_EQ(Memory({"supersede", "m-1", "m-2", "--reason", "newer"}).out, "m-1 is replaced by m-2\n");
  EXPECT_EQ(memory().Superseded()[0].reason(), "newer");
  EXPECT_THAT(Memory({"retire", "m-1", "--reason", "wrong"}).out, HasSubstr("no longer retrieved (it was so before)"));
  EXPECT_THAT(Memory({"promote", "m-1", "--team", "a", "--team", "b", "--reason", "good"}).out,
              HasSubstr("kernelsmith memory revoke shared-1"));
  EXPECT_THAT(memory().LastPromote().teams(), ElementsAre("a", "b"));
  EXPECT_EQ(Memory({"promote", "m-1", "--reason", "good", "--json"}).document()["shared_item_id"], "shared-1");
  EXPECT_EQ(Memory({"revoke", "shared-1", "--reason", "x", "--json"}).document()["sequence"], "8");
}

TEST_F(MemoryProgram, ConflictsAreListedOverPages) {
  EXPECT_EQ(Memory({"conflicts"}).out, "no conflicts\n");
  memory().conflicts.resize(5);
  EXPECT_EQ(Memory({"conflicts", "--json"}).document()["conflicts"].size(), 5U);
  EXPECT_EQ(Memory({"conflicts", "--limit", "3", "--json"}).document()["conflicts"].size(), 3U);
  EXPECT_THAT(Memory({"conflicts", "--limit", "3", "--operator", "relu"}).out, HasSubstr("there are more"));
  EXPECT_THAT(memory().LastConflicts().filter().operators(), ElementsAre("relu"));
}

TEST_F(MemoryProgram, ResidentsAreOfATargetAndAPolicy) {
  memory().residents.set_budget_tokens(10000);
  memory().residents.add_items()->set_rule_text("Reduce in fp32.");
  EXPECT_THAT(Memory({"residents", "--architecture", "ascend-a2", "--soc", "Ascend910B3", "--policy", "sage"}).out,
              HasSubstr("Reduce in fp32."));
  EXPECT_EQ(memory().LastResidents().target().soc(), "Ascend910B3");
  EXPECT_EQ(memory().LastResidents().policy().preset(), "sage");
}

TEST_F(MemoryProgram, PoliciesNeedNoServer) {
  const Ran ran = RunAlone({"memory", "policies"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* name : {"combined", "sage_uniform", "evokernel", "pass_at_k", "external_agent"}) {
    EXPECT_THAT(ran.out, HasSubstr(name));
  }
  const nlohmann::json listed = RunAlone({"memory", "policies", "--json"}).document()["policies"];
  EXPECT_EQ(listed.size(), 16U);
  EXPECT_EQ(listed[0]["preset"], "combined");
}

TEST_F(MemoryProgram, AnExportGoesToAFileAndComesBack) {
  memory().exported = ExampleExport(3);
  const std::string file = folder_.path() + "/team.jsonl";
  const Ran wrote =
      Memory({"export", file, "--family", "matmul", "--exclude-operator", "softmax", "--from-sequence", "7"});
  EXPECT_EQ(wrote.code, 0) << wrote.err;
  EXPECT_THAT(wrote.out, HasSubstr("2 attempts and 1 other items written to " + file));
  EXPECT_THAT(memory().LastExport().filter().families(), ElementsAre("matmul"));
  EXPECT_THAT(memory().LastExport().held_out_operators(), ElementsAre("softmax"));
  EXPECT_EQ(memory().LastExport().from_sequence(), 7U);
  EXPECT_EQ(Memory({"export", file}).code, 5);
  EXPECT_EQ(Memory({"export", file + "2", "--json"}).document()["attempts"], 2);

  const Ran took = Memory({"import", file});
  EXPECT_EQ(took.code, 0) << took.err;
  EXPECT_THAT(took.out, HasSubstr("3 records stored, 0 were there already, 0 refused"));
  EXPECT_EQ(Memory({"import", file, "--json"}).document()["import"]["duplicates"], 3);
}

TEST_F(MemoryProgram, RefusedRowsAreShownAndCodeOne) {
  const std::string file = Write("team.jsonl", ExportLines(ExampleExport(3)));
  memory().refused_rows = {2};
  const Ran ran = Memory({"import", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("row 2 refused: attempt_id is taken by another attempt"));
  const auto lines = Memory({"import", file, "--json"}).lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["refused"]["number"], "2");
}

TEST_F(MemoryProgram, ADamagedFileIsCodeSeventyAndANewerOneCodeFive) {
  const std::string text = ExportLines(ExampleExport(2));
  EXPECT_EQ(Memory({"import", Write("cut.jsonl", text.substr(0, text.size() - 30))}).code, 70);
  v1::ExchangeRow newer;
  newer.mutable_manifest()->set_format(2);
  ASSERT_TRUE(common::SealRow(&newer).ok());
  EXPECT_EQ(Memory({"import", Write("newer.jsonl", ExportLines({newer}))}).code, 5);
}

TEST_F(MemoryProgram, CtrlCLeavesAnImportThatGoesOnAndNoExport) {
  const std::string file = Write("team.jsonl", ExportLines(ExampleExport(6)));
  memory().HoldImportAt(4);
  std::jthread interrupter([&] {
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    while (memory().ImportedRows().count(3) == 0 && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(2));
    stop_.request_stop();
  });
  const Ran broken = Memory({"import", file});
  interrupter.join();
  EXPECT_EQ(broken.code, 130) << broken.err;
  EXPECT_THAT(broken.err, HasSubstr("the same command goes on there (" + file + ".resume)"));
  memory().exported = ExampleExport(1);
  EXPECT_EQ(Memory({"export", folder_.path() + "/out.jsonl"}).code, 130);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out.jsonl"));
  memory().HoldImportAt(0);
  stop_ = std::stop_source();
  const nlohmann::json took = Memory({"import", file, "--json"}).document()["import"];
  EXPECT_EQ(took["complete"], true);
  EXPECT_EQ(took["stored"].get<int>() + took["duplicates"].get<int>() + took["skipped"].get<int>(), 6);
}

TEST_F(MemoryProgram, VerifyingSaysEqualOrWhatDiffersWithCodeOne) {
  v1::VerifyProgress progress;
  progress.set_facts(10);
  progress.set_total_facts(10);
  progress.set_done(true);
  progress.set_equal(true);
  memory().verification = {v1::VerifyProgress(), progress};
  EXPECT_THAT(Memory({"verify"}).out, HasSubstr("equal: 10 facts"));
  EXPECT_EQ(Memory({"verify", "--json"}).document()["equal"], true);
  progress.set_equal(false);
  progress.add_differences("u of case-1");
  memory().verification = {progress};
  const Ran different = Memory({"verify"});
  EXPECT_EQ(different.code, 1);
  EXPECT_THAT(different.out, HasSubstr("u of case-1"));
  memory().verification.clear();
  EXPECT_EQ(Memory({"verify"}).code, 70);
}

TEST_F(MemoryProgram, UpkeepSaysWhatItDid) {
  EXPECT_THAT(Memory({"backup", "/b"}).out,
              AllOf(HasSubstr("2.0 KiB, up to fact 99, in /b"), HasSubstr("server's host")));
  EXPECT_EQ(Memory({"seal"}).out, "1000 items in 2 segments, sealed in 0.50 s\n");
  memory().stats.set_junk_items(4);
  memory().stats.set_embedder("hashed-384");
  EXPECT_THAT(Memory({"stats"}).out, AllOf(HasSubstr("never adopted in ten retrievals"), HasSubstr("hashed-384")));
  stop_.request_stop();
  EXPECT_EQ(Memory({"seal"}).code, 130);
  EXPECT_EQ(Memory({"verify"}).code, 130);
  EXPECT_EQ(Memory({"backup", "/b"}).code, 130);
}

TEST_F(MemoryProgram, TheForestIsDrawnIntoAFile) {
  memory().lineage_pages.resize(1);
  memory().lineage_pages[0].add_nodes()->set_attempt_id("a-1");
  const std::string file = folder_.path() + "/forest.svg";
  EXPECT_EQ(Memory({"lineage", "j-1", "--svg", file}).out, "1 attempts drawn in " + file + "\n");
  EXPECT_THAT(*common::ReadFile(file), HasSubstr("a-1"));
  EXPECT_EQ(Memory({"lineage", "--svg", file, "--json"}).document()["attempts"], 1);
}

TEST_F(MemoryProgram, AMemoryThatIsAwayIsCodeFour) {
  const std::string file = Write("team.jsonl", ExportLines(ExampleExport(1)));
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"verify"}, {"seal"}, {"import", file}, {"export", file + "2"}, {"conflicts"}, {"residents"}, {"stats"}}) {
    std::vector<std::string> whole = {"--memory", "127.0.0.1:1", "--patience-s", "0", "memory"};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(RunAlone(whole).code, 4) << testing::PrintToString(arguments);
  }
}

}  // namespace
}  // namespace kernelsmith::client
