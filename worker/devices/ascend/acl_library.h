// CANN's runtime library, loaded when it is needed: libascendcl.so, and libacl_rt.so where there is one. The same for a
// real and an emulated card. For kernelsmith-ascend-runner; depends on nothing.
//
// Example:
//   AclLibrary acl;
//   if (std::string why = acl.Load(); !why.empty()) ...
//   acl.aclrtSetDevice(0);
#pragma once

#include <string>

#include "worker/devices/ascend/acl_abi.h"

namespace kernelsmith::worker::acl {

// Not copied: holds handles of libraries that stay loaded until the process ends.
class AclLibrary {
 public:
  // Empty, or what is missing and what to do. Libraries are found through LD_LIBRARY_PATH. Calls aclInit, by which a
  // stub library, made for linking only, is told from a real one.
  std::string Load();

  bool emulated() const { return kseLabel != nullptr; }

#define KERNELSMITH_ACL_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  KERNELSMITH_ACL_REQUIRED(KERNELSMITH_ACL_MEMBER)
  KERNELSMITH_ACL_OPTIONAL(KERNELSMITH_ACL_MEMBER)
#undef KERNELSMITH_ACL_MEMBER

 private:
  void* Find(const char* name) const;

  void* libraries_[2] = {nullptr, nullptr};
};

}  // namespace kernelsmith::worker::acl
