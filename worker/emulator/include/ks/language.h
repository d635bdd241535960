// The Ascend C language on top of clang's CUDA mode. The driver includes it before every kernel source file; nobody
// else needs to. It includes no header of the system, so that it cannot change the meaning of an author's own feature
// macros.
//
//   macro                          meaning here
//   __global__                     kernel: launched by name<<<blocks, ub, stream>>>(...)
//   __aicore__                     device function
//   __vector__, __mix__(0, 1)      section of the image a kernel lies in, by which the executor knows its type:
//                                  .ks.aiv, .ks.mix01 (all cores start together: hard SyncAll); none: as .ks.aiv
//   __cube__, __mix__(>0, ...)     refused: the emulated card runs vector kernels
//   __gm__, __ubuf__, ...          nothing: addresses are told apart at run time
//
// Kernels take their arguments by the Microsoft x64 convention, so that sizes are all a launch has to know: values of
// 1, 2, 4 and 8 bytes in their slot, others by reference.
#pragma once
#ifdef __clang__
#pragma clang system_header
#endif

#define KS_LANGUAGE 1

#ifdef KSE_DEVICE_PASS
#define __global__ __attribute__((global, ms_abi, visibility("default")))
#else
#define __global__ __attribute__((global))
#endif
#define __aicore__ __attribute__((device))
#define __host__ __attribute__((host))

#define __vector__ __attribute__((section(".ks.aiv")))
#define __cube__ \
  _Pragma("GCC error \"UNSUPPORTED: this kernel runs on cube cores, and the emulated card has vector cores\"")
#define KSE_MIX_0_1 __attribute__((section(".ks.mix01")))
#define KSE_MIX_1_0 __cube__
#define KSE_MIX_1_1 __cube__
#define KSE_MIX_1_2 __cube__
#define __mix__(cube, vector) KSE_MIX_##cube##_##vector
#define __schedmode__(mode)

#define __gm__
#define __ubuf__
#define __ca__
#define __cb__
#define __cc__
#define __cbuf__
#define __fbuf__

using half = _Float16;
using GM_ADDR = __UINT8_TYPE__*;

#define KSE_HOST __host__
#include "ks/launch.h"
#undef KSE_HOST

#ifdef KSE_DEVICE_PASS
// ELF note of the image; docs/formats.md describes it.
struct kse_image_note_v1 {
  __UINT32_TYPE__ name_bytes, description_bytes, type;
  char name[12];
  __UINT32_TYPE__ format, arch, flags;
  char version[16];
};
__attribute__((device, used, section(".note.kernelsmith"))) static const kse_image_note_v1 kse_image_note = {
    12, 28, 1, "Kernelsmith", 1, __NPU_ARCH__, KSE_IMAGE_FLAGS, KSE_IMAGE_VERSION};
#undef KSE_IMAGE_FLAGS
#undef KSE_IMAGE_VERSION
#endif
#undef KSE_DEVICE_PASS
