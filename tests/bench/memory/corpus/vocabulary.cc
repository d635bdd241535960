#include "tests/bench/memory/corpus/vocabulary.h"

#include <algorithm>
#include <array>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr size_t kOperators = 600;
constexpr size_t kIdeas = 240;
constexpr size_t kIdentifiers = 20'000;
constexpr size_t kMessages = 800;

struct Root {
  const char* name;
  const char* family;
};
constexpr Root kRoots[] = {{"softmax", "row_reduction"},
                           {"log_softmax", "row_reduction"},
                           {"layer_norm", "normalisation"},
                           {"rms_norm", "normalisation"},
                           {"group_norm", "normalisation"},
                           {"batch_norm", "normalisation"},
                           {"gelu", "elementwise"},
                           {"silu", "elementwise"},
                           {"relu", "elementwise"},
                           {"sigmoid", "elementwise"},
                           {"tanh", "elementwise"},
                           {"elu", "elementwise"},
                           {"matmul", "matrix_product"},
                           {"batch_matmul", "matrix_product"},
                           {"linear", "matrix_product"},
                           {"conv2d", "convolution"},
                           {"depthwise_conv2d", "convolution"},
                           {"conv3d", "convolution"},
                           {"transpose", "data_movement"},
                           {"gather", "data_movement"},
                           {"scatter_add", "data_movement"},
                           {"concat", "data_movement"},
                           {"cumsum", "scan"},
                           {"cumprod", "scan"},
                           {"argmax", "row_reduction"},
                           {"row_sum", "row_reduction"},
                           {"max_pool2d", "pooling"},
                           {"avg_pool2d", "pooling"},
                           {"cross_entropy", "loss"},
                           {"kl_div", "loss"},
                           {"flash_attention", "attention"},
                           {"paged_attention", "attention"},
                           {"rotary_embedding", "attention"},
                           {"top_k", "selection"},
                           {"masked_fill", "selection"},
                           {"quantize_int8", "quantisation"},
                           {"dequantize", "quantisation"},
                           {"swiglu", "elementwise"},
                           {"moe_routing", "selection"},
                           {"adamw_step", "optimiser"}};
constexpr const char* kSuffixes[] = {"",         "_grad",   "_fused",   "_bias_add", "_residual",
                                     "_scaled",  "_masked", "_inplace", "_strided",  "_broadcast",
                                     "_dropout", "_cast",   "_nz",      "_padded",   "_dynamic"};

constexpr const char* kWords[] = {
    "tile",   "block",  "queue",  "local",     "global",  "tensor",  "buffer", "stride", "offset", "length",  "count",
    "repeat", "mask",   "row",    "column",    "batch",   "head",    "inner",  "outer",  "reduce", "max",     "sum",
    "exp",    "scale",  "shift",  "workspace", "core",    "vector",  "cube",   "pipe",   "event",  "ping",    "pong",
    "align",  "pad",    "copy",   "load",      "store",   "cast",    "half",   "float",  "acc",    "partial", "final",
    "input",  "output", "gamma",  "beta",      "epsilon", "mean",    "var",    "index",  "tail",   "main",    "loop",
    "split",  "merge",  "sync",   "barrier",   "fetch",   "stage",   "warm",   "cold",   "hot",    "lane",    "group",
    "chunk",  "slice",  "window", "kernel",    "launch",  "plan",    "grid",   "size",   "limit",  "unit",    "burst",
    "bank",   "group",  "depth",  "width",     "height",  "channel", "seq",    "token",  "expert", "route",   "weight",
    "logit",  "prob",   "score",  "query",     "key",     "value",   "cache",  "page",   "slot",   "rope",    "sin",
    "cos",    "norm",   "rstd",   "residual"};

constexpr const char* kApis[] = {"DataCopy",
                                 "DataCopyPad",
                                 "AllocTensor",
                                 "FreeTensor",
                                 "EnQue",
                                 "DeQue",
                                 "SetFlag",
                                 "WaitFlag",
                                 "PipeBarrier",
                                 "ReduceMax",
                                 "ReduceSum",
                                 "WholeReduceSum",
                                 "BlockReduceMax",
                                 "Exp",
                                 "Ln",
                                 "Muls",
                                 "Adds",
                                 "Mul",
                                 "Add",
                                 "Sub",
                                 "Div",
                                 "Maxs",
                                 "Mins",
                                 "Cast",
                                 "Duplicate",
                                 "Select",
                                 "Compare",
                                 "Gather",
                                 "Brcb",
                                 "Transpose",
                                 "Mmad",
                                 "LoadData",
                                 "Fixpipe",
                                 "SetGlobalBuffer",
                                 "GetBlockIdx",
                                 "GetBlockNum",
                                 "SetAtomicAdd",
                                 "InitBuffer",
                                 "TQueBind",
                                 "TBuf",
                                 "CrossCoreSetFlag",
                                 "SyncAll",
                                 "Axpy",
                                 "Rsqrt",
                                 "Reciprocal",
                                 "CreateVecIndex",
                                 "Sort32",
                                 "MrgSort",
                                 "SetMaskCount",
                                 "SetVectorMask",
                                 "ReinterpretCast",
                                 "std::accumulate",
                                 "__builtin_prefetch",
                                 "_mm256_fmadd_ps",
                                 "std::transform",
                                 "omp_get_num_threads"};

constexpr const char* kMessageForms[] = {"use of undeclared identifier '%'",
                                         "no matching function for call to '%'",
                                         "no member named '%' in 'AscendC::LocalTensor<half>'",
                                         "aicore exception: the address of % is out of range, pipe_v read 0x1c00000000",
                                         "ub address of % is not 32-byte aligned",
                                         "% exceeds the unified buffer: 262144 bytes requested, 196608 available",
                                         "queue % is full: AllocTensor without FreeTensor",
                                         "event id of % is waited for and never set",
                                         "static assertion failed: repeat of % must not exceed 255",
                                         "cannot convert '%' to '__gm__ half *' in argument",
                                         "% may be used uninitialized",
                                         "expected ';' after '%'",
                                         "the tail of % was not written: still poison",
                                         "every row of % from 17 on differs",
                                         "vector core timeout in %: task killed after 60 s",
                                         "segmentation fault while reading %",
                                         "read and write of % overlap between two cores without a barrier",
                                         "template argument deduction failed for %"};

constexpr const char* kTopics[2][14] = {
    {"double buffering", "wider tiles", "fewer barriers", "vectorised exponential", "two-pass reduction",
     "atomic accumulation", "core partition by rows", "repeat stride", "fused bias", "cached statistics",
     "software pipelining", "loop unrolling", "aligned tail", "half precision accumulation"},
    {"双缓冲", "更大的分块", "减少同步", "向量化指数运算", "两遍归约", "原子累加", "按行切分核", "重复步长", "融合偏置",
     "缓存统计量", "软件流水", "循环展开", "尾块对齐", "半精度累加"}};
constexpr const char* kQualifiers[2][10] = {
    {"for short rows", "on all vector cores", "across the reduction axis", "with an explicit workspace",
     "before the copy out", "for unaligned shapes", "inside the inner loop", "between load and compute",
     "for large batches", "per channel"},
    {"适用于短行", "用于全部向量核", "沿归约轴", "使用显式工作空间", "在搬出之前", "适用于非对齐形状", "在内层循环中",
     "在搬入与计算之间", "适用于大批量", "按通道"}};
constexpr const char* kReasons[2][8] = {
    {"the copy into the unified buffer dominates the profile", "scalar instructions keep the vector pipe idle",
     "each barrier drains both pipes", "the same row is read twice from global memory",
     "the last tile is smaller than a block and wastes a repeat", "half of the cores have no work",
     "the exponential is the longest chain of dependent instructions", "bank conflicts show up in the trace"},
    {"搬运到统一缓冲区的时间占主导", "标量指令使向量流水空闲", "每次同步都会清空两条流水", "同一行从全局内存读取了两次",
     "最后一个分块小于一个数据块", "一半的核没有任务", "指数运算是最长的依赖链", "跟踪中出现存储体冲突"}};

constexpr const char* kSentences[2][16] = {
    {"The change keeps % in the unified buffer, so that it is read once.",
     "I moved % out of the inner loop and hoisted its address computation.",
     "Profiling shows that % waits for the copy queue most of the time.",
     "The mismatch came from the tail of %, which was rounded up to a full block.",
     "With a deeper queue % overlaps with the next load.",
     "It did not help: % is bound by memory bandwidth, not by arithmetic.",
     "Splitting % over all cores balances the work within two percent.",
     "The compiler spills % when the loop is unrolled eight times.",
     "After the change the trace has no gap between % and the store.",
     "A barrier behind % was missing; the result depended on timing.",
     "Tolerance is met once % accumulates in single precision.", "The baseline reads % twice, ours reads it once.",
     "Next I would try a larger tile for % and one queue less.",
     "All cases pass, including the shape where % is not a multiple of 32.",
     "The workspace for % could shrink if partial results were reduced on chip.",
     "Vector instructions on % replace a scalar loop of 128 steps."},
    {"改动使%常驻统一缓冲区,只读取一次。", "把%移出内层循环,并提前计算地址。",
     "性能分析显示%大部分时间在等待搬运队列。", "误差来自%的尾块,它被向上取整到整块。",
     "加深队列之后%与下一次搬入重叠。", "没有收益:%受限于内存带宽而不是算力。",
     "把%切分到全部核上,负载差异在百分之二以内。", "循环展开八次时编译器会把%溢出到内存。",
     "修改之后%与搬出之间没有空隙。", "%之后缺少同步,结果依赖时序。", "%改用单精度累加之后满足精度要求。",
     "基线读取%两次,我们只读取一次。", "下一步尝试为%使用更大的分块并减少一个队列。",
     "全部用例通过,包括%不是三十二的倍数的形状。", "如果在片上归约部分结果,%的工作空间可以缩小。",
     "对%使用向量指令替换了一百二十八步的标量循环。"}};

constexpr v1::Layer kLayers[] = {v1::CORE_PARTITION, v1::TILING, v1::PIPELINE, v1::INSTRUCTION, v1::SYNCHRONISATION};
constexpr const char* kBottlenecks[] = {"memory-bound", "compute-bound", "latency-bound", "scalar-bound", "sync-bound"};

std::string Capital(std::string word) {
  word[0] = absl::ascii_toupper(static_cast<unsigned char>(word[0]));
  return word;
}

// tileOffset_, kTileOffset, tile_offset, TileOffsetMask: the styles found in kernels.
std::string Identifier(Random& random) {
  const size_t words = 2 + random.Below(3);
  const size_t style = random.Below(4);
  std::string out = style == 1 ? "k" : "";
  for (size_t i = 0; i < words; ++i) {
    const std::string word = random.Pick(kWords);
    if (style == 2) {
      absl::StrAppend(&out, i == 0 ? "" : "_", word);
    } else {
      out += i == 0 && style == 0 ? word : Capital(word);
    }
  }
  if (random.Chance(0.3)) absl::StrAppend(&out, random.Below(64));
  return out;
}

// Distinct values of `make`, in the order drawn.
template <typename Make>
std::vector<std::string> Distinct(size_t count, const Make& make) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  while (out.size() < count) {
    std::string value = make();
    if (seen.insert(value).second) out.push_back(std::move(value));
  }
  return out;
}

}  // namespace

Vocabulary::Vocabulary(uint64_t seed)
    : operator_law_(kOperators, 0.9),
      idea_law_(kIdeas, 1.0),
      identifier_law_(kIdentifiers, 1.0),
      message_law_(kMessages, 1.0) {
  Random random(seed, 1);
  for (size_t i = 0; i < kOperators; ++i) {
    const Root& root = kRoots[i % std::size(kRoots)];
    operators_.push_back({.name = absl::StrCat(root.name, kSuffixes[i / std::size(kRoots)]),
                          .family = root.family,
                          .level = absl::StrCat("L", 1 + random.Below(3))});
  }
  // The frequent operators should not all come first in the table of roots.
  for (size_t i = kOperators; i > 1; --i) std::swap(operators_[i - 1], operators_[random.Below(i)]);

  for (size_t i = 0; i < kIdeas; ++i) {
    const size_t topic = i % std::size(kTopics[0]);
    const size_t qualifier = (i / std::size(kTopics[0])) % std::size(kQualifiers[0]);
    const size_t reason = random.Below(std::size(kReasons[0]));
    Idea idea;
    idea.id = absl::StrReplaceAll(absl::StrCat(kTopics[0][topic], " ", kQualifiers[0][qualifier]), {{" ", "-"}});
    if (i >= std::size(kTopics[0]) * std::size(kQualifiers[0])) absl::StrAppend(&idea.id, "-", i);
    for (const size_t language : {0, 1}) {
      idea.title[language] =
          absl::StrCat(kTopics[language][topic], language == 0 ? " " : ",", kQualifiers[language][qualifier]);
      idea.reason[language] = kReasons[language][reason];
    }
    idea.layer = random.Pick(kLayers);
    idea.bottleneck = random.Pick(kBottlenecks);
    ideas_.push_back(std::move(idea));
  }
  identifiers_ = Distinct(kIdentifiers, [&] { return Identifier(random); });
  const std::vector<std::string> codes = Distinct(kMessages, [&] {
    return random.Chance(0.5) ? absl::StrFormat("EZ%04d", random.Below(10'000))
                              : absl::StrFormat("E%05d", random.Below(100'000));
  });
  for (const std::string& code : codes) messages_.push_back({.code = code, .text = random.Pick(kMessageForms)});
}

const std::string& Vocabulary::DrawApi(Random& random) const {
  static const std::vector<std::string> names(std::begin(kApis), std::end(kApis));
  static const Zipf law(std::size(kApis), 0.8);
  return names[law.Draw(random)];
}

std::string Vocabulary::Sentence(Language language, const std::string& subject, Random& random) const {
  return absl::StrReplaceAll(random.Pick(kSentences[static_cast<size_t>(language)]), {{"%", subject}});
}

}  // namespace kernelsmith::memory::bench
