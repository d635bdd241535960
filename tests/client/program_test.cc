// The whole program in this process against scripted servers: exit codes, JSON documents, what it sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/client/example_job.h"
#include "tests/client/program_run.h"

namespace kernelsmith::client {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Program : public ProgramRun {
 protected:
  v1::Job EndedAs(v1::JobState state) {
    v1::Job job = ExampleJob();
    job.set_state(state);
    job.set_incumbent_round(0);
    server_.coordinator.AddJob(job, ExampleEvents());
    return job;
  }
};

TEST_F(Program, EveryCommandHasHelpWithAnExample) {
  const std::vector<std::vector<std::string>> commands = {{"up"},
                                                          {"submit"},
                                                          {"watch"},
                                                          {"extend"},
                                                          {"cancel"},
                                                          {"jobs"},
                                                          {"show"},
                                                          {"best"},
                                                          {"eval"},
                                                          {"compare"},
                                                          {"cards"},
                                                          {"cards", "drain"},
                                                          {"cards", "undrain"},
                                                          {"dead-letters"},
                                                          {"dead-letters", "replay"},
                                                          {"doctor"},
                                                          {"version"}};
  for (std::vector<std::string> command : commands) {
    command.push_back("--help");
    const Ran ran = Run(command);
    EXPECT_EQ(ran.code, 0) << command[0];
    EXPECT_THAT(ran.out, HasSubstr("Example")) << command[0];
  }
}

TEST_F(Program, AWrongCommandLineIsCodeTwo) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"frobnicate"},
      {"submit"},
      {"submit", "x.py", "--rounds", "0"},
      {"submit", "x.py", "--rounds", "many"},
      {"submit", "x.py", "--watch", "--detach"},
      {"submit", folder_.path() + "/absent.py"},
      {"submit", task_, "--set", "N"},
      {"submit", task_, "--set", "N=abc("},
      {"submit", task_, "--set", "K=3"},
      {"submit", task_, "--dtype", "int32"},
      {"submit", task_, "--card-kind", "gpu"},
      {"submit", task_, "--card-kind", "ascend", "--start-from", kernel_},
      {"submit", task_, "--endpoint", "local"},
      {"submit", task_, "--out", kernel_},
      {"submit", task_, "--out", kernel_ + "/below"},
      {"extend", "j-1", "--rounds", "1", "--out", kernel_},
      {"eval", task_, kernel_, "--set", "N=[1"},
      {"eval", task_, kernel_, "--card-kind", "gpu"},
      {"eval", task_, kernel_, "--card-kind", "ascend"},
      {"eval", task_, folder_.path()},
      {"eval", task_, kernel_, "--samples", "2"},
      {"compare", task_, kernel_, kernel_, "--card-kind", "ascend"},
      {"submit", task_, "--dtype", "half"},
      {"submit", task_, "--wall", "soon"},
      {"submit", task_, "--proposer", "chat"},
      {"submit", task_, "--proposer", "oracle"},
      {"submit", task_, "--policy", "best"},
      {"submit", task_, "--start-from", task_},
      {"extend", "j-1"},
      {"jobs", "--state", "asleep"},
      {"show", "j-1", "--round", "0"},
      {"eval", task_},
      {"memory"},
      {"dead-letters", "replay"},
      {"dead-letters", "--limit", "0"},
  };
  for (const auto& arguments : wrong) {
    const Ran ran = Run(arguments);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(arguments) << ran.err;
    EXPECT_THAT(ran.err, Not(IsEmpty())) << testing::PrintToString(arguments);
  }
}

TEST_F(Program, AValueThatIsNoPythonLiteralNeverReachesTheServer) {
  const Ran ran = Run({"submit", task_, "--set", "N=abc("});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("'N=abc('"), HasSubstr("'abc' is no value"), HasSubstr("Python literal")));
  EXPECT_EQ(server_.coordinator.Calls("SubmitJob"), 0);
}

TEST_F(Program, AFolderWithKernelAndPlanIsAnAscendCandidate) {
  Write("cand/kernel.asc", "kernel\n");
  Write("cand/plan.cpp", "plan\n");
  ASSERT_EQ(Run({"eval", task_, folder_.path() + "/cand", "--card-kind", "ascend"}).code, 0);
  const v1::Candidate sent = server_.coordinator.LastEvaluate().candidate();
  EXPECT_EQ(sent.kind(), v1::Candidate::ASCEND_KERNEL);
  ASSERT_EQ(sent.files_size(), 2);
  EXPECT_EQ(sent.files(0).name(), "kernel.asc");
  EXPECT_EQ(sent.files(1).content(), "plan\n");
  EXPECT_THAT(Run({"eval", task_, folder_.path() + "/cand"}).err, HasSubstr("add --card-kind ascend"));
}

TEST_F(Program, EveryPolicyPresetMayBeSubmitted) {
  for (const char* policy : {"combined", "sage", "evokernel", "memrl", "refinement", "external_agent"}) {
    EXPECT_EQ(Run({"submit", task_, "--detach", "--policy", policy}).code, 0) << policy;
    EXPECT_EQ(server_.coordinator.LastSubmit().spec().policy().preset(), policy);
  }
}

TEST_F(Program, WhatTheServerDoesNotKnowIsCodeThree) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"show", "j-2"},
                                             {"watch", "j-2"},
                                             {"cancel", "j-2"},
                                             {"best", "j-2"},
                                             {"extend", "j-2", "--rounds", "1"},
                                             {"show", "j-1", "--round", "9"},
                                             {"cards", "drain", "nobody"},
                                             {"dead-letters", "replay", "j-2/1/evaluate"},
                                             {"memory", "show", "m-2"}}) {
    EXPECT_EQ(Run(arguments).code, 3) << testing::PrintToString(arguments);
  }
}

TEST_F(Program, DeadLettersAreListedOverPagesAndTakenUpAgain) {
  EXPECT_THAT(Run({"dead-letters"}).out, HasSubstr("no evaluation was given up"));
  std::vector<v1::DeadLetter> letters(501);
  for (size_t i = 0; i < letters.size(); ++i) letters[i].set_id("call-" + std::to_string(i));
  letters[500].set_id("j-1/4/evaluate");
  letters[500].set_job_id("j-1");
  letters[500].set_round(4);
  letters[500].set_failures(5);
  letters[500].set_reason("h-cpu0: the disk is full");
  server_.coordinator.SetDeadLetters(letters);
  EXPECT_EQ(Run({"dead-letters", "--json"}).document()["letters"].size(), 50U);
  EXPECT_EQ(Run({"dead-letters", "--limit", "1000", "--json"}).document()["letters"].size(), 501U);
  EXPECT_THAT(Run({"dead-letters", "--limit", "501"}).out,
              AllOf(HasSubstr("j-1/4/evaluate"), HasSubstr("h-cpu0: the disk is full")));
  const Ran replayed = Run({"dead-letters", "replay", "j-1/4/evaluate"});
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("kernelsmith watch j-1"));
  EXPECT_EQ(Run({"dead-letters", "replay", "j-1/4/evaluate", "--json"}).document()["id"], "j-1");
}

TEST_F(Program, ARefusedReplayIsCodeFive) {
  server_.coordinator.FailNext("ReplayDeadLetter", grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "goes on"));
  EXPECT_EQ(Run({"dead-letters", "replay", "x"}).code, 5);
  server_.coordinator.FailNext("ListDeadLetters", grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "needs admin"));
  EXPECT_EQ(Run({"dead-letters"}).code, 5);
}

TEST_F(Program, AnUnreachableOrUnknownServerIsCodeFour) {
  const Ran away = RunAlone({"--server", "127.0.0.1:1", "--patience-s", "0", "jobs"});
  EXPECT_EQ(away.code, 4);
  EXPECT_THAT(away.err, HasSubstr("127.0.0.1:1"));
  const Ran unknown = RunAlone({"jobs"});
  EXPECT_EQ(unknown.code, 4);
  EXPECT_THAT(unknown.err, HasSubstr("kernelsmith up"));
}

TEST_F(Program, ARefusalIsCodeFive) {
  for (const auto code : {grpc::StatusCode::FAILED_PRECONDITION, grpc::StatusCode::RESOURCE_EXHAUSTED,
                          grpc::StatusCode::PERMISSION_DENIED, grpc::StatusCode::UNAUTHENTICATED}) {
    server_.coordinator.FailNext("SubmitJob", {code, "not now"});
    const Ran ran = Run({"submit", task_, "--detach"});
    EXPECT_EQ(ran.code, 5);
    EXPECT_THAT(ran.err, HasSubstr("not now"));
  }
}

TEST_F(Program, ABrokenServerIsCodeSeventy) {
  server_.coordinator.FailNext("GetJob", {grpc::StatusCode::DATA_LOSS, "bad disk"});
  EXPECT_EQ(Run({"show", "j-1"}).code, 70);
}

TEST_F(Program, TheEndOfAJobIsTheExitCodeOfItsWatch) {
  const struct {
    v1::JobState state;
    int code;
  } rows[] = {{v1::EXHAUSTED, 1}, {v1::FAILED, 1}, {v1::CANCELLED, 6}};
  for (const auto& row : rows) {
    EndedAs(row.state);
    EXPECT_EQ(Run({"watch", "j-1"}).code, row.code) << v1::JobState_Name(row.state);
  }
  EXPECT_EQ(Run({"best", "j-1"}).code, 1);
  EndedAs(v1::RUNNING_ROUND);
  EXPECT_EQ(Run({"best", "j-1"}).code, 5);
}

TEST_F(Program, TheVerdictIsTheExitCodeOfEval) {
  const struct {
    v1::EvaluationStatus status;
    int code;
  } rows[] = {{v1::PASSED, 0},       {v1::COMPILE_ERROR, 1},  {v1::INCORRECT_NUMERICAL, 1}, {v1::REWARD_HACK, 1},
              {v1::INVALID_TASK, 2}, {v1::INFRASTRUCTURE, 5}, {v1::EVALUATION_CANCELLED, 6}};
  for (const auto& row : rows) {
    v1::EvaluationReport report;
    report.set_status(row.status);
    server_.coordinator.SetReport(report);
    EXPECT_EQ(Run({"eval", task_, kernel_}).code, row.code) << v1::EvaluationStatus_Name(row.status);
  }
}

TEST_F(Program, CtrlCIsCode130AndLeavesTheJobAlone) {
  server_.coordinator.HoldWatches(true);
  stop_.request_stop();
  const Ran ran = Run({"submit", task_});
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(ran.err, HasSubstr("job j-1 goes on; see it again with: kernelsmith watch j-1"));
  EXPECT_EQ(server_.coordinator.Calls("CancelJob"), 0);
}

TEST_F(Program, SubmitSendsWhatTheOptionsSay) {
  const Ran ran =
      Run({"submit", task_,        "--detach", "--set",        "N=512", "--set",          "M=(1, 2)", "--dtype",
           "fp16",   "--rounds",   "7",        "--wall",       "2m",    "--goal-speedup", "1.5",      "--patience",
           "3",      "--priority", "-4",       "--seed",       "9",     "--policy",       "kope",     "--start-from",
           kernel_,  "--name",     "mine",     "--request-id", "r1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("job j-1 submitted"));
  const v1::SubmitJobRequest sent = server_.coordinator.LastSubmit();
  const v1::JobSpec& spec = sent.spec();
  EXPECT_EQ(sent.request_id(), "r1");
  EXPECT_EQ(spec.name(), "mine");
  EXPECT_EQ(spec.task().overrides().at("M"), "(1, 2)");
  EXPECT_EQ(spec.task().overrides().at("N"), "512");
  EXPECT_EQ(spec.task().dtype(), v1::FP16);
  EXPECT_EQ(spec.budget().rounds(), 7);
  EXPECT_DOUBLE_EQ(spec.budget().wall_s(), 120);
  EXPECT_DOUBLE_EQ(spec.goal().speedup_vs_baseline(), 1.5);
  EXPECT_EQ(spec.goal().rounds_without_gain(), 3);
  EXPECT_EQ(spec.priority(), -4);
  EXPECT_EQ(spec.proposer().catalog().seed(), 9U);
  EXPECT_EQ(spec.policy().preset(), "kope");
  EXPECT_EQ(spec.start_from().files(0).content(), "int x;\n");
  EXPECT_EQ(spec.card_kind(), "cpu");
}

TEST_F(Program, AChatProposerNamesItsEndpoint) {
  ASSERT_EQ(Run({"submit", task_, "--detach", "--proposer", "chat", "--endpoint", "local-model", "--model", "m"}).code,
            0);
  const v1::ChatProposer chat = server_.coordinator.LastSubmit().spec().proposer().chat();
  EXPECT_EQ(chat.endpoint(), "local-model");
  EXPECT_EQ(chat.model(), "m");
}

TEST_F(Program, SubmitShowsProgressThenTheTableAndWritesTheKernel) {
  const std::string out = folder_.path() + "/best";
  const Ran ran = Run({"submit", task_, "--out", out});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("round 2/3 refining, from round 1"), HasSubstr("first correct"),
                    HasSubstr("against PyTorch 1.13.0"), HasSubstr("overhead"), HasSubstr("README.md explains")));
  EXPECT_EQ(*common::ReadFile(out + "/kernel.cpp"), "// round 2\n");
}

TEST_F(Program, StreamsAreJsonLinesWithJson) {
  const Ran ran = Run({"submit", task_, "--json", "--out", folder_.path() + "/best"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto lines = ran.lines();
  ASSERT_EQ(lines.size(), 11U) << ran.out;
  EXPECT_EQ(lines[0]["submitted"]["job"]["id"], "j-1");
  EXPECT_EQ(lines[4]["round_recorded"]["best_us"], 100);
  EXPECT_EQ(lines[4]["sequence"], "4");
  EXPECT_EQ(lines[8]["job_ended"]["state"], "SUCCEEDED");
  EXPECT_EQ(lines[9]["job"]["best_us"], 50);
  EXPECT_EQ(lines[10]["kernel_folder"], folder_.path() + "/best");
  const auto evaluation = Run({"--json", "eval", task_, kernel_}).lines();
  ASSERT_EQ(evaluation.size(), 2U);
  EXPECT_EQ(evaluation[0]["activity"], "compiling");
  EXPECT_EQ(evaluation[1]["report"]["status"], "PASSED");
}

TEST_F(Program, EveryOtherCommandPrintsOneJsonDocument) {
  v1::Card card;
  card.set_worker_id("h-cpu0");
  server_.coordinator.SetCards({card});
  server_.memory.items["m-1"].set_id("m-1");
  server_.memory.found.add_items()->mutable_item()->set_id("m-1");
  server_.memory.lineage_pages.resize(1);
  server_.memory.lineage_pages[0].add_nodes()->set_attempt_id("a-1");
  server_.memory.stats.set_items(4);
  EXPECT_EQ(Run({"jobs", "--json"}).document()["jobs"][0]["id"], "j-1");
  EXPECT_EQ(Run({"show", "j-1", "--json"}).document()["state"], "SUCCEEDED");
  EXPECT_EQ(Run({"show", "j-1", "--round", "2", "--json"}).document()["round"], 2);
  EXPECT_EQ(Run({"show", "j-1", "--logs", "--json"}).document()["logs"].size(), 0U);
  EXPECT_EQ(Run({"best", "j-1", "--json"}).document()["round"], 2);
  EXPECT_EQ(Run({"submit", task_, "--detach", "--json"}).document()["job"]["id"], "j-1");
  EXPECT_EQ(Run({"extend", "j-1", "--rounds", "2", "--detach", "--json"}).document()["id"], "j-1");
  EXPECT_EQ(server_.coordinator.LastExtend().extra().rounds(), 2);
  EXPECT_EQ(Run({"cards", "--json"}).document()["cards"][0]["worker_id"], "h-cpu0");
  EXPECT_EQ(Run({"cards", "drain", "h-cpu0", "--json"}).document()["draining"], true);
  EXPECT_EQ(Run({"cards", "undrain", "h-cpu0", "--json"}).document()["draining"], false);
  EXPECT_EQ(Run({"memory", "search", "vector", "exp", "--json"}).document()["items"][0]["item"]["id"], "m-1");
  EXPECT_EQ(Run({"memory", "show", "m-1", "--json"}).document()["id"], "m-1");
  EXPECT_EQ(Run({"memory", "lineage", "j-1", "--json"}).document()["nodes"][0]["attempt_id"], "a-1");
  EXPECT_EQ(Run({"memory", "lineage", "--session", "j-1", "--json"}).document()["nodes"].size(), 1U);
  EXPECT_EQ(Run({"memory", "stats", "--json"}).document()["items"], "4");
  EXPECT_TRUE(Run({"version", "--json"}).document().contains("version"));
  EXPECT_EQ(Run({"cancel", "j-1", "--json"}).document()["state"], "CANCELLED");
}

TEST_F(Program, ErrorsAreJsonOnStderrWithJson) {
  const Ran ran = Run({"show", "j-2", "--json"});
  const json error = json::parse(ran.err, nullptr, false);
  EXPECT_EQ(error["error"]["code"], "NOT_FOUND");
  EXPECT_THAT(ran.out, IsEmpty());
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--json"},
                                                {"--json", "submit"},
                                                {"frobnicate", "--json"},
                                                {"jobs", "--frobnicate", "--json"},
                                                {"jobs", "--limit", "x", "--json"}}) {
    const Ran usage = Run(wrong);
    EXPECT_EQ(usage.code, 2) << testing::PrintToString(wrong);
    EXPECT_EQ(json::parse(usage.err, nullptr, false)["error"]["code"], "INVALID_ARGUMENT")
        << testing::PrintToString(wrong) << usage.err;
  }
}

TEST_F(Program, ACommandThatDoesNotExistIsNamed) {
  EXPECT_THAT(Run({"frobnicate"}).err, HasSubstr("'frobnicate'"));
  EXPECT_THAT(RunAlone({"--patience-s", "1", "frobnicate"}).err, HasSubstr("'frobnicate'"));
  EXPECT_THAT(Run({"memory", "frob\nnicate"}).err, HasSubstr("'frob\\nnicate'"));
}

TEST_F(Program, PeopleGetTextFromEveryCommand) {
  const struct {
    std::vector<std::string> arguments;
    const char* text;
  } rows[] = {{{"jobs"}, "j-1  softmax  succeeded"},
              {{"jobs", "--state", "failed"}, "no jobs"},
              {{"show", "j-1"}, "first correct"},
              {{"show", "j-1", "--round", "2"}, "thought: move 2"},
              {{"show", "j-1", "--logs"}, "no logs"},
              {{"best", "j-1"}, "// round 2"},
              {{"cards"}, "no worker has connected yet"},
              {{"eval", task_, kernel_}, "PASSED"},
              {{"compare", task_, kernel_, kernel_}, "no comparison"},
              {{"memory", "search", "x"}, "nothing found"},
              {{"memory", "lineage"}, "no attempts"},
              {{"memory", "stats"}, "harmful adoptions"},
              {{"version"}, "kernelsmith 0."},
              {{"cancel", "j-1"}, "job j-1 is cancelled"}};
  for (const auto& row : rows) {
    const Ran ran = Run(row.arguments);
    EXPECT_EQ(ran.code, 0) << testing::PrintToString(row.arguments) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(row.text)) << testing::PrintToString(row.arguments);
  }
}

TEST_F(Program, TheServerIsFoundByOptionThenEnvironmentThenFile) {
  Write("endpoints.json", R"({"server": ")" + server_.address() + R"(", "memory": ")" + server_.address() + R"("})");
  EXPECT_EQ(RunAlone({"jobs"}).code, 0);
  setenv("KERNELSMITH_SERVER", "127.0.0.1:1", 1);
  EXPECT_EQ(RunAlone({"--patience-s", "0", "jobs"}).code, 4);
  EXPECT_EQ(RunAlone({"--server", server_.address(), "jobs"}).code, 0);
  unsetenv("KERNELSMITH_SERVER");
  EXPECT_EQ(RunAlone({"memory", "stats"}).code, 0);
}

TEST_F(Program, TheTokenComesFromTheEnvironmentOrAFile) {
  EXPECT_EQ(Run({"--token-file", Write("token", "from-file\n"), "cards"}).code, 0);
  EXPECT_EQ(server_.coordinator.LastToken(), "Bearer from-file");
  setenv("KERNELSMITH_TOKEN", "from-environment", 1);
  EXPECT_EQ(Run({"cards"}).code, 0);
  EXPECT_EQ(server_.coordinator.LastToken(), "Bearer from-environment");
  unsetenv("KERNELSMITH_TOKEN");
}

TEST_F(Program, ArgumentsAndTasksAreText) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"show", "j-\xff"},
                                                {"submit", task_, "--name", "\xc3"},
                                                {"submit", Write("b.py", "\xff")}}) {
    const Ran ran = Run(wrong);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("UTF-8"));
  }
}

TEST_F(Program, ADataFolderThatCannotBeIsCodeTwo) {
  EXPECT_EQ(RunAlone({"--data", task_, "up", "--", "true"}).code, 2);
  EXPECT_EQ(RunAlone({"--data", task_, "jobs"}).code, 2);
  Write("endpoints.json", "garbage");
  EXPECT_EQ(RunAlone({"jobs"}).code, 2);
}

TEST_F(Program, UpSaysWhichDaemonIsMissing) {
  const Ran ran = RunAlone({"up", "--programs", folder_.path(), "--", "true"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("kernelsmith-memory"));
}

}  // namespace
}  // namespace kernelsmith::client
