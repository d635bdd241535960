#include "server/proposers/catalog/ascend/prelude.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::server {
namespace {

constexpr char kQueues[] = R"(
constexpr uint32_t kBuffers = @BUFFERS@;

// Buffers between copies and arithmetic: queues make each side wait for the other.
class Ring {
 public:
  __aicore__ inline void Init(uint32_t in_bytes, uint32_t out_bytes, uint32_t work_bytes) {
    pipe_.InitBuffer(in_, kBuffers, in_bytes);
    pipe_.InitBuffer(out_, kBuffers, out_bytes);
    pipe_.InitBuffer(work_, work_bytes);
  }
  __aicore__ inline LocalTensor<uint8_t> Work() { return work_.Get<uint8_t>(); }
  // In order: copies fill a buffer, arithmetic uses it.
  __aicore__ inline LocalTensor<uint8_t> FillIn() { return in_.AllocTensor<uint8_t>(); }
  __aicore__ inline void FilledIn(LocalTensor<uint8_t>& buffer) { in_.EnQue(buffer); }
  __aicore__ inline LocalTensor<uint8_t> UseIn() { return in_.DeQue<uint8_t>(); }
  __aicore__ inline void UsedIn(LocalTensor<uint8_t>& buffer) { in_.FreeTensor(buffer); }
  // In order: arithmetic fills a buffer, copies use it.
  __aicore__ inline LocalTensor<uint8_t> FillOut() { return out_.AllocTensor<uint8_t>(); }
  __aicore__ inline void FilledOut(LocalTensor<uint8_t>& buffer) { out_.EnQue(buffer); }
  __aicore__ inline LocalTensor<uint8_t> UseOut() { return out_.DeQue<uint8_t>(); }
  __aicore__ inline void UsedOut(LocalTensor<uint8_t>& buffer) { out_.FreeTensor(buffer); }
  __aicore__ inline void Finish() {}

 private:
  TPipe pipe_;
  TQue<TPosition::VECIN, kBuffers> in_;  // that many tiles can have come in before one is used
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
};

// What was issued before on the event's first pipe is done before its second pipe goes on.
template <HardEvent kEvent>
__aicore__ inline void Order() {
  const auto id = GetTPipePtr()->FetchEventID(kEvent);
  SetFlag<kEvent>(id);
  WaitFlag<kEvent>(id);
}
)";

constexpr char kFlags[] = R"(
constexpr uint32_t kBuffers = @BUFFERS@;

// Buffers between copies and arithmetic at fixed places, with a pair of flags for each: full, and free again.
class Ring {
 public:
  __aicore__ inline void Init(uint32_t in_bytes, uint32_t out_bytes, uint32_t work_bytes) {
    InitSocState();
    in_bytes_ = in_bytes;
    out_bytes_ = out_bytes;
    work_bytes_ = work_bytes;
    for (uint32_t b = 0; b < kBuffers; ++b) {
      SetFlag<HardEvent::V_MTE2>(b);
      SetFlag<HardEvent::MTE3_V>(b);
    }
  }
  __aicore__ inline LocalTensor<uint8_t> Work() {
    return LocalTensor<uint8_t>(TPosition::VECCALC, kBuffers * (in_bytes_ + out_bytes_), work_bytes_);
  }
  // In order: copies fill a buffer, arithmetic uses it.
  __aicore__ inline LocalTensor<uint8_t> FillIn() {
    WaitFlag<HardEvent::V_MTE2>(filled_in_);
    return In(filled_in_);
  }
  __aicore__ inline void FilledIn(LocalTensor<uint8_t>&) {
    SetFlag<HardEvent::MTE2_V>(filled_in_);
    filled_in_ = (filled_in_ + 1) % kBuffers;
  }
  __aicore__ inline LocalTensor<uint8_t> UseIn() {
    WaitFlag<HardEvent::MTE2_V>(used_in_);
    return In(used_in_);
  }
  __aicore__ inline void UsedIn(LocalTensor<uint8_t>&) {
    SetFlag<HardEvent::V_MTE2>(used_in_);
    used_in_ = (used_in_ + 1) % kBuffers;
  }
  // In order: arithmetic fills a buffer, copies use it.
  __aicore__ inline LocalTensor<uint8_t> FillOut() {
    WaitFlag<HardEvent::MTE3_V>(filled_out_);
    return Out(filled_out_);
  }
  __aicore__ inline void FilledOut(LocalTensor<uint8_t>&) {
    SetFlag<HardEvent::V_MTE3>(filled_out_);
    filled_out_ = (filled_out_ + 1) % kBuffers;
  }
  __aicore__ inline LocalTensor<uint8_t> UseOut() {
    WaitFlag<HardEvent::V_MTE3>(used_out_);
    return Out(used_out_);
  }
  __aicore__ inline void UsedOut(LocalTensor<uint8_t>&) {
    SetFlag<HardEvent::MTE3_V>(used_out_);
    used_out_ = (used_out_ + 1) % kBuffers;
  }
  // Every flag that was set has to be awaited.
  __aicore__ inline void Finish() {
    for (uint32_t b = 0; b < kBuffers; ++b) {
      WaitFlag<HardEvent::V_MTE2>(b);
      WaitFlag<HardEvent::MTE3_V>(b);
    }
  }

 private:
  __aicore__ inline LocalTensor<uint8_t> In(int32_t b) {
    return LocalTensor<uint8_t>(TPosition::VECIN, b * in_bytes_, in_bytes_);
  }
  __aicore__ inline LocalTensor<uint8_t> Out(int32_t b) {
    return LocalTensor<uint8_t>(TPosition::VECOUT, kBuffers * in_bytes_ + b * out_bytes_, out_bytes_);
  }

  uint32_t in_bytes_ = 0;
  uint32_t out_bytes_ = 0;
  uint32_t work_bytes_ = 0;
  int32_t filled_in_ = 0;
  int32_t used_in_ = 0;
  int32_t filled_out_ = 0;
  int32_t used_out_ = 0;
};

// What was issued before on the event's first pipe is done before its second pipe goes on.
template <HardEvent kEvent>
__aicore__ inline void Order() {
  SetFlag<kEvent>(EVENT_ID2);
  WaitFlag<kEvent>(EVENT_ID2);
}
)";

constexpr char kBarriers[] = R"(
// Buffers between copies and arithmetic at fixed places. Each step waits for the one before.
class Ring {
 public:
  __aicore__ inline void Init(uint32_t in_bytes, uint32_t out_bytes, uint32_t work_bytes) {
    InitSocState();
    in_bytes_ = in_bytes;
    out_bytes_ = out_bytes;
    work_bytes_ = work_bytes;
  }
  __aicore__ inline LocalTensor<uint8_t> Work() {
    return LocalTensor<uint8_t>(TPosition::VECCALC, in_bytes_ + out_bytes_, work_bytes_);
  }
  __aicore__ inline LocalTensor<uint8_t> FillIn() { return LocalTensor<uint8_t>(TPosition::VECIN, 0, in_bytes_); }
  __aicore__ inline void FilledIn(LocalTensor<uint8_t>&) { PipeBarrier<PIPE_ALL>(); }
  __aicore__ inline LocalTensor<uint8_t> UseIn() { return LocalTensor<uint8_t>(TPosition::VECIN, 0, in_bytes_); }
  __aicore__ inline void UsedIn(LocalTensor<uint8_t>&) { PipeBarrier<PIPE_ALL>(); }
  __aicore__ inline LocalTensor<uint8_t> FillOut() {
    return LocalTensor<uint8_t>(TPosition::VECOUT, in_bytes_, out_bytes_);
  }
  __aicore__ inline void FilledOut(LocalTensor<uint8_t>&) { PipeBarrier<PIPE_ALL>(); }
  __aicore__ inline LocalTensor<uint8_t> UseOut() {
    return LocalTensor<uint8_t>(TPosition::VECOUT, in_bytes_, out_bytes_);
  }
  __aicore__ inline void UsedOut(LocalTensor<uint8_t>&) { PipeBarrier<PIPE_ALL>(); }
  __aicore__ inline void Finish() {}

 private:
  uint32_t in_bytes_ = 0;
  uint32_t out_bytes_ = 0;
  uint32_t work_bytes_ = 0;
};

template <HardEvent kEvent>
__aicore__ inline void Order() {
  PipeBarrier<PIPE_ALL>();
}
)";

constexpr char kCopies[] = R"(
// `rows` pieces of `n` elements, `gap` elements apart in global memory, to or from rows of `pitch` elements. Lengths
// need not be multiples of 32 bytes.
template <typename T>
__aicore__ inline void CopyIn(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t rows, uint32_t n,
                              uint32_t gap, uint32_t pitch) {
  const uint32_t bytes = n * sizeof(T);
  DataCopyExtParams copy{static_cast<uint16_t>(rows), bytes, static_cast<uint32_t>(gap * sizeof(T)),
                         static_cast<uint32_t>(pitch * sizeof(T) / 32 - (bytes + 31) / 32), 0};
  DataCopyPadExtParams<T> pad{false, 0, 0, 0};
  DataCopyPad(to, from, copy, pad);
}
template <typename T>
__aicore__ inline void CopyOut(const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t rows, uint32_t n,
                               uint32_t gap, uint32_t pitch) {
  const uint32_t bytes = n * sizeof(T);
  DataCopyExtParams copy{static_cast<uint16_t>(rows), bytes,
                         static_cast<uint32_t>(pitch * sizeof(T) / 32 - (bytes + 31) / 32),
                         static_cast<uint32_t>(gap * sizeof(T)), 0};
  DataCopyPad(to, from, copy);
}
__aicore__ inline uint32_t Smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
)";

}  // namespace

std::string KernelHeadText(const Problem& problem, const std::string& schedule, bool integer) {
  return absl::StrCat("// ", problem.summary, " (", FamilyName(problem.family),
                      "), written by the Kernelsmith catalog.\n// Schedule: ", schedule,
                      "\n#include \"kernel_operator.h\"\n\nusing namespace AscendC;\n\nnamespace {\n\nusing real = ",
                      integer ? "int32_t" : "float", ";\n");
}

std::string RingText(Sync sync, int buffers) {
  const char* text = sync == Sync::kQueues ? kQueues : sync == Sync::kFlags ? kFlags : kBarriers;
  return absl::StrReplaceAll(text, {{"@BUFFERS@", absl::StrCat(buffers)}});
}

std::string CopiesText() { return kCopies; }

}  // namespace kernelsmith::server
