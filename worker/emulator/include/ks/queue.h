// Queues of tensors between the stages of a kernel. The buffers are the device's; a queue object holds a number.
//
// Example:
//   AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
//   pipe.InitBuffer(in, 2, 4096);
//   auto x = in.AllocTensor<half>();  DataCopy(x, ...);  in.EnQue(x);
//   auto y = in.DeQue<half>();  ...  in.FreeTensor(y);
#pragma once

#include "ks/events.h"
#include "ks/local_tensor.h"

namespace AscendC {

// A buffer of a pool that the author manages: stands for it, points nowhere.
using TBufHandle = uint8_t*;

// Hints of a queue; only what InitBuffer says counts here.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

template <TPosition kSource, TPosition kDestination, int32_t kDepth, auto kMask = 0>
class TQueBind {
 public:
  static constexpr TPosition srcPosition = kSource;
  static constexpr TPosition dstPosition = kDestination;

  __aicore__ TQueBind() {}

  template <typename T>
  __aicore__ LocalTensor<T> AllocTensor(KS_SITE) {
    const kse_where where = site.In("AllocTensor");
    kse_tensor tensor;
    kse_queue_allocate(&ks, &tensor, &where);
    return LocalTensor<T>(tensor);
  }
  template <typename T>
  __aicore__ void AllocTensor(LocalTensor<T>& tensor, KS_SITE) {
    tensor = AllocTensor<T>(site);
  }
  template <typename T>
  __aicore__ void FreeTensor(const LocalTensor<T>& tensor, KS_SITE) {
    const kse_where where = site.In("FreeTensor");
    kse_queue_free(&ks, &tensor.ks, &where);
  }

  template <typename T>
  __aicore__ bool EnQue(const LocalTensor<T>& tensor, KS_SITE) {
    return Push(tensor.ks, kSource, kDestination, site);
  }
  // With the positions between which this step moves, for a buffer that serves as input and output.
  template <TPosition kFrom, TPosition kTo, typename T>
  __aicore__ bool EnQue(const LocalTensor<T>& tensor, KS_SITE) {
    return Push(tensor.ks, kFrom, kTo, site);
  }
  template <typename T>
  __aicore__ LocalTensor<T> DeQue(KS_SITE) {
    const kse_where where = site.In("DeQue");
    kse_tensor tensor;
    kse_queue_pop(&ks, &tensor, &where);
    return LocalTensor<T>(tensor);
  }
  template <typename T>
  __aicore__ void DeQue(LocalTensor<T>& tensor, KS_SITE) {
    tensor = DeQue<T>(site);
  }
  template <TPosition kFrom, TPosition kTo, typename T>
  __aicore__ LocalTensor<T> DeQue(KS_SITE) {
    return DeQue<T>(site);
  }

  // Whether EnQue has room, DeQue has a tensor, AllocTensor has a free buffer.
  __aicore__ bool VacantInQue(KS_SITE) { return Ask(KSE_QUEUE_VACANT, site, "VacantInQue") != 0; }
  __aicore__ bool HasTensorInQue(KS_SITE) { return Ask(KSE_QUEUE_COUNT, site, "HasTensorInQue") != 0; }
  __aicore__ bool HasIdleBuffer(KS_SITE) { return Ask(KSE_QUEUE_IDLE, site, "HasIdleBuffer") != 0; }
  __aicore__ int32_t GetTensorCountInQue(KS_SITE) { return Ask(KSE_QUEUE_COUNT, site, "GetTensorCountInQue"); }
  __aicore__ void FreeAllEvent(KS_SITE) {
    const kse_where where = site.In("FreeAllEvent");
    kse_queue_free_events(&ks, &where);
  }

  // For pools of the author's own: buffer `index` of the queue lies at `address`.
  __aicore__ void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
  template <typename Pool>
  __aicore__ void InitBufHandle(Pool*, uint32_t index, TBufHandle, uint32_t address, uint32_t bytes, KS_SITE) {
    const kse_where where = site.In("InitBufHandle");
    kse_queue_place(&ks, index == 0, address, bytes, &where);
  }

  kse_queue ks{static_cast<uint8_t>(kSource), static_cast<uint8_t>(kDestination), 0, kDepth};

 private:
  __aicore__ bool Push(const kse_tensor& tensor, TPosition from, TPosition to, ks::Site site) {
    const kse_where where = site.In("EnQue");
    return kse_queue_push(&ks, &tensor, static_cast<uint8_t>(from), static_cast<uint8_t>(to), &where) != 0;
  }
  __aicore__ int32_t Ask(uint32_t question, ks::Site site, const char* operation) {
    const kse_where where = site.In(operation);
    return kse_queue_ask(&ks, question, &where);
  }
};

}  // namespace AscendC

namespace ks {

// Where the data of a queue of one position come from and go to.
KS_BOTH constexpr AscendC::TPosition QueueSource(AscendC::TPosition position) {
  switch (position) {
    case AscendC::TPosition::VECOUT:
    case AscendC::TPosition::VECCALC:
    case AscendC::TPosition::CO1:
    case AscendC::TPosition::CO2:
      return position;
    case AscendC::TPosition::A2:
      return AscendC::TPosition::A1;
    case AscendC::TPosition::B2:
      return AscendC::TPosition::B1;
    case AscendC::TPosition::C2:
      return AscendC::TPosition::C1;
    default:
      return AscendC::TPosition::GM;
  }
}
KS_BOTH constexpr AscendC::TPosition QueueDestination(AscendC::TPosition position) {
  switch (position) {
    case AscendC::TPosition::VECOUT:
    case AscendC::TPosition::CO2:
      return AscendC::TPosition::GM;
    case AscendC::TPosition::CO1:
      return AscendC::TPosition::CO2;
    default:
      return position;
  }
}

}  // namespace ks

namespace AscendC {

template <TPosition kPosition, int32_t kDepth, auto kMask = 0>
class TQue : public TQueBind<ks::QueueSource(kPosition), ks::QueueDestination(kPosition), kDepth, kMask> {
 public:
  __aicore__ TQue() {}
};

// A buffer without a queue, for intermediate values.
template <TPosition kPosition = TPosition::LCM, uint32_t kBuffers = 1>
class TBuf {
 public:
  __aicore__ TBuf() {}

  template <typename T>
  __aicore__ LocalTensor<T> Get() {
    return LocalTensor<T>(ks);
  }
  template <typename T>
  __aicore__ LocalTensor<T> Get(uint32_t elements) {
    LocalTensor<T> tensor(ks);
    tensor.SetSize(elements);
    return tensor;
  }
  // All of it; nothing to give back: the memory stays this buffer's.
  template <typename T>
  __aicore__ LocalTensor<T> AllocTensor() {
    return Get<T>();
  }
  template <typename T>
  __aicore__ void FreeTensor(LocalTensor<T>&) {}
  // For pools of the author's own.
  __aicore__ void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
  template <typename Pool>
  __aicore__ void InitBufHandle(Pool*, uint32_t, TBufHandle, uint32_t address, uint32_t bytes) {
    ks = LocalTensor<uint8_t>(kPosition, address, bytes).ks;
  }

  // `offset` in bytes.
  template <typename T>
  __aicore__ LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset) {
    kse_tensor part = ks;
    part.address += offset;
    part.bytes = offset < ks.bytes ? ks.bytes - offset : 0;
    LocalTensor<T> tensor(part);
    tensor.SetSize(elements);
    return tensor;
  }

  kse_tensor ks{};
};

}  // namespace AscendC
