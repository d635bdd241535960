// Tiling structures of the normalisations, with the members the documents name. The shape is filled in by the tiling
// functions and read by the emulated card; how a card divides the work (positions and sizes in its workspace, rounds)
// is its own affair and stays 0, but for what follows from the shape.
#pragma once

#include <cstdint>

namespace AscendC::tiling {

// What all of them say about rounds over the data and pieces of the workspace.
struct NormRounds {
  uint32_t inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0;
  uint32_t meanTmpTensorPos = 0, meanTmpTensorSize = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0;
  uint32_t tmpBufSize = 0, oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0;
  uint32_t loopRound = 0, inputRoundSize = 0, inputTailSize = 0, inputTailPos = 0;
  uint32_t meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0;
  uint32_t bshCurLength = 0, bsCurLength = 0;
};

// B, S, H as stored and as they are.
struct NormShape {
  uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
};

struct LayerNormTiling : NormShape, NormRounds {
  float lastDimValueBack = 0;
};
struct DeepNormTiling : NormShape, NormRounds {
  float lastDimValueBack = 0;
};

struct LayerNormSeparateTiling : NormRounds {
  uint32_t aLength = 0, rLength = 0;
  uint32_t halfAddRepeatTimes = 0, rHeadLength = 0;
  float k2Rec = 0, k2RRec = 0;
  uint32_t arCurLength = 0, aCurLength = 0;
  float rValueBack = 0;
};

struct RmsNormTiling : NormShape {
  float reciprocalOfHLength = 0;
  uint32_t mainBshLength = 0, mainBsLength = 0, mainBsLengthAlign = 0;
  uint32_t loopRound = 0, inputTailPos = 0, tailBshLength = 0, tailBsLength = 0;
};

struct LayerNormGradTiling : NormShape {
  uint32_t stackBufferSize = 0, oneCalSize = 0, nohCalSize = 0, loopNum = 0, tailSize = 0, nohTailSize = 0;
  uint32_t tmpTensorBSHPos = 0, tmpTensorBSHSize = 0, pdVarTensorPos = 0, pdVarTensorSize = 0;
  uint32_t pdMeanTensorPos = 0, pdMeanTensorSize = 0;
  uint32_t x1TensorPos = 0, x1TensorSize = 0, x2TensorPos = 0, x2TensorSize = 0, x3TensorPos = 0, x3TensorSize = 0;
  uint32_t tmpTensorPos = 0, tmpTensorSize = 0, tmpTensor1Pos = 0, tmpTensor1Size = 0;
  uint32_t tmpTensor2Pos = 0, tmpTensor2Size = 0;
  uint32_t lastDimValueBack = 0, lastDimValueBackMulTwo = 0;
};

struct LayerNormGradBetaTiling : NormShape {
  uint32_t stackBufferSize = 0, bshLength = 0, bsLength = 0, oneCalSize = 0, numberOfTmpBuf = 0;
  uint32_t loopRound = 0, inputTailSize = 0, inputTailPos = 0, bsTailSize = 0, bshCurLength = 0, bsCurLength = 0;
  uint32_t gammaTempTensorPos = 0, betaTempTensorPos = 0, inputDyTmpTensorPos = 0, resForGammaTmpTensorPos = 0;
  uint32_t reserved = 0;
};

// meanVarSize: features of one of the batch.
struct BatchNormTiling : NormRounds {
  uint32_t originalBLength = 0, bLength = 0;
  uint32_t shCurLength = 0, castHalfRepStride = 0, shCurLengthBlockNum = 0, castHalfOutRepStride = 0;
  float firstDimValueBack = 0;
};

struct GroupNormTiling : NormRounds {
  uint32_t n = 0, c = 0, hw = 0, g = 0, d = 0;
  uint32_t hwAlignSize = 0, dhwAlignSize = 0;
  float factor = 0;
};

}  // namespace AscendC::tiling
