// The high-level functions, one each; library_abi.h says what stands where in a call. Formulas are those of CANN's
// documentation of the function.
#pragma once

#include "worker/emulator/device/library/call.h"

namespace kernelsmith::emulator::library {

// softmax.cc
void SoftMax(Call& call);
void SimpleSoftMax(Call& call);
void LogSoftMax(Call& call);
void SoftMaxGrad(Call& call);
void AdjustSoftMax(Call& call);
// softmax_flash.cc
void SoftMaxFlash(Call& call);
void SoftMaxFlash2(Call& call);
void SoftMaxFlash3(Call& call);
// normalise.cc
void LayerNorm(Call& call);
void Normalize(Call& call);
void RmsNorm(Call& call);
void DeepNorm(Call& call);
void BatchNorm(Call& call);
void GroupNorm(Call& call);
// layer_norm_grad.cc
void LayerNormGrad(Call& call);
void LayerNormGradBeta(Call& call);
// welford.cc
void WelfordUpdate(Call& call);
void WelfordFinalize(Call& call);
// quantise.cc
void Quant(Call& call);
void Dequant(Call& call);
void AntiQuant(Call& call);
// gated.cc
void Gated(Call& call);
// axes.cc
void ReduceAxis(Call& call);
void XorSum(Call& call);
void CumSum(Call& call);
// choose.cc
void SelectBytes(Call& call);
void DropOut(Call& call);
// top_k.cc
void TopK(Call& call);
// shape.cc
void Pad(Call& call);
void UnPad(Call& call);
void TransData(Call& call);
void ConfusionTranspose(Call& call);

}  // namespace kernelsmith::emulator::library
