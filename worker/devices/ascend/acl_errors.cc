#include "worker/devices/ascend/acl_errors.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

constexpr size_t kMessageBytes = 600;

struct Row {
  int code;
  AclErrorClass error_class;
  v1::EvaluationStatus status;
  absl::string_view name;
  absl::string_view says;
};

constexpr auto kCandidate = AclErrorClass::kCandidate;
constexpr auto kCard = AclErrorClass::kCard;
constexpr auto kInstallation = AclErrorClass::kInstallation;
constexpr auto kWorker = AclErrorClass::kWorker;

constexpr absl::string_view kSlow = "the kernel did not end within its limit";
constexpr absl::string_view kFault = "the kernel caused an exception on a core";
constexpr absl::string_view kTrap = "the kernel trapped on a core";
constexpr absl::string_view kMemory = "the card's memory is exhausted";
constexpr absl::string_view kLost = "the card is lost or damaged";
constexpr absl::string_view kInside = "the runtime failed inside";
constexpr absl::string_view kNoKernel = "the runtime cannot find the kernel in the object";
constexpr absl::string_view kSetup = "the installation of driver or CANN is unfit";

constexpr Row kRows[] = {
    {100039, kInstallation, v1::INFRASTRUCTURE, "COMPILING_STUB_MODE", "a stub library was loaded"},
    {107001, kInstallation, v1::INFRASTRUCTURE, "INVALID_DEVICEID", "there is no such device, or no driver"},
    {200000, kWorker, v1::INFRASTRUCTURE, "BAD_ALLOC", "the host's memory is exhausted"},
    {200002, kInstallation, v1::INFRASTRUCTURE, "INVALID_DEVICE", "there is no such device"},
    {207001, kCandidate, v1::OUT_OF_MEMORY, "MEMORY_ALLOCATION", kMemory},
    {207003, kCandidate, v1::RUNTIME_ERROR, "AICORE_OVER_FLOW", "an operation overflowed"},
    {207004, kInstallation, v1::INFRASTRUCTURE, "NO_DEVICE", "there is no such device"},
    {207006, kInstallation, v1::INFRASTRUCTURE, "NO_PERMISSION", "this user may not use the card"},
    {207016, kCandidate, v1::RUNTIME_ERROR, "AIVEC_OVER_FLOW", "an operation overflowed"},
    {207018, kCandidate, v1::OUT_OF_MEMORY, "DEVICE_OOM", kMemory},
    {507000, kWorker, v1::INFRASTRUCTURE, "INTERNAL_ERROR", kInside},
    {507008, kInstallation, v1::INFRASTRUCTURE, "SOC_VERSION", "the object was built for another SoC"},
    {507010, kCard, v1::INFRASTRUCTURE, "LOST_HEARTBEAT", kLost},
    {507014, kCandidate, v1::TIMEOUT, "AICORE_TIMEOUT", kSlow},
    {507015, kCandidate, v1::RUNTIME_ERROR, "AICORE_EXCEPTION", kFault},
    {507016, kCandidate, v1::RUNTIME_ERROR, "AICORE_TRAP_EXCEPTION", kTrap},
    {507017, kCandidate, v1::TIMEOUT, "AICPU_TIMEOUT", kSlow},
    {507018, kCandidate, v1::RUNTIME_ERROR, "AICPU_EXCEPTION", kFault},
    {507027, kWorker, v1::INFRASTRUCTURE, "KERNEL_LOOKUP", kNoKernel},
    {507028, kWorker, v1::INFRASTRUCTURE, "KERNEL_DUPLICATE", kNoKernel},
    {507033, kCard, v1::INFRASTRUCTURE, "DEV_SETUP_ERROR", kLost},
    {507034, kCandidate, v1::TIMEOUT, "VECTOR_CORE_TIMEOUT", kSlow},
    {507035, kCandidate, v1::RUNTIME_ERROR, "VECTOR_CORE_EXCEPTION", kFault},
    {507036, kCandidate, v1::RUNTIME_ERROR, "VECTOR_CORE_TRAP_EXCEPTION", kTrap},
    {507042, kCandidate, v1::RUNTIME_ERROR, "AIC_TRAP_READ_OVERFLOW", kTrap},
    {507043, kCandidate, v1::RUNTIME_ERROR, "AIC_TRAP_WRITE_OVERFLOW", kTrap},
    {507044, kCandidate, v1::RUNTIME_ERROR, "AIV_TRAP_READ_OVERFLOW", kTrap},
    {507045, kCandidate, v1::RUNTIME_ERROR, "AIV_TRAP_WRITE_OVERFLOW", kTrap},
    {507046, kCandidate, v1::TIMEOUT, "STREAM_SYNC_TIMEOUT", kSlow},
    {507047, kCandidate, v1::TIMEOUT, "EVENT_SYNC_TIMEOUT", kSlow},
    {507048, kCandidate, v1::TIMEOUT, "FFTS_PLUS_TIMEOUT", kSlow},
    {507049, kCandidate, v1::RUNTIME_ERROR, "FFTS_PLUS_EXCEPTION", kFault},
    {507050, kCandidate, v1::RUNTIME_ERROR, "FFTS_PLUS_TRAP_EXCEPTION", kTrap},
    {507053, kCard, v1::INFRASTRUCTURE, "DEVICE_MEM_ERROR", kLost},
    {507054, kCard, v1::INFRASTRUCTURE, "HBM_MULTI_BIT_ECC_ERROR", kLost},
    {507055, kCard, v1::INFRASTRUCTURE, "SUSPECT_DEVICE_MEM_ERROR", kLost},
    {507056, kCard, v1::INFRASTRUCTURE, "LINK_ERROR", kLost},
    {507899, kCard, v1::INFRASTRUCTURE, "DRV_INTERNAL_ERROR", kLost},
};

const Row* RowOf(int code) {
  for (const Row& row : kRows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace

AclErrorMeaning MeaningOf(int code) {
  if (code == 0) return {};
  if (const Row* row = RowOf(code)) return {row->error_class, row->status, row->name};
  // An unknown fault of the device is the card's; what is wrong with a call is the worker's.
  return {EndsProcess(code) ? kCard : kWorker, v1::INFRASTRUCTURE, ""};
}

bool EndsProcess(int code) { return code >= 507000 && code < 508000; }

std::string AclErrorText(int code, absl::string_view call, absl::string_view message) {
  const Row* row = RowOf(code);
  absl::string_view says = EndsProcess(code) ? kLost : "the worker used the runtime wrongly";
  if (row != nullptr) says = row->says;
  if (row == nullptr && !EndsProcess(code) && code >= 200000) says = kSetup;
  std::string text =
      absl::StrCat(says, " (error ", code, row == nullptr ? "" : absl::StrCat(" ", row->name), " from ", call, ")");
  message = absl::StripAsciiWhitespace(message);
  if (!message.empty()) absl::StrAppend(&text, ": ", Printable(message, kMessageBytes));
  return text;
}

}  // namespace kernelsmith::worker
