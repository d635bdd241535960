#include "worker/emulator/check/pairing.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {
namespace {

std::string FlagText(const Record& record, bool set) {
  const std::string own = PipeName(record.pipe), other = PipeName(Pipe(record.a));
  return absl::StrCat("<HardEvent::", set ? own : other, "_", set ? other : own, ">(", record.b, ")");
}

}  // namespace

void Pairing::Queue(const Record& record) {
  std::vector<Buffer>& buffers = cores_[record.core];
  Buffer* buffer = nullptr;
  for (Buffer& known : buffers) {
    if (known.queue == record.a && known.buffer == record.b) buffer = &known;
  }
  if (buffer == nullptr) buffer = &buffers.emplace_back(Buffer{.queue = record.a, .buffer = record.b});
  const uint32_t index = trace_.IndexOf(&record);
  switch (record.kind) {
    case Kind::kAllocate:
      buffer->allocated = index;
      break;
    case Kind::kFree:
      buffer->allocated = Findings::kNoRecord;
      break;
    case Kind::kEnQue:
      buffer->enqueued = index;
      break;
    default:
      buffer->enqueued = Findings::kNoRecord;
  }
}

void Pairing::Barrier(const Record& record, bool ordered) {
  // Barriers that an API brings along are not the author's to remove.
  if (!absl::EndsWith(absl::string_view(trace_.text(record.operation).data(), trace_.text(record.operation).size()),
                      "PipeBarrier")) {
    return;
  }
  const uint64_t place = uint64_t{record.file} << 48 | uint64_t{record.line} << 8 | uint64_t(record.pipe);
  const auto [entry, fresh] = barriers_.try_emplace(place, Uses{.first = trace_.IndexOf(&record)});
  if (fresh) order_.push_back(place);
  ++entry->second.all;
  entry->second.idle += !ordered;
}

void Pairing::SetTwice(const Record& record) {
  findings_.Add({.check = Check::kPairing, .record = trace_.IndexOf(&record)}, [&](const Finding& finding) {
    return absl::StrCat(
        PlaceText(finding.place), " sets flag ", FlagText(record, true),
        " while it is still set: the result is undefined and a barrier may hang; wait for the first one, "
        "or use another event id");
  });
}

void Pairing::WaitWithoutSet(const Record& record) {
  findings_.Add({.check = Check::kPairing, .record = trace_.IndexOf(&record)}, [&](const Finding& finding) {
    return absl::StrCat(PlaceText(finding.place), " waits for flag ", FlagText(record, false),
                        ", which nothing set: the kernel hangs; put the SetFlag of the same event and id before it");
  });
}

void Pairing::End(uint16_t core, const std::vector<uint32_t>& left_flags) {
  for (const uint32_t index : left_flags) {
    const Record& record = *trace_.At(index).record;
    // Queues set flags as well, which they await when the next buffer is taken.
    const std::string_view operation = trace_.text(record.operation);
    if (!absl::EndsWith(absl::string_view(operation.data(), operation.size()), "SetFlag")) continue;
    findings_.Add({.check = Check::kPairing, .record = index}, [&](const Finding& finding) {
      return absl::StrCat(
          PlaceText(finding.place), " sets flag ", FlagText(record, true),
          ", and the kernel ends without a WaitFlag for it: the next kernel finds it set; add the wait");
    });
  }
  for (const Buffer& buffer : cores_[core]) {
    if (buffer.enqueued != Findings::kNoRecord) {
      findings_.Add({.check = Check::kPairing, .record = buffer.enqueued}, [](const Finding& finding) {
        return absl::StrCat(PlaceText(finding.place),
                            " puts a tensor into a queue from which no DeQue takes it: whoever ",
                            "uses it does not wait for its data; add DeQue");
      });
    } else if (buffer.allocated != Findings::kNoRecord) {
      findings_.Add({.check = Check::kPairing, .record = buffer.allocated}, [](const Finding& finding) {
        return absl::StrCat(PlaceText(finding.place),
                            " takes a tensor that is never given back: when the queue has no ",
                            "buffer left the kernel hangs; add FreeTensor after its last use");
      });
    }
  }
  cores_[core] = {};
}

void Pairing::Finish() {
  for (const uint64_t place : order_) {
    const Uses& uses = barriers_[place];
    if (uses.idle != uses.all) continue;
    findings_.Add({.check = Check::kRedundant, .error = false, .record = uses.first}, [&](const Finding& finding) {
      return absl::StrCat(PlaceText(finding.place), "<PIPE_", PipeName(finding.place.pipe), "> orders nothing (",
                          uses.all, uses.all == 1 ? " time" : " times",
                          "): everything before it is complete already; remove it");
    });
  }
}

}  // namespace kernelsmith::emulator
