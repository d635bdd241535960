#include "kernelsmith/client/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_io.h"
#include "common/status.h"
#include "kernelsmith/client/endpoints.h"

namespace kernelsmith::client {
namespace {

using testing::HasSubstr;

class TaskFiles : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() + "/" + name;
    EXPECT_TRUE(common::WriteFileAtomically(path, content).ok());
    return path;
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-task-test");
};

TEST_F(TaskFiles, APythonFileIsAKernelBenchTask) {
  const auto task = LoadTask(Write("softmax.py", "class Model: pass\n"));
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ(task->kernelbench().file_name(), "softmax.py");
  EXPECT_EQ(task->kernelbench().source(), "class Model: pass\n");
}

TEST_F(TaskFiles, AFolderWithTaskYamlIsANativeTask) {
  Write("task.yaml", "name: x\n");
  Write("reference.py", "def f(): pass\n");
  Write("notes.txt", "not part of it");
  const auto task = LoadTask(folder());
  ASSERT_TRUE(task.ok()) << task.status();
  ASSERT_EQ(task->native().files_size(), 2);
  EXPECT_EQ(task->native().files(0).name(), "reference.py");
  EXPECT_EQ(task->native().files(1).content(), "name: x\n");
}

TEST_F(TaskFiles, AJsonFileIsATaskSource) {
  const auto task = LoadTask(Write("task.json", R"({"kernelbench": {"file_name": "a.py", "source": "x"},
                                                    "overrides": {"N": "8"}, "dtype": "FP16"})"));
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ(task->overrides().at("N"), "8");
  EXPECT_EQ(task->dtype(), v1::FP16);
}

TEST_F(TaskFiles, WhatIsNoTaskIsRefusedWithItsPathAndTheReason) {
  const struct {
    std::string path;
    const char* reason;
  } rows[] = {{folder() + "/absent.py", "there is no file"},
              {folder() + "/absent", "there is no file"},
              {Write("binary.py", "x = '\xff'"), "no UTF-8"},
              {Write("\xff.py", "x = 1"), "no UTF-8"},
              {folder(), "no task.yaml"},
              {Write("kernel.cpp", ""), "neither a KernelBench file"},
              {Write("broken.json", "{"), "broken.json"},
              {Write("empty.json", "{}"), "holds no task"},
              {Write("other.json", R"({"unknown": 1})"), "unknown"}};
  for (const auto& row : rows) {
    const auto task = LoadTask(row.path);
    EXPECT_TRUE(absl::IsInvalidArgument(task.status())) << row.path << ": " << task.status();
    EXPECT_THAT(std::string(task.status().message()), HasSubstr(row.reason));
    EXPECT_EQ(common::FieldOf(task.status()), "task");
  }
}

TEST_F(TaskFiles, ACandidateIsACppFileUnderTheNameThatWorkersExpect) {
  const auto candidate = LoadCandidate(Write("my_best.cc", "int x;"));
  ASSERT_TRUE(candidate.ok()) << candidate.status();
  EXPECT_EQ(candidate->kind(), v1::Candidate::CPU_SOURCE);
  EXPECT_EQ(candidate->files(0).name(), "kernel.cpp");
  EXPECT_EQ(candidate->files(0).content(), "int x;");
  EXPECT_TRUE(absl::IsInvalidArgument(LoadCandidate(Write("kernel.py", "")).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(LoadCandidate(folder() + "/absent.cpp").status()));
}

TEST_F(TaskFiles, AnAscendCandidateIsAFolderOfTwoFiles) {
  Write("kernel.asc", "kernel");
  EXPECT_THAT(std::string(LoadCandidate(folder()).status().message()), HasSubstr("has no plan.cpp"));
  Write("plan.cpp", "plan");
  const auto candidate = LoadCandidate(folder());
  ASSERT_TRUE(candidate.ok()) << candidate.status();
  EXPECT_EQ(candidate->kind(), v1::Candidate::ASCEND_KERNEL);
  EXPECT_TRUE(CheckCandidateFits(*candidate, "ascend").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCandidateFits(*candidate, "cpu")));
  Write("plan.cpp", " \n");
  EXPECT_THAT(std::string(LoadCandidate(folder()).status().message()), HasSubstr("plan.cpp is empty"));
}

TEST(Overrides, AreNamesWithPythonLiterals) {
  v1::TaskSource task;
  EXPECT_TRUE(AddOverride("N=512", task).ok());
  EXPECT_TRUE(AddOverride("shape = (2, 3) ", task).ok());
  EXPECT_TRUE(AddOverride("text='a=b'", task).ok());
  EXPECT_EQ(task.overrides().at("N"), "512");
  EXPECT_EQ(task.overrides().at("shape"), "(2, 3)");
  EXPECT_EQ(task.overrides().at("text"), "'a=b'");
  for (const char* bad : {"N", "=1", "N=", "1N=2", "a b=1", ""}) {
    EXPECT_TRUE(absl::IsInvalidArgument(AddOverride(bad, task))) << bad;
  }
}

TEST(DTypes, HaveShortNames) {
  EXPECT_EQ(*ParseDType("fp16"), v1::FP16);
  EXPECT_EQ(*ParseDType("BF16"), v1::BF16);
  for (const char* bad : {"", "half", "dtype_unspecified"}) {
    const auto dtype = ParseDType(bad);
    EXPECT_TRUE(absl::IsInvalidArgument(dtype.status())) << bad;
    EXPECT_THAT(std::string(dtype.status().message()), HasSubstr("known are fp32, fp16, bf16"));
  }
}

TEST(EndpointsFile, SurvivesARoundTrip) {
  const Endpoints endpoints{
      .server = "127.0.0.1:1",
      .memory = "127.0.0.1:2",
      .supervisor_pid = 77,
      .daemons = {{.name = "worker-0", .address = "", .metrics_address = "127.0.0.1:3", .log_file = "/l"}}};
  const auto parsed = ParseEndpoints(FormatEndpoints(endpoints), "f");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(FormatEndpoints(*parsed), FormatEndpoints(endpoints));
}

TEST(EndpointsFile, ThatMakesNoSenseIsRefusedByName) {
  for (const char* text : {"", "[]", "{", "{}", R"({"server": 7})"}) {
    const auto parsed = ParseEndpoints(text, "endpoints.json");
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << text;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("endpoints.json"));
  }
}

TEST(EndpointsFile, ThatIsMissingSaysHowToStartAServer) {
  const auto read = ReadEndpoints("/nonexistent");
  EXPECT_TRUE(absl::IsNotFound(read.status()));
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("kernelsmith up"));
}

}  // namespace
}  // namespace kernelsmith::client
