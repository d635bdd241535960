#include "worker/devices/ascend/acl_library.h"

#include <dlfcn.h>

namespace kernelsmith::worker::acl {

void* AclLibrary::Find(const char* name) const {
  for (void* library : libraries_) {
    if (library == nullptr) continue;
    if (void* const found = ::dlsym(library, name)) return found;
  }
  return nullptr;
}

std::string AclLibrary::Load() {
  libraries_[0] = ::dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
  const char* const why = libraries_[0] == nullptr ? ::dlerror() : nullptr;
  libraries_[1] = ::dlopen("libacl_rt.so", RTLD_NOW | RTLD_GLOBAL);
  if (libraries_[0] == nullptr && libraries_[1] == nullptr) {
    return std::string("neither libascendcl.so nor libacl_rt.so can be loaded (") + (why == nullptr ? "" : why) +
           "); install the driver and CANN, and set ASCEND_HOME_PATH";
  }
#define KERNELSMITH_ACL_RESOLVE(name, result, parameters) name = reinterpret_cast<result(*) parameters>(Find(#name));
  KERNELSMITH_ACL_REQUIRED(KERNELSMITH_ACL_RESOLVE)
  KERNELSMITH_ACL_OPTIONAL(KERNELSMITH_ACL_RESOLVE)
#undef KERNELSMITH_ACL_RESOLVE
  std::string missing;
#define KERNELSMITH_ACL_CHECK(name, result, parameters) \
  if (name == nullptr) missing += std::string(missing.empty() ? "" : ", ") + #name;
  KERNELSMITH_ACL_REQUIRED(KERNELSMITH_ACL_CHECK)
#undef KERNELSMITH_ACL_CHECK
  if (!missing.empty()) return "CANN's runtime library lacks " + missing + "; install CANN 8.1 or later";
  const Error started = aclInit(nullptr);
  if (started == kStubLibrary) {
    return "the libascendcl.so that was found is a stub for linking (error 100039); LD_LIBRARY_PATH must name CANN's "
           "lib64 folder before any folder devlib or stub";
  }
  if (started != kSuccess && started != kRepeatInitialise) {
    return "aclInit fails with error " + std::to_string(started) + "; see whether npu-smi info shows the card";
  }
  return "";
}

}  // namespace kernelsmith::worker::acl
