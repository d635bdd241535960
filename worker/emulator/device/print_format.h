// Text of the kernel's printf. Pure.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "worker/emulator/include/ks/print_abi.h"

namespace kernelsmith::emulator {

// As documented for printf of kernels: %d %i %u %x %f %s %p %c with flags, width, precision and the lengths l and ll.
// Anything else after a percent sign, or one argument too few, stands in the text as it is.
std::string FormatPrint(const char* format, absl::Span<const kse_print_argument> arguments);

// One value of a dumped tensor: integers in full, real numbers with six digits.
std::string FormatValue(const std::byte* value, uint8_t element);

// "[1.000000, 2.000000]", or by shape "[[1,2],\n[3,-]]": what a shape has too much stands as "-".
std::string FormatTensor(const std::byte* values, uint8_t element, uint32_t element_bytes, uint32_t n,
                         absl::Span<const uint32_t> shape);

}  // namespace kernelsmith::emulator
