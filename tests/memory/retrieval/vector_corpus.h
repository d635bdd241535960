// Texts like those that the memory holds, many of them near-duplicates, and queries for them. The same for a seed on
// every machine.
//
//   VectorCorpus corpus(7);
//   corpus.Text(0);       // attempt 0 of the first job
//   corpus.Query(0);      // eight words or so
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "memory/retrieval/vector/node_hash.h"

namespace kernelsmith::memory {

class VectorCorpus {
 public:
  explicit VectorCorpus(uint64_t seed) : seed_(seed) {}

  // A case of a job of 50 attempts, as item_text.h writes it; every fourth is a journal, every eighth of those Chinese.
  std::string Text(uint32_t item) const {
    Draw job(seed_, item / kAttempts);
    Draw attempt(seed_ + 1, item);
    const std::string op = absl::StrCat(job.Of(kOperators), job.Of(kVariants), job.Below(40));
    std::string text = absl::StrCat("operator: ", op, "\nfamily: ", job.Of(kFamilies), "\n");
    if (item % 4 == 3) {
      const bool chinese = item % 8 == 7;
      absl::StrAppend(&text, "strategy: ", Sentence(attempt, chinese), "\nchange: ", Sentence(attempt, chinese),
                      "\nvalidation: ", Sentence(attempt, chinese), "\nmeasurements: ", attempt.Below(100000),
                      " us against ", attempt.Below(100000), " us\ninterpretation: ", Sentence(attempt, chinese), "\n");
      return text;
    }
    absl::StrAppend(&text, "level: L", 1 + job.Below(3), "\nshape: [", 1 << job.Below(8), ",", 64 << job.Below(8), ",",
                    job.Below(5000), "]\ndtype: ", job.Of(kTypes), "\n");
    absl::StrAppend(&text, "purpose: PURPOSE_OPTIMIZE\nthought: ", attempt.Of(kVerbs), "-", attempt.Of(kThings),
                    "\ntitle: ", attempt.Of(kVerbs), " ", attempt.Of(kThings), " of ", attempt.Of(kApis),
                    "\nparameters: block_dim=", 1 << attempt.Below(6), ", tile=", 32 << attempt.Below(9),
                    ", buffers=", 1 + attempt.Below(3), "\n");
    absl::StrAppend(&text, "bottleneck: ", attempt.Of(kPipes), "\napplies when: ", Sentence(attempt, false),
                    "\nwhy: ", Sentence(attempt, false), "\nhypothesis: ", Sentence(attempt, false), "\n");
    if (attempt.Below(3) == 0) {
      absl::StrAppend(&text, "outcome: COMPILE_ERROR\nfeedback: error E", attempt.Below(10000),
                      ": no matching function ", attempt.Of(kApis), " in kernel.cpp:", attempt.Below(400), "\n");
    } else {
      absl::StrAppend(&text, "outcome: PASSED\nfeedback: ", attempt.Below(100000), " us, ", attempt.Of(kPipes),
                      " busy ", attempt.Below(100), " %; ", Sentence(attempt, false), "\n");
    }
    return text;
  }

  // Words that ask for something like an item of `items`.
  std::string Query(uint32_t number, uint32_t items) const {
    Draw draw(seed_ + 2, number);
    Draw job(seed_, draw.Below(items) / kAttempts);
    std::string text = absl::StrCat(job.Of(kOperators), job.Of(kVariants), job.Below(40), " ", job.Of(kFamilies));
    absl::StrAppend(&text, " ", draw.Of(kVerbs), " ", draw.Of(kThings), " ", draw.Of(kApis), " ", draw.Of(kPipes));
    if (draw.Below(2) == 0) absl::StrAppend(&text, " error E", draw.Below(10000));
    if (draw.Below(4) == 0) absl::StrAppend(&text, " ", draw.Of(kChinese));
    return text;
  }

 private:
  static constexpr uint32_t kAttempts = 50;  // of a job

  class Draw {
   public:
    Draw(uint64_t seed, uint64_t number) : state_(NodeHash(number, seed)) {}
    uint32_t Below(uint32_t end) { return static_cast<uint32_t>((NodeHash(++state_, 3) >> 32) * end >> 32); }
    const char* Of(absl::Span<const char* const> words) { return words[Below(static_cast<uint32_t>(words.size()))]; }

   private:
    uint64_t state_;
  };

  static std::string Sentence(Draw& draw, bool chinese) {
    if (chinese) {
      return absl::StrCat(draw.Of(kChinese), draw.Of(kChinese), draw.Of(kApis), draw.Of(kChinese), draw.Of(kChinese),
                          "。");
    }
    return absl::StrCat(draw.Of(kVerbs), " the ", draw.Of(kThings), " with ", draw.Of(kApis), " because the ",
                        draw.Of(kPipes), " ", draw.Of(kEffects), " when ", draw.Of(kThings), " ", draw.Of(kEffects));
  }

  static constexpr const char* kOperators[] = {"softmax",
                                               "layer_norm",
                                               "rms_norm",
                                               "gelu",
                                               "matmul",
                                               "batch_matmul",
                                               "conv2d",
                                               "depthwise_conv",
                                               "reduce_sum",
                                               "reduce_max",
                                               "argmax",
                                               "top_k",
                                               "gather",
                                               "scatter_add",
                                               "embedding",
                                               "rope",
                                               "flash_attention",
                                               "paged_attention",
                                               "cross_entropy",
                                               "cumsum",
                                               "sort",
                                               "transpose",
                                               "concat",
                                               "split",
                                               "pad",
                                               "slice",
                                               "resize_bilinear",
                                               "max_pool",
                                               "avg_pool",
                                               "group_norm",
                                               "instance_norm",
                                               "swish",
                                               "mish",
                                               "sigmoid",
                                               "tanh",
                                               "add",
                                               "mul",
                                               "div",
                                               "exp",
                                               "log"};
  static constexpr const char* kVariants[] = {"", "_grad", "_v2_", "_fused_", "_int8_", "_masked_", "_causal_", "_nd_"};
  static constexpr const char* kFamilies[] = {"elementwise", "reduction", "normalisation", "attention",  "matmul",
                                              "convolution", "indexing",  "layout",        "activation", "sorting"};
  static constexpr const char* kTypes[] = {"DTYPE_FLOAT16", "DTYPE_FLOAT32", "DTYPE_BFLOAT16", "DTYPE_INT8"};
  static constexpr const char* kPipes[] = {"MTE2",     "MTE3",           "vector pipe", "cube pipe", "scalar pipe",
                                           "L2 cache", "unified buffer", "DRAM",        "fixpipe",   "L0C"};
  static constexpr const char* kVerbs[] = {
      "tile",    "fuse",  "double-buffer", "vectorise", "unroll",    "prefetch", "reorder", "align",
      "split",   "pad",   "pipeline",      "broadcast", "transpose", "cache",    "hoist",   "inline",
      "swizzle", "block", "coalesce",      "quantise",  "skip",      "merge"};
  static constexpr const char* kThings[] = {
      "rows",        "reduction axis", "inner loop", "tail block",     "exponent", "row maximum",
      "copy queue",  "accumulator",    "mask",       "scale",          "weights",  "input tile",
      "output tile", "sync flags",     "event ids",  "bank conflicts", "stride",   "barrier",
      "workspace",   "launch grid",    "core split", "repeat stride",  "padding",  "bias"};
  static constexpr const char* kApis[] = {"DataCopyPad",
                                          "DataCopy",
                                          "ReduceMax",
                                          "ReduceSum",
                                          "WholeReduceMax",
                                          "Exp",
                                          "Muls",
                                          "Adds",
                                          "Cast",
                                          "Duplicate",
                                          "Mmad",
                                          "LoadData",
                                          "Fixpipe",
                                          "SetFlag",
                                          "WaitFlag",
                                          "PipeBarrier",
                                          "AllocTensor",
                                          "FreeTensor",
                                          "EnQue",
                                          "DeQue",
                                          "GetBlockIdx",
                                          "SetVectorMask",
                                          "BlockReduceSum",
                                          "Select",
                                          "Compare",
                                          "Gather",
                                          "Transpose",
                                          "TQue::InitBuffer",
                                          "_mm256_fmadd_ps",
                                          "cp.async",
                                          "ldmatrix"};
  static constexpr const char* kEffects[] = {
      "waits for data", "stalls",      "is idle",    "overflows",         "spills",
      "is the bound",   "reads twice", "has a tail", "is unaligned",      "loses precision",
      "serialises",     "conflicts",   "is short",   "runs at half rate", "is reused",
      "is cold"};
  static constexpr const char* kChinese[] = {"数据搬运", "向量计算", "双缓冲",   "尾块处理", "对齐",     "归约轴",
                                             "核间切分", "流水并行", "精度损失", "带宽瓶颈", "同步等待", "指数运算",
                                             "重复读取", "合并访存", "分块大小", "掩码"};

  uint64_t seed_;
};

}  // namespace kernelsmith::memory
