// printf, assert and DumpTensor as kernels call them: text on the console of the launch, in the documented form.

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "worker/emulator/device/core.h"
#include "worker/emulator/device/launch_state.h"
#include "worker/emulator/device/print_format.h"
#include "worker/emulator/include/ks/print_abi.h"

namespace kernelsmith::emulator {
namespace {

// Most that one call may print; what is longer is dropped, as on a card.
constexpr size_t kMostText = 30 * 1024;
constexpr uint32_t kMostShapeElements = 1 << 16;

struct ElementText {
  const char* name;
  uint32_t bytes;
};

ElementText TextOf(uint8_t element) {
  switch (element) {
    case KSE_FLOAT:
      return {"float32", 4};
    case KSE_HALF:
      return {"float16", 2};
    case KSE_BFLOAT16:
      return {"bfloat16", 2};
    case KSE_INT8:
      return {"int8", 1};
    case KSE_INT16:
      return {"int16", 2};
    case KSE_UINT16:
      return {"uint16", 2};
    case KSE_INT32:
      return {"int32", 4};
    case KSE_UINT32:
      return {"uint32", 4};
    case KSE_INT64:
      return {"int64", 8};
    case KSE_UINT64:
      return {"uint64", 8};
    case KSE_DOUBLE:
      return {"float64", 8};
    default:
      return {"uint8", 1};
  }
}

void Print(Core& core, const std::string& text) {
  if (text.size() <= kMostText) core.launch().Print(text);
}

[[noreturn]] void Abort(Core& core, const std::string& text, const Where& where) {
  core.Report(Check::kAssert, where, text);
  core.launch().End(LaunchEnd::kAssert, absl::StrCat("core ", core.identity().index, ": ", text));
  core.launch().scheduler().Leave();
}

}  // namespace
}  // namespace kernelsmith::emulator

using kernelsmith::emulator::Core;

void kse_print(const char* format, const kse_print_argument* arguments, uint32_t n, const kse_where*) {
  Core& core = Core::Current();
  kernelsmith::emulator::Print(core, absl::StrCat("[AIV Block ", core.identity().block, "/", core.launch().blocks(),
                                                  "] ", kernelsmith::emulator::FormatPrint(format, {arguments, n})));
}

void kse_assert_failed(const char* condition, const char* format, const kse_print_argument* arguments, uint32_t n,
                       const kse_where* where) {
  Core& core = Core::Current();
  std::string said = format == nullptr ? "" : kernelsmith::emulator::FormatPrint(format, {arguments, n});
  const std::string line =
      absl::StrCat("[ASSERT] ", where->file, ":", where->line, ": Assertion `", condition, "' ", said);
  kernelsmith::emulator::Print(core, !line.empty() && line.back() == '\n' ? line : line + "\n");
  while (!said.empty() && said.back() == '\n') said.pop_back();
  kernelsmith::emulator::Abort(
      core, absl::StrCat("the assertion `", condition, "' failed", said.empty() ? "" : ": ", said), *where);
}

void kse_trap(const kse_where* where) {
  kernelsmith::emulator::Abort(Core::Current(), "the kernel called Trap", *where);
}

void kse_dump_tensor(const kse_tensor* tensor, uint32_t description, uint32_t elements, const uint32_t* shape,
                     uint32_t dimensions, const kse_where* where) {
  Core& core = Core::Current();
  const kernelsmith::emulator::ElementText element = kernelsmith::emulator::TextOf(tensor->element);
  kernelsmith::emulator::Instruction i(core, kernelsmith::emulator::Pipe::kScalar,
                                       kernelsmith::emulator::Kind::kScalarLoad, *where);
  const uint64_t bytes = uint64_t{elements} * element.bytes;
  if (bytes > kernelsmith::emulator::kMostText) return;
  const std::byte* values = i.Read(*tensor, {.run_bytes = static_cast<uint32_t>(bytes)}, 1);
  if (!i.ok()) return;
  static constexpr const char* kPositions[] = {"?", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FP", "GM"};
  std::string text = absl::StrCat("DumpTensor: desc=", description, ", addr=0x", absl::Hex(tensor->address),
                                  ", data_type=", element.name, ", position=", kPositions[tensor->space],
                                  ", dump_size=", elements, "\n");
  absl::Span<const uint32_t> sizes(shape, shape == nullptr ? 0 : dimensions);
  if (!sizes.empty()) {
    uint64_t total = 1;
    for (uint32_t size : sizes) total *= size;
    if (total > kernelsmith::emulator::kMostShapeElements) return;
    if (total != elements) {
      absl::StrAppend(&text, "shape is [", absl::StrJoin(sizes, ", "), "], dumpSize is ", elements, ", ",
                      total < elements ? "dumpSize is greater than shapeSize." : "data is not enough.", "\n");
    }
  }
  absl::StrAppend(&text, kernelsmith::emulator::FormatTensor(values, tensor->element, element.bytes, elements, sizes),
                  "\n");
  kernelsmith::emulator::Print(core, text);
}

void kse_print_time_stamp(uint32_t description, const kse_where*) {
  Core& core = Core::Current();
  const double ticks_per_ns = core.soc().device_ticks_per_ms().value() / 1e6;
  const auto ticks = static_cast<int64_t>(static_cast<double>(core.elapsed_ns()) * ticks_per_ns);
  kernelsmith::emulator::Print(
      core, absl::StrCat("descId is ", description, ", rsv is 0, timeStamp is ", ticks, ", pcPtr is 0, entry is 0.\n"));
}
