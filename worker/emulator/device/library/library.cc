// Entry of the high-level functions.
#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {
namespace {

void Run(Call& call) {
  switch (static_cast<kse_library_operation>(call.abi.operation)) {
    case KSE_LIB_SOFTMAX:
      return SoftMax(call);
    case KSE_LIB_SIMPLE_SOFTMAX:
      return SimpleSoftMax(call);
    case KSE_LIB_LOG_SOFTMAX:
      return LogSoftMax(call);
    case KSE_LIB_SOFTMAX_FLASH:
      return SoftMaxFlash(call);
    case KSE_LIB_SOFTMAX_FLASH2:
      return SoftMaxFlash2(call);
    case KSE_LIB_SOFTMAX_FLASH3:
      return SoftMaxFlash3(call);
    case KSE_LIB_SOFTMAX_GRAD:
      return SoftMaxGrad(call);
    case KSE_LIB_ADJUST_SOFTMAX:
      return AdjustSoftMax(call);
    case KSE_LIB_LAYER_NORM:
      return LayerNorm(call);
    case KSE_LIB_NORMALIZE:
      return Normalize(call);
    case KSE_LIB_RMS_NORM:
      return RmsNorm(call);
    case KSE_LIB_DEEP_NORM:
      return DeepNorm(call);
    case KSE_LIB_BATCH_NORM:
      return BatchNorm(call);
    case KSE_LIB_GROUP_NORM:
      return GroupNorm(call);
    case KSE_LIB_LAYER_NORM_GRAD:
      return LayerNormGrad(call);
    case KSE_LIB_LAYER_NORM_GRAD_BETA:
      return LayerNormGradBeta(call);
    case KSE_LIB_WELFORD_UPDATE:
      return WelfordUpdate(call);
    case KSE_LIB_WELFORD_FINALIZE:
      return WelfordFinalize(call);
    case KSE_LIB_QUANT:
      return Quant(call);
    case KSE_LIB_DEQUANT:
      return Dequant(call);
    case KSE_LIB_ANTIQUANT:
      return AntiQuant(call);
    case KSE_LIB_GEGLU:
    case KSE_LIB_SWIGLU:
    case KSE_LIB_REGLU:
    case KSE_LIB_FASTER_GELU_V2:
    case KSE_LIB_LGAMMA:
    case KSE_LIB_DIGAMMA:
      return Gated(call);
    case KSE_LIB_REDUCE_SUM:
    case KSE_LIB_REDUCE_MEAN:
    case KSE_LIB_REDUCE_MAX:
    case KSE_LIB_REDUCE_MIN:
    case KSE_LIB_REDUCE_PROD:
    case KSE_LIB_REDUCE_ANY:
    case KSE_LIB_REDUCE_ALL:
      return ReduceAxis(call);
    case KSE_LIB_XOR_SUM:
      return XorSum(call);
    case KSE_LIB_CUMSUM:
      return CumSum(call);
    case KSE_LIB_SELECT_BYTES:
      return SelectBytes(call);
    case KSE_LIB_DROP_OUT:
      return DropOut(call);
    case KSE_LIB_TOP_K:
      return TopK(call);
    case KSE_LIB_PAD:
      return Pad(call);
    case KSE_LIB_UNPAD:
      return UnPad(call);
    case KSE_LIB_TRANS_DATA:
      return TransData(call);
    case KSE_LIB_CONFUSION_TRANSPOSE:
      return ConfusionTranspose(call);
  }
}

}  // namespace
}  // namespace kernelsmith::emulator::library

extern "C" uint64_t kse_library(const kse_library_call* call, const kse_where* where) {
  using namespace kernelsmith::emulator;
  library::Call running(Core::Current(), *call, *where);
  library::Run(running);
  return running.result;
}
