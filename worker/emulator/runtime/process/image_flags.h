// How a device image was compiled, by the note that the driver put into it (docs/formats.md).
#pragma once

#include <string>

namespace kernelsmith::emulator {

struct ImageFlags {
  bool auto_sync = true;  // what an image without the note gets
  bool sanitizer = false;
};

ImageFlags ReadImageFlags(const std::string& path);

}  // namespace kernelsmith::emulator
