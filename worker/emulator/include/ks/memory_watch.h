// CheckLocalMemoryIA: a register that stops the core when a stretch of UB is touched in a way the author forbids.
//
// Example:  nothing of the vector unit may write the tensor from here on
//   const uint64_t first = x.GetPhyAddr() / 32;
//   AscendC::CheckLocalMemoryIA({0, uint32_t(first), uint32_t(first + 16), false, false, false, true, false, false,
//   true});
#pragma once

#include "ks/site.h"
#include "ks/tensor_abi.h"

namespace AscendC {

// Blocks of 32 bytes, after startAddr up to and with endAddr.
struct CheckLocalMemoryIAParam {
  uint8_t enableBit = 0;
  uint32_t startAddr = 0;
  uint32_t endAddr = 0;
  bool isScalarRead = false;
  bool isScalarWrite = false;
  bool isVectorRead = false;
  bool isVectorWrite = false;
  bool isMteRead = false;
  bool isMteWrite = false;
  bool isEnable = false;
  uint32_t reserved = 0;
};

__aicore__ inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam& checkParams, KS_SITE) {
  const kse_where where = site.In("CheckLocalMemoryIA");
  const bool kinds[6] = {checkParams.isScalarRead,  checkParams.isScalarWrite, checkParams.isVectorRead,
                         checkParams.isVectorWrite, checkParams.isMteRead,     checkParams.isMteWrite};
  uint32_t watched = 0;
  for (uint32_t kind = 0; kind < 6; ++kind) watched |= static_cast<uint32_t>(kinds[kind]) << kind;
  kse_watch(checkParams.enableBit, checkParams.startAddr, checkParams.endAddr, checkParams.isEnable ? watched : 0,
            &where);
}

}  // namespace AscendC
