// The error codes of ACL that the emulated card returns; values as documented, see docs of CANN 8.1 and 9.1.
#pragma once

namespace kernelsmith::emulator::acl {

enum Code : int {
  kOk = 0,
  kInvalidParam = 100000,
  kRepeatInitialize = 100002,
  kInvalidFile = 100003,
  kRepeatFinalize = 100037,
  kParamInvalid = 107000,
  kInvalidDeviceId = 107001,
  kContextNull = 107002,
  kStreamContext = 107003,
  kEventTimestampInvalid = 107006,
  kInvalidHandle = 107017,
  kFeatureNotSupported = 207000,
  kMemoryAllocation = 207001,
  kResourceAllocFail = 207005,
  kDeviceOom = 207018,
  kInternal = 507000,
  kSocVersion = 507008,
  kLostHeartbeat = 507010,
  kAicoreTimeout = 507014,
  kAicoreException = 507015,
  kKernelLookup = 507027,
  kDeviceSetup = 507033,
  kVectorCoreException = 507035,
  kStreamSyncTimeout = 507046,
  kEventSyncTimeout = 507047,
};

}  // namespace kernelsmith::emulator::acl
