#include "common/coldstart/mining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/coldstart/constant_expression.h"

namespace kernelsmith::common {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kScalarKernel[] = R"(
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kTile = 1024;  // elements
extern "C" __global__ __vector__ void relu(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, kTile * sizeof(float));
  pipe.InitBuffer(out, 1, kTile * sizeof(float));
  for (uint32_t tile = 0; tile < 8; ++tile) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from[tile * kTile], kTile);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < kTile; ++i) b.SetValue(i, a.GetValue(i) > 0 ? a.GetValue(i) : 0.0f);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to[tile * kTile], b, kTile);
  }
}
)";
constexpr char kExpertKernel[] = R"(
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kTile = 8 * 1024;
extern "C" __global__ __vector__ void relu(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 2, kTile * sizeof(float));
  pipe.InitBuffer(out, 2, kTile * sizeof(float));
  for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from[tile * kTile], kTile);
    in.EnQue(a);
    a = in.DeQue<float>();
    Relu(b, a, kTile);
    out.EnQue(b);
    DataCopy(to[tile * kTile], b, kTile);
  }
}
)";
constexpr char kPlanOne[] = "int ks_plan() { ks_add_launch(plan, \"relu\", 1); for (;;) break; }";
constexpr char kPlanAll[] = "int ks_plan() { ks_add_launch(plan, \"relu\", std::min(call->cpu_count, tiles)); }";

MiningRequest AscendRequest() {
  MiningRequest request{.language = KernelLanguage::kAscendC, .operator_name = "relu", .family = "elementwise"};
  request.generated = {.kernel = kScalarKernel, .plan = kPlanOne, .latency_us = 900};
  request.expert = {.kernel = kExpertKernel, .plan = kPlanAll, .latency_us = 30};
  request.clock = v1::SIMULATED;
  request.target.set_architecture("ascend-a2");
  request.dtype = v1::FP32;
  return request;
}

std::vector<std::string> PatternIds(KernelLanguage language, const std::string& generated, const std::string& expert) {
  std::vector<std::string> ids;
  const auto matched = MatchPatterns(ReadStructure(language, generated, ""), ReadStructure(language, expert, ""));
  for (const KnownPattern* pattern : matched) ids.emplace_back(pattern->id);
  return ids;
}

TEST(KernelStructure, ReadsBuffersLoopsCallsAndConstants) {
  const KernelStructure kernel = ReadStructure(KernelLanguage::kAscendC, kScalarKernel, kPlanOne);
  EXPECT_EQ(kernel.values.at("kTile"), 1024);
  const KernelBuffer& in = kernel.buffers.at("in");
  EXPECT_EQ(in.position, "VECIN");
  EXPECT_EQ(in.depth, 1);
  EXPECT_EQ(in.count_value, 1);
  EXPECT_EQ(in.bytes_value, 4096);
  EXPECT_EQ(kernel.loops, 2);
  EXPECT_EQ(kernel.loop_depth, 2);
  EXPECT_EQ(kernel.calls.at("GetValue"), 2);
  EXPECT_EQ(kernel.calls_in_inner_loops.at("GetValue"), 2);
  EXPECT_EQ(kernel.calls.at("PipeBarrier<PIPE_ALL>"), 2);
  EXPECT_EQ(kernel.calls_in_inner_loops.count("DataCopy"), 0U);
  EXPECT_EQ(kernel.calls.count("relu"), 0U);
  EXPECT_THAT(kernel.launches, ElementsAre("1"));
}

TEST(KernelStructure, LoopsWithoutBracesEndWithTheirStatement) {
  const KernelStructure kernel =
      ReadStructure(KernelLanguage::kCpp,
                    "void f() { for (;;) for (;;) g(); h(); while (a()) { b(); } do c(); while (d()); e(); }", "");
  EXPECT_EQ(kernel.loops, 4);
  EXPECT_EQ(kernel.loop_depth, 2);
  EXPECT_EQ(kernel.calls_in_inner_loops.at("g"), 1);
  EXPECT_EQ(kernel.calls_in_loops.count("h"), 0U);
  EXPECT_EQ(kernel.calls_in_loops.at("b"), 1);
  EXPECT_EQ(kernel.calls_in_loops.count("a"), 0U);
  EXPECT_EQ(kernel.calls_in_loops.at("c"), 1);
  EXPECT_EQ(kernel.calls_in_loops.count("e"), 0U);
}

TEST(KernelStructure, SurvivesWhateverItReads) {
  for (const char* text :
       {"", "{{{{", "}}}}", "for (", "TQue<", "InitBuffer(", "\"", "R\"(", "/*", "#define", "a<b<c<d(", "constexpr",
        "constexpr int", "constexpr int a =", "for(;;", "0x", "'", "sizeof(", "\xFF\xFE"}) {
    ReadStructure(KernelLanguage::kCpp, text, text);
    ReadStructure(KernelLanguage::kAscendC, text, text);
  }
}

TEST(ConstantExpressions, AreIntegersOrNothing) {
  const Constants constants = {{"kTile", 4096}};
  const struct {
    const char* text;
    std::optional<int64_t> value;
  } rows[] = {{"16 * 1024", 16384},
              {"2 * kTile * sizeof(float)", 32768},
              {"(kTile + 31) / 32 * 32", 4096},
              {"1 << 10", 1024},
              {"0x10u", 16},
              {"4'096", 4096},
              {"kTile - 96", 4000},
              {"7 % 4", 3},
              {"rows", std::nullopt},
              {"1 / 0", std::nullopt},
              {"1.5", std::nullopt},
              {"9223372036854775807 + 1", std::nullopt},
              {"3037000500 * 3037000500", std::nullopt},
              {"1 << 63", std::nullopt},
              {"(", std::nullopt},
              {"", std::nullopt},
              {"sizeof(thing)", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(Evaluate(Tokenize(row.text), constants), row.value) << row.text;
  EXPECT_EQ(Evaluate(Tokenize(std::string(5000, '(') + "1" + std::string(5000, ')')), constants), std::nullopt);
}

TEST(StructuralDiff, NamesWhatWasAddedRemovedAndChanged) {
  std::vector<std::string> lines;
  for (const Difference& difference :
       CompareStructures(ReadStructure(KernelLanguage::kAscendC, kScalarKernel, kPlanOne),
                         ReadStructure(KernelLanguage::kAscendC, kExpertKernel, kPlanAll))) {
    lines.push_back(DifferenceLine(difference));
  }
  EXPECT_THAT(lines, Contains("launch: `blocks` 1 -> std::min(call->cpu_count, tiles)"));
  EXPECT_THAT(lines, Contains("constant: `kTile` 1024 -> 8*1024 = 8192"));
  EXPECT_THAT(lines, Contains("buffer: `number of in` 1 -> 2"));
  EXPECT_THAT(lines, Contains("barriers: `PipeBarrier<PIPE_ALL>` removed (2 call sites)"));
  EXPECT_THAT(lines, Contains("calls: `Relu` added (1 call sites)"));
  EXPECT_THAT(lines, Contains("loops: `loops` 2 -> 1"));
  EXPECT_THAT(lines, Contains("flags: `EnQue` added (2 call sites)"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("DataCopy"))));
}

TEST(StructuralDiff, OfAKernelWithItselfIsEmptyWhateverItsComments) {
  const auto a = ReadStructure(KernelLanguage::kAscendC, kScalarKernel, kPlanOne);
  const auto b = ReadStructure(KernelLanguage::kAscendC, std::string("// other\n") + kScalarKernel, kPlanOne);
  EXPECT_THAT(CompareStructures(a, b), IsEmpty());
  EXPECT_THAT(CompareStatements(a, b).added, IsEmpty());
  EXPECT_THAT(CompareStatements(a, b).removed, IsEmpty());
}

TEST(KnownPatterns, AreRecognisedByWhatChanged) {
  const auto ascend = [](const std::string& body) { return "void k() { for (;;) { " + body + " } }"; };
  const struct {
    const char* id;
    KernelLanguage language;
    std::string generated;
    std::string expert;
  } rows[] = {
      {"vector-instead-of-scalar", KernelLanguage::kAscendC, ascend("x.GetValue(i);"), ascend("Add(z, x, y, n);")},
      {"double-buffering", KernelLanguage::kAscendC, "TQue<TPosition::VECIN, 1> q; p.InitBuffer(q, 1, 32768);",
       "TQue<TPosition::VECIN, 1> q; p.InitBuffer(q, 2, 32768);"},
      {"larger-transfers", KernelLanguage::kAscendC, "TQue<TPosition::VECIN, 1> q; p.InitBuffer(q, 1, 2048);",
       "TQue<TPosition::VECIN, 1> q; p.InitBuffer(q, 1, 32768);"},
      {"copies-of-several-pieces", KernelLanguage::kAscendC, ascend("DataCopyExtParams c{1, n, 0, 0, 0};"),
       ascend("DataCopyExtParams c{rows, n, 0, 0, 0};")},
      {"fewer-passes", KernelLanguage::kAscendC, ascend("DataCopy(a, b, n); DataCopy(c, d, n);"),
       ascend("DataCopy(a, b, n);")},
      {"no-full-barriers", KernelLanguage::kAscendC, ascend("PipeBarrier<PIPE_ALL>();"),
       ascend("PipeBarrier<PIPE_V>();")},
      {"fewer-scalar-waits", KernelLanguage::kAscendC, ascend("WaitFlag<HardEvent::V_S>(EVENT_ID0);"), ascend("")},
      {"fused-instructions", KernelLanguage::kAscendC, ascend("Muls(a, b, s, n); Add(c, c, a, n);"),
       ascend("Axpy(c, b, s, n);")},
      {"l2-bypass", KernelLanguage::kAscendC, "f();", "g.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);"},
      {"fp32-accumulation", KernelLanguage::kAscendC, "LocalTensor<half> a;",
       "LocalTensor<float> a; Cast(a, b, RoundMode::CAST_NONE, n);"},
      {"threads", KernelLanguage::kCpp, "f();", "std::thread t(f);"},
      {"simd", KernelLanguage::kCpp, ascend("a += b;"), ascend("_mm256_add_ps(a, b);")},
      {"cache-blocking", KernelLanguage::kCpp, "for (int i = 0; i < n; ++i) f();",
       "for (int ii = 0; ii < n; ii += kBlock) for (int i = ii; i < ii + kBlock; ++i) f();"},
      {"no-library-math", KernelLanguage::kCpp, ascend("std::exp(x);"), ascend("x * (1 + x);")},
      {"no-alias", KernelLanguage::kCpp, "float* a;", "float* __restrict a;"},
      {"streaming-stores", KernelLanguage::kCpp, ascend("_mm256_store_ps(p, v);"), ascend("_mm256_stream_ps(p, v);")},
      {"prefetch", KernelLanguage::kCpp, "f();", "__builtin_prefetch(p);"},
  };
  std::set<std::string> seen = {"all-cores"};
  for (const auto& row : rows) {
    EXPECT_THAT(PatternIds(row.language, row.generated, row.expert), Contains(row.id));
    EXPECT_THAT(PatternIds(row.language, row.expert, row.generated), Not(Contains(row.id))) << "backwards";
    EXPECT_THAT(PatternIds(row.language, row.expert, row.expert), IsEmpty()) << row.id;
    seen.insert(row.id);
  }
  for (const KnownPattern& pattern : KnownPatterns()) EXPECT_TRUE(seen.count(pattern.id) > 0) << pattern.id;
}

TEST(Mining, GivesDifferenceReasonPatternAndApplicability) {
  const auto insight = MineDifference(AscendRequest(), TemplateWriter());
  ASSERT_TRUE(insight.ok()) << insight.status();
  EXPECT_EQ(insight->kind(), v1::INSIGHT);
  EXPECT_THAT(insight->title(), HasSubstr("relu: Vector instructions instead of element-by-element access"));
  EXPECT_EQ(insight->operator_name(), "relu");
  EXPECT_EQ(insight->family(), "elementwise");
  EXPECT_EQ(insight->thought().id(), "vector-instead-of-scalar");
  EXPECT_EQ(insight->layer(), v1::INSTRUCTION);
  EXPECT_THAT(
      insight->text(),
      testing::AllOf(HasSubstr("## Difference"), HasSubstr("`number of in` 1 -> 2"), HasSubstr("## Hardware reason"),
                     HasSubstr("with one buffer a copy has to wait"), HasSubstr("## Pattern"),
                     HasSubstr("## Applies when"), HasSubstr("30.00 times as fast (clock SIMULATED)")));
  EXPECT_THAT(insight->applicability().architectures(), ElementsAre("ascend-a2"));
  EXPECT_THAT(insight->applicability().dtypes(), ElementsAre(v1::FP32));
  EXPECT_THAT(insight->applicability().applies_when(), HasSubstr("UB (192 KiB)"));
  EXPECT_EQ(insight->trust(), "user");
  EXPECT_EQ(insight->bundle(), "ascend_c");
}

TEST(Mining, InventsNoReason) {
  MiningRequest request{.language = KernelLanguage::kCpp, .operator_name = "relu"};
  request.generated.kernel = "int f() { int a = 1; return a; }";
  request.expert.kernel = "int f() { int b = 2; return b; }";
  const auto insight = MineDifference(request, TemplateWriter());
  ASSERT_TRUE(insight.ok()) << insight.status();
  EXPECT_THAT(insight->text(), testing::AllOf(HasSubstr("Not known"), HasSubstr("int a = 1"), HasSubstr("int b = 2")));
  EXPECT_THAT(insight->text(), Not(HasSubstr("## Pattern")));
  EXPECT_FALSE(insight->has_thought());
}

TEST(Mining, RefusesWhatNothingMayOrCanBeLearnedFrom) {
  const auto refused = [](const MiningRequest& request) { return MineDifference(request, TemplateWriter()).status(); };
  MiningRequest request = AscendRequest();
  request.held_out_operators = {"softmax", "relu"};
  EXPECT_TRUE(absl::IsFailedPrecondition(refused(request)));
  EXPECT_THAT(std::string(refused(request).message()), HasSubstr("held out"));
  request = AscendRequest();
  request.expert.latency_us = 900;
  EXPECT_TRUE(absl::IsFailedPrecondition(refused(request)));
  EXPECT_THAT(std::string(refused(request).message()), HasSubstr("no faster"));
  request = AscendRequest();
  request.expert = request.generated;
  request.expert.kernel += "// a comment\n";
  request.expert.latency_us = 1;
  EXPECT_THAT(std::string(refused(request).message()), HasSubstr("do not differ"));
  request = AscendRequest();
  request.operator_name.clear();
  EXPECT_TRUE(absl::IsInvalidArgument(refused(request)));
  request = AscendRequest();
  request.clock = v1::CLOCK_DOMAIN_UNSPECIFIED;
  EXPECT_TRUE(absl::IsInvalidArgument(refused(request)));
  request = AscendRequest();
  request.generated.kernel = " \n";
  EXPECT_TRUE(absl::IsInvalidArgument(refused(request)));
  request = AscendRequest();
  request.expert.kernel = "\xFF";
  EXPECT_TRUE(absl::IsInvalidArgument(refused(request)));
}

class Model : public DifferenceWriter {
 public:
  explicit Model(absl::StatusOr<Prose> answer) : answer_(std::move(answer)) {}
  absl::StatusOr<Prose> Write(const MinedDifference& mined) const override {
    EXPECT_THAT(mined.differences, Not(IsEmpty()));
    return answer_;
  }

 private:
  absl::StatusOr<Prose> answer_;
};

TEST(Mining, AModelWritesTheProseAndTheTemplateWhereItFails) {
  const auto by_model = MineDifference(AscendRequest(), Model(DifferenceWriter::Prose{"T", "text", "model"}));
  EXPECT_EQ(by_model->title(), "T");
  EXPECT_EQ(by_model->trust(), "model");
  EXPECT_EQ(by_model->thought().id(), "vector-instead-of-scalar");
  const auto fallen_back = MineDifference(AscendRequest(), Model(absl::UnavailableError("away")));
  ASSERT_TRUE(fallen_back.ok());
  EXPECT_EQ(fallen_back->trust(), "user");
}

TEST(Mining, ShortensWhatIsLong) {
  MiningRequest request{.language = KernelLanguage::kCpp, .operator_name = "relu"};
  request.generated.kernel = "int x;";
  for (int i = 0; i < 200; ++i)
    request.expert.kernel += "call" + std::to_string(i) + "(" + std::string(300, 'a') + ");\n";
  const auto insight = MineDifference(request, TemplateWriter());
  ASSERT_TRUE(insight.ok());
  EXPECT_LT(insight->text().size(), 8192U);
  EXPECT_THAT(insight->text(), HasSubstr("and 188 more"));
}

}  // namespace
}  // namespace kernelsmith::common
