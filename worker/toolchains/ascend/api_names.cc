#include "worker/toolchains/ascend/api_names.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace kernelsmith::worker {
namespace {

// Sorted.
constexpr absl::string_view kNames[] = {
    // clang-format off
    "Abs", "AbsSub", "Acos", "Acosh", "Add", "AddC", "AddDeqRelu", "AddRelu", "AddReluCast", "AddrReg", "Adds",
    "AdjustSoftMaxRes", "AllGather", "AllReduce", "AllocEventID", "AllocMessage", "AllocMutexID", "AllocTensor",
    "AlltoAll", "AlltoAllV", "AlltoAllvWrite", "And", "Ands", "AntiQuantize", "Arange", "AscendAntiQuant",
    "AscendDequant", "AscendQuant", "Asin", "Asinh", "AssignQueue", "AsyncGetTensorC", "Atan", "Atanh", "AtomicAdd",
    "AtomicCas", "AtomicExch", "AtomicMax", "AtomicMin", "Axpy", "BatchMatmulGetTmpBufSize",
    "BatchMatmulGetTmpBufSizeV2", "BatchNorm", "BatchWrite", "BilinearInterpolation", "BinaryRepeatParams",
    "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Brcb", "BroadCastVecToMM", "Broadcast", "Cast",
    "CastDequant", "Ceil", "CeilDivision", "CheckLocalMemoryIA", "Clamp", "ClampMax", "ClampMin", "ClearBias",
    "ClearSpr", "Compare", "Compares", "Concat", "Conv2D", "Conv3D", "Conv3DBackpropFilter", "Conv3DBackpropInput",
    "Copy", "Cos", "Cosh", "CountBitsCntSameAsSignBit", "CountLeadingZero", "CreateCubeResGroup", "CreateVecIndex",
    "CrossCoreSetFlag", "CrossCoreWaitFlag", "CubeResGroupHandle", "CumSum", "DataCacheCleanAndInvalid",
    "DataCachePreload", "DataCopy", "DataCopyL1ToUB", "DataCopyPad", "DataSyncBarrier", "DeInterleave", "DeNormMin",
    "DeQue", "DeepNorm", "Dequantize", "DestroyWithoutPipeAll", "Digamma", "DisableBias", "DisableDmaAtomic", "Div",
    "Divs", "DropOut", "DumpAccChkPoint", "DumpTensor", "Duplicate", "EnQue", "EnableBias",
    "EnableL1BankConflictOptimise", "EnableMultiCoreSplitK", "Erf", "Erfc", "Exp", "ExpSub", "F32", "FasterGelu",
    "FasterGeluV2", "FetchEventID", "Fixpipe", "Floor", "Fma", "Fmod", "Frac", "FreeAllEvent", "FreeMessage",
    "FreeTensor", "FusedMulAdd", "GEMV", "Gather", "GatherMask", "Gatherb", "GeGLU", "Gelu", "Gemm", "GetArchVersion",
    "GetBaseAddr", "GetBaseK", "GetBaseM", "GetBaseN", "GetBasicConfig", "GetBatchC", "GetBatchTensorC",
    "GetBitCount", "GetBlockIdx", "GetBlockNum", "GetBufHandle", "GetCmpMask", "GetCoreNum", "GetCtrlSpr",
    "GetCurAddr", "GetCurBufSize", "GetDataBlockSizeInBytes", "GetDataObj", "GetDataPtr", "GetDim", "GetHcclContext",
    "GetIBShareNormConfig", "GetICachePreloadStatus", "GetIndex", "GetKfcWorkspace", "GetLayout", "GetLayoutPattern",
    "GetLength", "GetMDLConfig", "GetMMConfig", "GetMatmulApiTiling", "GetMrgSortResult", "GetNormalConfig",
    "GetOffsetC", "GetPhyAddr", "GetPosition", "GetProgramCounter", "GetQueueNum", "GetRankDim", "GetRankId",
    "GetReduceRepeatMaxMinSpr", "GetReduceRepeatSumSpr", "GetRuntimeUBSize", "GetSFFValue", "GetSaturationFlag",
    "GetShape", "GetShapeInfo", "GetSingleShape", "GetSize", "GetSortLen", "GetSortOffset", "GetSpecialMDLConfig",
    "GetSpr", "GetSsbufBaseAddr", "GetStoreAtomicConfig", "GetStride", "GetSubBlockIdx", "GetSubBlockNum",
    "GetSysWorkSpacePtr", "GetSystemCycle", "GetTPipePtr", "GetTaskRatio", "GetTensorC", "GetTensorCountInQue",
    "GetTiling", "GetUBSizeInBytes", "GetUserTag", "GetUserWorkspace", "GetValue", "GetVecLen", "GetWindowsInAddr",
    "GetWindowsOutAddr", "GetWithOffset", "GetWorkspaceLen", "GlobalTensor", "GmAlloc", "GmFree", "GroupBarrier",
    "GroupNorm", "HCCL", "HasIdleBuffer", "HasTensorInQue", "Histograms", "Hypot", "IBSet", "IBWait", "ICachePreLoad",
    "InitBufHandle", "InitBufPool", "InitBuffer", "InitDetermineComputeWorkspace", "InitSocState", "InitSpmBuffer",
    "InitStartBufHandle", "InitV2", "Int8", "InterHcclGroupSync", "Interleave", "IsBasicBlockInSoftMax", "IsFinite",
    "IsInf", "IsNan", "IterateAll", "IterateBatch", "IterateNBatch", "Kernel", "KfcWorkspace", "L0C", "L1",
    "LayerNorm", "LayerNormGrad", "LayerNormGradBeta", "LeakyRelu", "Lgamma", "ListTensorDesc", "Ln", "Load",
    "LoadData", "LoadDataUnzip", "LoadDataWithSparse", "LoadDataWithStride", "LoadDataWithTranspose",
    "LoadImageToLocal", "LoadUnzipIndex", "LocalMemAllocator", "LocalMemBar", "LocalTensor", "Lock", "Log", "Log10",
    "Log2", "LogSoftMax", "LogicalAnd", "LogicalAnds", "LogicalNot", "LogicalOr", "LogicalOrs", "LogicalXor",
    "Lowest", "MakeCoord", "MakeFrameLayout", "MakeLayout", "MakeMemPtr", "MakePatternLayout", "MakeShape",
    "MakeStride", "MakeTensor", "MakeTensorTrait", "MarkStamp", "MaskMergeMode", "MaskReg", "Matmul",
    "MatmulCallBackFunc", "MatmulConfig", "MatmulGetTmpBufSize", "MatmulGetTmpBufSizeV2", "MatmulPolicy", "Max",
    "Maxs", "Mean", "MetricsProfStart", "MetricsProfStop", "Min", "Mins", "Mmad", "MmadBitMode", "MmadMx",
    "MmadWithSparse", "Move", "MoveMask", "MrgSort", "MrgSort4", "Mul", "MulAddDst", "MulAddRelu", "MulCast",
    "MulDstAdd", "Mull", "Muls", "MulsCast", "MultiCoreMatmulGetTmpBufSize", "MultiCoreMatmulGetTmpBufSizeV2",
    "Mutex", "NZ2DN", "NZ2ND", "NZ2NZ", "NdDmaDci", "Neg", "NegativeInfinity", "Nop", "Normalize", "Not",
    "NotifyNextBlock", "Or", "Ors", "Pack", "Pad", "PairReduceElem", "PhiloxRandom", "PipeBarrier", "Pointer",
    "PopStackBuffer", "PostFakeMsg", "PostLiteral", "PostMessage", "Power", "Prelu", "PrintTimeStamp",
    "ProposalConcat", "ProposalExtract", "Quantize", "QueueBarrier", "QuietNaN", "ReGlu", "ReadGmByPassDCache",
    "ReadSpmBuffer", "Reciprocal", "Reduce", "ReduceAll", "ReduceAny", "ReduceDataBlock", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReducePairElem", "ReduceProd", "ReduceRepeat", "ReduceScatter", "ReduceSum", "ReduceXorSum",
    "RegLayout", "RegTensor", "ReinterpretCast", "ReleaseEventID", "ReleaseMutexID", "Relu", "ResetCtrlSpr",
    "ResetLoopModePara", "ResetMask", "Rint", "RmsNorm", "Round", "RoundMode", "RpSort16", "Rsqrt", "SIMD", "SatMode",
    "Scatter", "Select", "SetALayout", "SetAType", "SetAddrWithOffset", "SetAippFunctions", "SetAlgConfig",
    "SetAlignSplit", "SetAntiQuantScalar", "SetAntiQuantVector", "SetAtomicAdd", "SetAtomicMax", "SetAtomicMin",
    "SetAtomicType", "SetBLayout", "SetBType", "SetBatchInfoForNormal", "SetBatchNum", "SetBias", "SetBiasType",
    "SetBufferLen", "SetBufferSpace", "SetCLayout", "SetCType", "SetCcTiling", "SetCcTilingV2", "SetCmpMask",
    "SetCommBlockNum", "SetCommEngine", "SetCtrlSpr", "SetCurAddr", "SetCurBufSize", "SetDebugMode", "SetDeqScale",
    "SetDequantType", "SetDilation", "SetDim", "SetDoubleBuffer", "SetFixPipeAddr", "SetFixPipeClipRelu",
    "SetFixPipeConfig", "SetFixSplit", "SetFixpipeNz2ndFlag", "SetFixpipePreQuantFlag", "SetFlag", "SetFmatrix",
    "SetFmatrixBitMode", "SetGlobalBuffer", "SetGradOutput", "SetGradOutputShape", "SetGradOutputType",
    "SetGroupName", "SetGroups", "SetHF32", "SetHF32Mode", "SetHF32TransMode", "SetHcclContext", "SetInput",
    "SetInputShape", "SetInputStartPosition", "SetInputType", "SetKernelMode", "SetL2CacheHint", "SetLayout",
    "SetLoadDataBoundary", "SetLoadDataPaddingValue", "SetLoadDataRepeat", "SetLoadDataRepeatWithStride",
    "SetLocalWorkspace", "SetLoopModePara", "SetMMColumnMajor", "SetMadType", "SetMaskCount", "SetMaskNorm",
    "SetMatmulConfigParams", "SetNextTaskStart", "SetOpType", "SetOrgInputShape", "SetOrgShape", "SetOrgWeightShape",
    "SetOutputPadding", "SetOutputType", "SetPadValue", "SetPadding", "SetQuantScalar", "SetQuantVector",
    "SetQueueNum", "SetQuit", "SetReduceType", "SetSaturationFlag", "SetScaleAType", "SetScaleBType",
    "SetSelfDefineData", "SetShape", "SetShapeAddr", "SetShapeInfo", "SetSingleOutputShape", "SetSingleRange",
    "SetSingleShape", "SetSingleWeightShape", "SetSize", "SetSkipBufferWindowCopy", "SetSkipLocalRankCopy",
    "SetSkipMsg", "SetSparse", "SetSparseIndex", "SetSplitK", "SetSplitRange", "SetStartPosition", "SetStepSize",
    "SetStoreAtomicConfig", "SetStride", "SetSubBlockIdx", "SetSysWorkSpace", "SetTail", "SetTensorA", "SetTensorB",
    "SetTensorScaleA", "SetTensorScaleB", "SetTraverse", "SetUserDefInfo", "SetUserTag", "SetValue", "SetVectorMask",
    "SetWeight", "SetWeightShape", "SetWeightType", "SetWorkspace", "ShapeInfo", "ShiftLeft", "ShiftLefts",
    "ShiftRight", "ShiftRights", "Sigmoid", "Sign", "SignalingNaN", "Silu", "SimpleSoftMax", "Sin", "SinCos", "Sinh",
    "Slice", "SoftMax", "SoftmaxFlash", "SoftmaxFlashV2", "SoftmaxFlashV3", "SoftmaxGrad", "SoftmaxGradFront", "Sort",
    "Sort32", "Sqrt", "Squeeze", "Store", "Sub", "SubC", "SubRelu", "SubReluCast", "Subs", "Sum", "SwiGLU", "Swish",
    "SyncAll", "TBuf", "TBufPool", "TPipe", "TPosition", "TQue", "TQueBind", "TSCM", "Tan", "Tanh", "TensorDataType",
    "TensorDesc", "TensorShape", "TensorTrait", "ToFile", "TopK", "TransData", "TransDataTo5HD", "Transpose", "Trap",
    "Trunc", "Truncate", "UnPack", "UnPad", "UnalignRegForLoad", "UnaryRepeatParams", "UnitFlag", "Unlock",
    "Unsqueeze", "UpdateKfcWorkspace", "VacantInQue", "VectorPadding", "ViewEngine", "WaitGetTensorC",
    "WaitIterateAll", "WaitIterateBatch", "WaitPreBlock", "WaitPreTaskEnd", "WelfordFinalize", "WelfordUpdate",
    "Where", "WriteGmByPassDCache", "WriteSpmBuffer", "Xor",
    // clang-format on
};

constexpr absl::string_view kSizeFunctions[] = {"MaxMinTmpSize", "TmpBufferFactorSize", "TmpSize"};

// What a compiler made from clang says about a name that is not declared.
constexpr absl::string_view kUndeclared[] = {"no member named '", "no template named '", "no type named '",
                                             "use of undeclared identifier '", "unknown type name '"};

}  // namespace

bool IsDocumentedCall(absl::string_view name) {
  if (std::binary_search(std::begin(kNames), std::end(kNames), name)) return true;
  if (!absl::StartsWith(name, "Get")) return false;
  return std::any_of(std::begin(kSizeFunctions), std::end(kSizeFunctions),
                     [name](absl::string_view suffix) { return absl::EndsWith(name, suffix); });
}

std::string MissingCall(absl::string_view message) {
  for (const absl::string_view begin : kUndeclared) {
    absl::string_view rest = message;
    if (!absl::ConsumePrefix(&rest, begin)) continue;
    const absl::string_view name = rest.substr(0, rest.find('\''));
    // A class's own member of that name is the author's business.
    const absl::string_view after = rest.substr(std::min(rest.size(), name.size() + 1));
    const bool elsewhere = absl::StartsWith(after, " in ") && !absl::StrContains(after, "namespace 'AscendC'");
    return !elsewhere && IsDocumentedCall(name) ? std::string(name) : "";
  }
  return "";
}

}  // namespace kernelsmith::worker
