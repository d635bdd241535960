// GroupBarrier: vector cores of one group wait until all of another have arrived. Its messages lie in global memory
// that the author has set to zero, 512 bytes for each core of the larger group.
//
// Example:
//   AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE> barrier(workspace, 2, 6);  // 6 cores wait for 2
//   if (id < 2) barrier.Arrive(id);
//   else barrier.Wait(id - 2);
#pragma once

#include "ks/base.h"
#include "ks/site.h"
#include "ks/sync_abi.h"

namespace AscendC {

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

template <PipeMode kMode>
class GroupBarrier {
  static_assert(kMode == PipeMode::MTE3_MODE, "GroupBarrier sends its messages by MTE3 alone: PipeMode::MTE3_MODE");

 public:
  __aicore__ inline GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
      : workspace_(reinterpret_cast<uint64_t>(groupWorkspace)), arrive_size_(arriveSizeIn), wait_size_(waitSizeIn) {}

  __aicore__ inline void Arrive(uint32_t arriveIndex, KS_SITE) {
    const kse_where where = site.In("Arrive");
    kse_group_arrive(workspace_, GetWorkspaceLen(), arrive_size_, arriveIndex, &where);
  }
  __aicore__ inline void Wait(uint32_t waitIndex, KS_SITE) {
    const kse_where where = site.In("Wait");
    kse_group_wait(workspace_, arrive_size_, wait_size_, waitIndex, &where);
  }
  __aicore__ inline uint64_t GetWorkspaceLen() {
    constexpr uint64_t kMessageBytes = 512;
    return kMessageBytes * (arrive_size_ > wait_size_ ? arrive_size_ : wait_size_);
  }

 private:
  uint64_t workspace_;
  uint32_t arrive_size_;
  uint32_t wait_size_;
};

}  // namespace AscendC
