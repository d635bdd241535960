// Objects of -dc: their device code is an object too, and all of a program's are linked to one image when the program
// is.
//
//   a.o (host code, device object) -+-> ld.lld -> image (checked) -+-> a.o with the image -+-> linker
//   b.o (host code, device object) -+                              +-> b.o with the image -+
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/emulator/driver/compile.h"

namespace kernelsmith::emulator {

// Puts the device object in the file `device` into the host object. INTERNAL: objcopy failed.
absl::Status AddDeviceObject(const Options& options, const std::string& device, const std::string& host_object);

// The bytes of a section of an object; empty where there is none.
std::string SectionOf(const std::string& object, std::string_view section);

// Replaces paths of such objects by those of copies that hold the image. False: the image is not accepted, which has
// been said. INTERNAL: objcopy failed.
absl::StatusOr<bool> LinkDeviceObjects(const Toolchain& toolchain, const Options& options,
                                       const std::vector<std::string*>& objects, const TemporaryFolder& folder);

}  // namespace kernelsmith::emulator
