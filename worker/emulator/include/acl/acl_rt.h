/* Devices, memory, streams, events and launches of AscendCL. What the calls mean is documented by CANN; comments here
   say what a reader of a call wants to know. */
#ifndef KERNELSMITH_EMULATED_CANN_ACL_RT_H_
#define KERNELSMITH_EMULATED_CANN_ACL_RT_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY,
  ACL_MEM_MALLOC_NORMAL_ONLY,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000
} aclrtMemMallocPolicy;

typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
  ACL_MEMCPY_DEFAULT
} aclrtMemcpyKind;

typedef enum aclrtMemAttr { ACL_DDR_MEM = 0, ACL_HBM_MEM = 1 } aclrtMemAttr;

typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 0xFFFF
} aclrtStreamStatus;

typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum aclDeviceInfo {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
  ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

/* Flags of aclrtCreateStreamWithConfig. */
#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U
#define ACL_STREAM_PERSISTENT 0x00000004U
/* Flags of aclrtCreateEventWithFlag; only events with TIME_LINE can be measured. */
#define ACL_EVENT_SYNC 0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U
/* Modes of aclrtSetStreamFailureMode. */
#define ACL_CONTINUE_ON_FAILURE 0x00000000U
#define ACL_STOP_ON_FAILURE 0x00000001U

/* Devices. */
aclError aclrtSetDevice(int32_t deviceId);
aclError aclrtResetDevice(int32_t deviceId);
aclError aclrtResetDeviceForce(int32_t deviceId);
aclError aclrtGetDevice(int32_t* deviceId);
aclError aclrtGetDeviceCount(uint32_t* count);
aclError aclrtSynchronizeDevice(void);
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeoutMs);
aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtSetCurrentContext(aclrtContext context);
aclError aclrtGetCurrentContext(aclrtContext* context);

typedef enum aclrtRunMode { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;
aclError aclrtGetRunMode(aclrtRunMode* runMode);
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);
aclError aclrtDeviceL2CacheFlush(void* reserved);

typedef enum aclrtDevAttr {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302
} aclrtDevAttr;
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);
aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);
const char* aclrtGetSocName(void);
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo info, int64_t* value);

/* Memory. destMax is the room at the destination; a greater count is an error. */
aclError aclrtMalloc(void** devicePtr, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtMallocAlign32(void** devicePtr, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtMallocCached(void** devicePtr, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtFree(void* devicePtr);
aclError aclrtMallocHost(void** hostPtr, size_t size);
aclError aclrtFreeHost(void* hostPtr);
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream);
aclError aclrtMemset(void* devicePtr, size_t maxCount, int32_t value, size_t count);
aclError aclrtMemsetAsync(void* devicePtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* freeBytes, size_t* totalBytes);

/* Streams. */
aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtDestroyStreamForce(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeoutMs);
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/* Events. */
aclError aclrtCreateEvent(aclrtEvent* event);
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);
aclError aclrtSynchronizeEvent(aclrtEvent event);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeoutMs);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end);
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* microseconds);

typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;
/* Superseded by aclrtQueryEventStatus, whose values are the other way round. */
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/* Errors of launches by <<<>>>: clear with Get, launch, read with Get or Peek. What the device meets is told by a
   synchronising call. */
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
aclError aclrtGetLastError(aclrtLastErrLevel level);
aclError aclrtSetOpExecuteTimeOut(uint32_t seconds);
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t milliseconds);
aclError aclrtSetOpExecuteTimeOutV2(uint64_t microseconds, uint64_t* actual);
aclError aclrtGetOpTimeOutInterval(uint64_t* microseconds);

/* Kernels from device images. */
typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

typedef struct aclrtLaunchKernelCfg aclrtLaunchKernelCfg;

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen);
aclError aclrtDestroyBinary(aclrtBinary binary);
aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* handle);
aclError aclrtBinaryLoadFromFile(const char* path, aclrtBinaryLoadOptions* options, aclrtBinHandle* handle);
aclError aclrtBinaryLoadFromData(const void* data, size_t dataLen, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* handle);
aclError aclrtBinaryUnLoad(aclrtBinHandle handle);
aclError aclrtBinaryGetFunction(const aclrtBinHandle handle, const char* kernelName, aclrtFuncHandle* function);
aclError aclrtLaunchKernel(aclrtFuncHandle function, uint32_t numBlocks, const void* argsData, size_t argsSize,
                           aclrtStream stream);
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle function, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* config, aclrtArgsHandle args, void* reserved);
typedef struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;
aclError aclrtLaunchKernelV2(aclrtFuncHandle function, uint32_t numBlocks, const void* argsData, size_t argsSize,
                             aclrtLaunchKernelCfg* config, aclrtStream stream);
aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle function, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* config, void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolders, size_t placeHolderCount);
aclError aclrtKernelArgsInit(aclrtFuncHandle function, aclrtArgsHandle* args);
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle function, aclrtArgsHandle args, void* memory, size_t bytes);
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle function, size_t userArgsSize, size_t* bytes);
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle function, size_t* bytes);
/* `value` is the address of the argument, also where the argument is an address. */
aclError aclrtKernelArgsAppend(aclrtArgsHandle args, void* value, size_t bytes, aclrtParamHandle* parameter);
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle args, aclrtParamHandle* parameter);
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle args, aclrtParamHandle parameter, size_t bytes,
                                             void** buffer);
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle args, aclrtParamHandle parameter, void* value, size_t bytes);
aclError aclrtKernelArgsFinalize(aclrtArgsHandle args);

#ifdef __cplusplus
}
#endif

#endif
