/* The part of AscendCL that programs with kernels of their own use: own declarations of the documented interface. Plain
   C. Errors: every function that returns aclError gives ACL_SUCCESS or a code of acl_base.h; aclGetRecentErrMsg says
   more. */
#ifndef KERNELSMITH_EMULATED_CANN_ACL_H_
#define KERNELSMITH_EMULATED_CANN_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclCANNPackageName_ {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME,
  ACL_PKG_NAME_COMPILER,
  ACL_PKG_NAME_HCCL,
  ACL_PKG_NAME_TOOLKIT,
  ACL_PKG_NAME_OPP,
  ACL_PKG_NAME_OPP_KERNEL,
  ACL_PKG_NAME_DRIVER
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
  char version[128];
  char majorVersion[64];
  char minorVersion[64];
  char releaseVersion[64];
  char patchVersion[64];
  char reserved[128];
} aclCANNPackageVersion;

/* configPath: a JSON file, or NULL. A second call gives ACL_ERROR_REPEAT_INITIALIZE. */
aclError aclInit(const char* configPath);
aclError aclFinalize(void);
/* Text of this thread's last error, which it forgets; NULL when there is none. */
const char* aclGetRecentErrMsg(void);
/* Bytes of an element; 0 for what has no fixed size. */
size_t aclDataTypeSize(aclDataType dataType);
float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);

#ifdef __cplusplus
}
#endif

#endif
