// What of the reference is pure: names, hashes, seeds, the cache, the parsing of untrusted answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "worker/reference/channel.h"
#include "worker/reference/inspection.h"
#include "worker/reference/probes.h"
#include "worker/reference/seeds.h"
#include "worker/reference/task_identity.h"
#include "worker/reference/variant_cache.h"

namespace kernelsmith::worker {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(TaskIdentityTest, NamesComeFromFileNames) {
  for (const auto& [file, name] : {std::pair{"1_Square_matrix_multiplication_.py", "square_matrix_multiplication"},
                                   std::pair{"softmax.py", "softmax"}, std::pair{"/a/b/23_Softmax.py", "softmax"},
                                   std::pair{"LayerNorm-v2.py", "layernorm_v2"}, std::pair{"7.py", "7"},
                                   std::pair{"___.py", ""}, std::pair{"rms_norm", "rms_norm"}}) {
    EXPECT_EQ(TaskNameOf(file), name) << file;
  }
}

TEST(TaskIdentityTest, TheHashCoversSourceOverridesAndTypeButNotTheName) {
  v1::TaskSource base;
  base.mutable_kernelbench()->set_source("x = 1");
  base.mutable_kernelbench()->set_file_name("a.py");
  const std::string hash = TaskHash(base);
  EXPECT_EQ(hash.size(), 64u);
  v1::TaskSource renamed = base;
  renamed.mutable_kernelbench()->set_file_name("b.py");
  EXPECT_EQ(TaskHash(renamed), hash);
  v1::TaskSource source = base;
  source.mutable_kernelbench()->set_source("x = 2");
  v1::TaskSource overridden = base;
  (*overridden.mutable_overrides())["x"] = "3";
  v1::TaskSource typed = base;
  typed.set_dtype(v1::FP16);
  v1::TaskSource native;
  native.mutable_native()->add_files()->set_content("x = 1");
  for (const v1::TaskSource& other : {source, overridden, typed, native}) EXPECT_NE(TaskHash(other), hash);
}

TEST(SeedTest, EveryPartOfTheKeyChangesTheSeed) {
  const VariantKey key{"hash", "c0", 1, 2};
  const int64_t seed = VariantSeed("secret", key);
  EXPECT_GT(seed, 0);
  EXPECT_EQ(VariantSeed("secret", key), seed);
  EXPECT_NE(VariantSeed("other", key), seed);
  for (const VariantKey& other :
       {VariantKey{"hash2", "c0", 1, 2}, VariantKey{"hash", "c1", 1, 2}, VariantKey{"hash", "c0", 2, 2},
        VariantKey{"hash", "c0", 1, 3}, VariantKey{"hashc", "0", 1, 2}}) {
    EXPECT_NE(VariantSeed("secret", other), seed);
  }
}

v1::TaskCase SmallCase() {
  v1::TaskCase task_case;
  task_case.set_id("c0");
  task_case.set_argument_count(1);
  for (v1::TensorDescriptor* tensor : {task_case.add_inputs(), task_case.add_outputs()}) {
    tensor->set_dtype(v1::FP32);
    tensor->add_shape(64);
  }
  task_case.mutable_inputs(0)->set_name("x");
  task_case.mutable_outputs(0)->set_name("y");
  return task_case;
}

Variant MakeVariant(const v1::TaskCase& task_case, float value) {
  Variant variant;
  const std::vector<v1::TensorDescriptor> inputs(task_case.inputs().begin(), task_case.inputs().end());
  const std::vector<v1::TensorDescriptor> outputs(task_case.outputs().begin(), task_case.outputs().end());
  variant.inputs = *PackedTensors::Create(inputs, SharedMemory::Access::kChildWrites);
  variant.expected.values = *PackedTensors::Create(ExpectedDescriptors(outputs), SharedMemory::Access::kChildWrites);
  for (int i = 0; i < 64; ++i) {
    const float x = value + static_cast<float>(i);
    std::memcpy(variant.inputs.Bytes(0).data() + 4 * i, &x, 4);
    const float y = 2 * x;
    std::memcpy(variant.expected.values.Bytes(0).data() + 4 * i, &y, 4);
  }
  variant.expected.numbers = {{1.5, 1e-7}};
  variant.expected.note = "note";
  return variant;
}

class VariantCacheTest : public ::testing::Test {
 protected:
  VariantCacheTest() {
    std::string pattern = absl::StrCat(::testing::TempDir(), "/variants-XXXXXX");
    folder_ = mkdtemp(pattern.data());
  }
  ~VariantCacheTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path OnlyFile() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == ".variant") return entry.path();
    }
    return {};
  }
  std::string folder_;
  const v1::TaskCase case_ = SmallCase();
  const VariantKey key_{"hash", "c0", 0, 1};
};

TEST_F(VariantCacheTest, WhatIsStoredIsFoundAgainWithItsFigures) {
  const VariantCache cache(folder_, 1 << 20);
  EXPECT_FALSE(cache.Load(case_, key_, "secret").has_value());
  ASSERT_TRUE(cache.Store(MakeVariant(case_, 3), key_, "secret").ok());
  const auto found = cache.Load(case_, key_, "secret");
  ASSERT_TRUE(found.has_value());
  float value = 0;
  std::memcpy(&value, found->expected.values.Bytes(0).data() + 4, 4);
  EXPECT_EQ(value, 8);
  EXPECT_EQ(found->expected.numbers[0].rms, 1.5);
  EXPECT_EQ(found->expected.note, "note");
  EXPECT_FALSE(cache.Load(case_, key_, "another secret").has_value());
  EXPECT_FALSE(cache.Load(case_, {"hash", "c0", 1, 1}, "secret").has_value());
}

TEST_F(VariantCacheTest, ADamagedFileIsNoVariantAndGoes) {
  const VariantCache cache(folder_, 1 << 20);
  for (const int position : {0, 9, 40, 300, -1}) {
    ASSERT_TRUE(cache.Store(MakeVariant(case_, 3), key_, "secret").ok());
    const std::filesystem::path path = OnlyFile();
    const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
    if (position >= 0) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(position < 100 ? position : size - 100);
      file.put('\x7f');
    } else {
      std::filesystem::resize_file(path, static_cast<uintmax_t>(size - 10));
    }
    EXPECT_FALSE(cache.Load(case_, key_, "secret").has_value()) << position;
    EXPECT_FALSE(std::filesystem::exists(path)) << position;
  }
}

TEST_F(VariantCacheTest, TheLeastRecentlyUsedGoFirst) {
  const VariantCache cache(folder_, 4096);
  for (uint32_t variant = 0; variant < 20; ++variant) {
    ASSERT_TRUE(cache.Store(MakeVariant(case_, 1), {"hash", "c0", variant, 1}, "secret").ok());
  }
  int64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    total += static_cast<int64_t>(entry.file_size());
  }
  EXPECT_LE(total, 4096);
  EXPECT_TRUE(cache.Load(case_, {"hash", "c0", 19, 1}, "secret").has_value());
  EXPECT_FALSE(cache.Load(case_, {"hash", "c0", 0, 1}, "secret").has_value());
}

TEST_F(VariantCacheTest, AFolderThatCannotBeWrittenIsAnError) {
  const VariantCache cache("/proc/no-such-folder", 1 << 20);
  EXPECT_FALSE(cache.Store(MakeVariant(case_, 1), key_, "secret").ok());
}

json GoodAnswer() {
  return json::parse(R"({"ok": true, "cases": [{"id": "c0", "argument_count": 1, "attributes": {"dim": "1"},
    "hidden": false, "timed": true,
    "inputs": [{"name": "x", "dtype": "FP32", "shape": [4, 8]}],
    "outputs": [{"name": "output", "dtype": "FP32", "shape": [4, 8]}]}],
    "graph": [{"name": "x", "op": "input", "inputs": [], "attributes": {}}], "family": "row_reduction", "name": "",
    "level": "", "tolerance": {}, "dropped": ["m.running_mean"], "version": "1.13.0", "threads": 2})");
}

v1::TaskSource Source() {
  v1::TaskSource source;
  source.mutable_kernelbench()->set_file_name("23_Softmax.py");
  source.mutable_kernelbench()->set_source("...");
  return source;
}

TEST(InspectionTest, AnAnswerBecomesASpecification) {
  const auto spec = SpecFromInspection(Source(), GoodAnswer());
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->name(), "softmax");
  EXPECT_EQ(spec->family(), "row_reduction");
  EXPECT_EQ(spec->cases(0).inputs(0).shape(1), 8);
  EXPECT_EQ(spec->cases(0).attributes().at("dim"), "1");
  EXPECT_EQ(spec->baseline(), "PyTorch 1.13.0, 2 threads, fp32 compute");
  EXPECT_THAT(spec->probe_notes(0), HasSubstr("m.running_mean"));
}

TEST(InspectionTest, AnAnswerOfAnotherFormIsRefused) {
  for (const char* field : {"cases", "graph", "family", "version", "tolerance", "dropped"}) {
    json answer = GoodAnswer();
    answer.erase(field);
    EXPECT_EQ(SpecFromInspection(Source(), answer).status().code(), absl::StatusCode::kDataLoss) << field;
    answer[field] = json::array({1});
    EXPECT_FALSE(SpecFromInspection(Source(), answer).ok()) << field;
  }
}

TEST(InspectionTest, ImpossibleCasesAreRefusedWithAReason) {
  struct Case {
    const char* what;
    const char* shape;
    const char* says;
  };
  for (const Case& entry : {Case{"empty", "[0, 8]", "no elements"}, Case{"huge", "[100000, 100000]", "override"},
                            Case{"negative", "[-1]", ""}}) {
    json answer = GoodAnswer();
    answer["cases"][0]["inputs"][0]["shape"] = json::parse(entry.shape);
    const auto spec = SpecFromInspection(Source(), answer);
    ASSERT_FALSE(spec.ok()) << entry.what;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr(entry.says));
  }
  json answer = GoodAnswer();
  answer["cases"][0]["outputs"] = json::array();
  EXPECT_FALSE(SpecFromInspection(Source(), answer).ok());
}

TEST(InspectionTest, ErrorFiguresMustBeThereAndSane) {
  EXPECT_TRUE(NumbersFromAnswer(json::parse(R"({"outputs": [{"rms": 1, "error": 0}]})"), 1).ok());
  for (const char* text : {R"({})", R"({"outputs": []})", R"({"outputs": [{"rms": -1, "error": 0}]})",
                           R"({"outputs": [{"rms": "x", "error": 0}]})"}) {
    EXPECT_FALSE(NumbersFromAnswer(json::parse(text), 1).ok()) << text;
  }
}

TEST(ProbeTest, TasksThatACheatSatisfiesAreRefused) {
  struct Case {
    const char* refused;
    float (*input)(int);
    float (*output)(int);
  };
  for (const Case& entry :
       {Case{"", [](int i) { return static_cast<float>(i % 7) - 3; },
             [](int i) { return 2.0f * static_cast<float>(i % 7) - 6; }},
        Case{"zeros-pass", [](int i) { return static_cast<float>(i); }, [](int) { return 0.0f; }},
        Case{"constant-passes", [](int i) { return static_cast<float>(i); }, [](int) { return 5.0f; }},
        Case{"input-copy-passes", [](int i) { return static_cast<float>(i); },
             [](int i) { return static_cast<float>(i); }}}) {
    const v1::TaskCase task_case = SmallCase();
    const v1::Tolerance tolerance;
    Variant variant = MakeVariant(task_case, 0);
    const std::vector<v1::TensorDescriptor> outputs(task_case.outputs().begin(), task_case.outputs().end());
    PackedTensors rounded = *PackedTensors::Create(outputs, SharedMemory::Access::kChildWrites);
    double squares = 0;
    for (int i = 0; i < 64; ++i) {
      const float x = entry.input(i);
      const float y = entry.output(i);
      squares += y * y;
      std::memcpy(variant.inputs.Bytes(0).data() + 4 * i, &x, 4);
      std::memcpy(variant.expected.values.Bytes(0).data() + 4 * i, &y, 4);
      std::memcpy(rounded.Bytes(0).data() + 4 * i, &y, 4);
    }
    variant.expected.numbers = {{std::sqrt(squares / 64), 0}};
    const ProbeFindings findings =
        ProbeSampleRules({&task_case, &tolerance, &variant.inputs, &variant.expected, &rounded});
    EXPECT_THAT(findings.refused, ::testing::StartsWith(entry.refused));
    if (*entry.refused == '\0') {
      EXPECT_EQ(findings.refused, "");
    }
  }
}

TEST(ProbeTest, AReferenceThatFailsItsOwnToleranceIsRefused) {
  const v1::TaskCase task_case = SmallCase();
  Variant variant = MakeVariant(task_case, 0);
  const std::vector<v1::TensorDescriptor> outputs(task_case.outputs().begin(), task_case.outputs().end());
  const PackedTensors rounded = *PackedTensors::Create(outputs, SharedMemory::Access::kChildWrites);
  const v1::Tolerance tolerance;
  EXPECT_THAT(ProbeSampleRules({&task_case, &tolerance, &variant.inputs, &variant.expected, &rounded}).refused,
              HasSubstr("rounded-reference-fails"));
}

TEST(ChannelTest, TellsAPeerThatIsGoneOrSilent) {
  auto pair = Channel::MakePair();
  ASSERT_TRUE(pair.ok());
  const auto briefly = [](absl::FunctionRef<bool(absl::Time)> done) {
    return done(absl::Now() + absl::Milliseconds(5));
  };
  const auto forever = [](absl::FunctionRef<bool(absl::Time)> done) { return done(absl::InfiniteFuture()); };
  EXPECT_EQ(pair->first.Receive(briefly).status().code(), absl::StatusCode::kDeadlineExceeded);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(absl::IsCancelled(pair->first.Receive(forever, stop.get_token()).status()));
  const uint32_t huge = 0xffffffff;
  ASSERT_EQ(write(pair->second, &huge, 4), 4);
  EXPECT_EQ(pair->first.Receive(forever).status().code(), absl::StatusCode::kDataLoss);
  close(pair->second);
  EXPECT_TRUE(absl::IsUnavailable(pair->first.Receive(forever).status()));
  EXPECT_TRUE(absl::IsUnavailable(pair->first.Send("x", {}, forever)));
}

}  // namespace
}  // namespace kernelsmith::worker
