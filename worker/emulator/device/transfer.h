// Transfers between memories: DataCopy, DataCopyPad and Copy of a kernel. One Transfer describes the bursts, wherever
// they go; definedness travels with the bytes.
#pragma once

#include <cstdint>

#include "worker/emulator/device/core.h"
#include "worker/emulator/include/ks/copy_abi.h"

namespace kernelsmith::emulator {

// The pipe that moves data between two memories. kAll: no pipe can.
Pipe PipeOfTransfer(Space dst, Space src);

// DataCopy in bursts of whole blocks of 32 bytes.
void CopyBursts(Core& core, const Tensor& dst, const Tensor& src, const kse_bursts& bursts, const Where& where);
// DataCopy of `bytes` in one piece; what is no multiple of 32 is cut off and reported.
void CopyLinear(Core& core, const Tensor& dst, const Tensor& src, uint64_t bytes, const Where& where);
// DataCopyPad.
void CopyPadIn(Core& core, const Tensor& dst, const Tensor& src, const kse_bursts& bursts, const kse_padding& padding,
               const Where& where);
void CopyPadOut(Core& core, const Tensor& dst, const Tensor& src, const kse_bursts& bursts, const Where& where);

}  // namespace kernelsmith::emulator
