#include "worker/emulator/device/print_format.h"

#include <cstdio>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator {
namespace {

constexpr size_t kMostText = 30 * 1024;

template <typename T>
T As(const std::byte* value) {
  T result;
  std::memcpy(&result, value, sizeof(T));
  return result;
}

std::string Real(double value) {
  char text[400];
  std::snprintf(text, sizeof(text), "%f", value);
  return text;
}

// One conversion: `flags` is what stands between the percent sign and the conversion, without lengths.
std::string Convert(const std::string& flags, char conversion, const kse_print_argument& argument) {
  char text[512];
  const auto print = [&](const std::string& format, auto value) {
    std::snprintf(text, sizeof(text), format.c_str(), value);
    return std::string(text);
  };
  double real;
  std::memcpy(&real, &argument.bits, sizeof(real));
  const bool is_real = argument.kind == KSE_PRINT_REAL;
  switch (conversion) {
    case 'd':
    case 'i': {
      const long long value = is_real ? static_cast<long long>(real) : static_cast<long long>(argument.bits);
      return print(absl::StrCat("%", flags, "lld"), value);
    }
    case 'u':
    case 'x':
    case 'X': {
      const unsigned long long value =
          is_real ? static_cast<unsigned long long>(static_cast<long long>(real)) : argument.bits;
      return print(absl::StrCat("%", flags, "ll", std::string(1, conversion)), value);
    }
    case 'f':
    case 'F':
      if (!is_real) {
        real = argument.kind == KSE_PRINT_SIGNED ? static_cast<double>(static_cast<int64_t>(argument.bits))
                                                 : static_cast<double>(argument.bits);
      }
      return print(absl::StrCat("%", flags, "f"), real);
    case 'c':
      return std::string(1, static_cast<char>(argument.bits));
    case 'p':
      return print(absl::StrCat("%", flags, "p"), reinterpret_cast<void*>(argument.bits));
    default:
      if (argument.kind != KSE_PRINT_TEXT) return "(no text)";
      return std::string(reinterpret_cast<const char*>(argument.bits),
                         strnlen(reinterpret_cast<const char*>(argument.bits), kMostText));
  }
}

}  // namespace

std::string FormatPrint(const char* format, absl::Span<const kse_print_argument> arguments) {
  std::string out;
  size_t next = 0;
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') {
      out.push_back(*at);
      continue;
    }
    if (at[1] == '%') {
      out.push_back('%');
      ++at;
      continue;
    }
    const size_t flags = std::strspn(at + 1, "-+ #0123456789.");
    const char* conversion = at + 1 + flags;
    while (*conversion == 'l' || *conversion == 'h') ++conversion;
    if (*conversion == '\0' || std::strchr("diuxXfFspc", *conversion) == nullptr || next >= arguments.size() ||
        flags > 16) {
      out.push_back('%');
      continue;
    }
    out += Convert(std::string(at + 1, flags), *conversion, arguments[next++]);
    at = conversion;
  }
  return out;
}

std::string FormatValue(const std::byte* value, uint8_t element) {
  switch (element) {
    case KSE_FLOAT:
      return Real(As<float>(value));
    case KSE_HALF:
      return Real(vector::HalfToFloat(As<uint16_t>(value)));
    case KSE_BFLOAT16:
      return Real(vector::Bfloat16ToFloat(As<uint16_t>(value)));
    case KSE_DOUBLE:
      return Real(As<double>(value));
    case KSE_INT8:
      return absl::StrCat(static_cast<int>(As<int8_t>(value)));
    case KSE_INT16:
      return absl::StrCat(As<int16_t>(value));
    case KSE_UINT16:
      return absl::StrCat(As<uint16_t>(value));
    case KSE_INT32:
      return absl::StrCat(As<int32_t>(value));
    case KSE_UINT32:
      return absl::StrCat(As<uint32_t>(value));
    case KSE_INT64:
      return absl::StrCat(As<int64_t>(value));
    case KSE_UINT64:
      return absl::StrCat(As<uint64_t>(value));
    default:
      return absl::StrCat(static_cast<unsigned>(As<uint8_t>(value)));
  }
}

std::string FormatTensor(const std::byte* values, uint8_t element, uint32_t element_bytes, uint32_t n,
                         absl::Span<const uint32_t> shape) {
  if (shape.empty()) {
    std::string out = "[";
    for (uint32_t i = 0; i < n; ++i) {
      absl::StrAppend(&out, i == 0 ? "" : ", ", FormatValue(values + size_t{i} * element_bytes, element));
    }
    return out + "]";
  }
  std::string out;
  uint64_t next = 0;
  const std::function<void(size_t)> print = [&](size_t dimension) {
    out += "[";
    for (uint32_t i = 0; i < shape[dimension]; ++i) {
      const bool last = dimension + 1 == shape.size();
      if (i != 0) out += last ? "," : ",\n";
      if (!last) {
        print(dimension + 1);
      } else {
        out += next < n ? FormatValue(values + next * element_bytes, element) : "-";
        ++next;
      }
    }
    out += "]";
  };
  print(0);
  return out;
}

}  // namespace kernelsmith::emulator
