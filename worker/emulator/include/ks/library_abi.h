// What high-level functions (softmax, normalisations, quantisation, ...) pass to the operations library: one structure
// for all of them. Which tensor, size and number stands where is said beside each operation.
#pragma once

#include <cstdint>

#include "ks/abi.h"

extern "C" {

enum kse_library_operation : uint16_t {
  // Softmax. sizes: rows, columns (stored), columns that count, rows that count; options: KSE_SOFTMAX_*.
  KSE_LIB_SOFTMAX = 1,     // out: y, [sum, max]; in: x
  KSE_LIB_SIMPLE_SOFTMAX,  // out: y; in: x, sum, max
  KSE_LIB_LOG_SOFTMAX,     // out: y, sum, max; in: x. To base 10, as documented
  KSE_LIB_SOFTMAX_FLASH,   // out: y, sum, max, factor; in: x, [sum, max] of what came before
  KSE_LIB_SOFTMAX_FLASH2,  // out: y, sum, max, factor, [maximum of this part alone]; in: likewise
  KSE_LIB_SOFTMAX_FLASH3,  // out: y, sum, max, factor, mean; in: x, sum, max, mean; sizes + round, parts; reals: alpha
  KSE_LIB_SOFTMAX_GRAD,    // out: dx (or one block a row: KSE_SOFTMAX_FRONT); in: dy, y
  KSE_LIB_ADJUST_SOFTMAX,  // out: y in place; in: max; sizes + bits that are looked for; reals: what replaces

  // Normalisation. reals: epsilon first.
  KSE_LIB_LAYER_NORM,       // out: y, mean, variance; in: x, gamma, beta. sizes: rows, stored columns, columns
  KSE_LIB_NORMALIZE,        // out: y, rstd; in: x, mean, variance, gamma, beta. sizes likewise
  KSE_LIB_RMS_NORM,         // out: y; in: x, gamma. sizes likewise
  KSE_LIB_DEEP_NORM,        // out: y, mean, rstd; in: x, gx, gamma, beta; reals: epsilon, alpha. sizes likewise
  KSE_LIB_BATCH_NORM,       // out: y, mean, variance; in: x, gamma, beta. sizes: batch, features, batch that counts
  KSE_LIB_GROUP_NORM,       // out: y, mean, variance; in: x, gamma, beta. sizes: n, c, hw, groups, stored hw
  KSE_LIB_LAYER_NORM_GRAD,  // out: dx, normalised x; in: dy, x, variance, mean, gamma. sizes: as LAYER_NORM
  KSE_LIB_LAYER_NORM_GRAD_BETA,  // out: dgamma, dbeta; in: normalised x, dy. sizes: as LAYER_NORM
  KSE_LIB_WELFORD_UPDATE,        // out: mean, m2; in: mean, m2, x. sizes: length, length that counts; reals: 1 / round
  KSE_LIB_WELFORD_FINALIZE,      // out: mean, variance; in: mean, m2, [counts]. sizes and reals: WelfordFinalizePara's

  // Quantisation. sizes: rows, columns, columns that count, size of the scale; reals: scale, offset where no tensor.
  KSE_LIB_QUANT,      // out: int8; in: x, [scale, offset]
  KSE_LIB_DEQUANT,    // out: y; in: int32, [scale]
  KSE_LIB_ANTIQUANT,  // out: y; in: int8 or int4, [offset, scale]. sizes: rows, columns, rows and columns of scale

  // Element by element. sizes: count.
  KSE_LIB_GEGLU,           // out: y; in: a, b
  KSE_LIB_SWIGLU,          // likewise; reals: beta
  KSE_LIB_REGLU,           // likewise
  KSE_LIB_FASTER_GELU_V2,  // out: y; in: x
  KSE_LIB_LGAMMA,
  KSE_LIB_DIGAMMA,

  // Along an axis. sizes: rows, columns.
  KSE_LIB_REDUCE_SUM,  // out: y; in: x; options: KSE_ALONG_ROWS
  KSE_LIB_REDUCE_MEAN,
  KSE_LIB_REDUCE_MAX,
  KSE_LIB_REDUCE_MIN,
  KSE_LIB_REDUCE_PROD,
  KSE_LIB_REDUCE_ANY,
  KSE_LIB_REDUCE_ALL,
  KSE_LIB_XOR_SUM,  // out: one; in: a, b. sizes: count
  KSE_LIB_CUMSUM,   // out: y, [last]; in: x

  // Choice and order.
  KSE_LIB_SELECT_BYTES,  // out: y; in: tensor, mask; sizes: rows, columns, columns of the mask; reals: the scalar
  KSE_LIB_DROP_OUT,      // out: y; in: x, mask; sizes: likewise; reals: keep; options: KSE_BITS
  KSE_LIB_TOP_K,  // out: values, indices; in: x, [indices], [finished]; sizes: rows, columns, columns that count,
                  // k, distance of values, distance of indices

  // Shape.
  KSE_LIB_PAD,                  // sizes: rows, columns of the source, of them data, left, right; reals: the value
  KSE_LIB_UNPAD,                // sizes: rows, columns of the source, right
  KSE_LIB_TRANS_DATA,           // sizes: n, c, d, h, w, kind (kse_trans_data)
  KSE_LIB_CONFUSION_TRANSPOSE,  // sizes: TransposeType, then ConfusionTransposeTiling's shape: b, n, s, h / n
};

enum kse_library_option : uint32_t {
  KSE_SOFTMAX_FRACTAL = 1,  // NZ: blocks of sixteen columns, one behind the other
  KSE_SOFTMAX_UPDATE = 2,   // continues what came before
  KSE_SOFTMAX_FRONT = 4,
  KSE_SOFTMAX_ONE_A_ROW = 8,  // sums and maxima are not repeated over a block
  KSE_NORM_RSTD = 16,         // 1 / sqrt(variance + epsilon) instead of the variance
  KSE_NORM_NO_GAMMA = 32,
  KSE_NORM_NO_BETA = 64,
  KSE_IN_PLACE = 128,
  KSE_ALONG_ROWS = 256,  // RA: the first axis goes
  KSE_BITS = 512,
  KSE_SMALLEST = 1024,
  KSE_SCALAR_FIRST = 2048,
};

enum kse_trans_data : uint32_t {
  KSE_NCDHW_TO_NDC1HWC0 = 0,
  KSE_NDC1HWC0_TO_NCDHW,
  KSE_NCDHW_TO_FRACTAL_Z_3D,
  KSE_FRACTAL_Z_3D_TO_NCDHW,
};

struct kse_library_call {
  const kse_tensor* out[5];  // null: not asked for
  const kse_tensor* in[6];   // null: absent
  uint32_t size[10];
  float real[4];
  uint32_t options;  // kse_library_option
  uint16_t operation;
};

// Returns what the function returns, where it returns something.
KS_DEVICE uint64_t kse_library(const kse_library_call* call, const kse_where* where);
}
