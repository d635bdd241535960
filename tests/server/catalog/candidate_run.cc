#include "tests/server/catalog/candidate_run.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <kernelsmith/kernel_abi.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server::testing {
namespace {

uint16_t ToHalf(double value) {
  const auto x = static_cast<float>(value);
  const uint32_t sign = std::signbit(x) ? 0x8000 : 0;
  const double a = std::fabs(double(x));
  if (std::isnan(x)) return 0x7e00;
  if (a >= 65520) return uint16_t(sign | 0x7c00);
  if (a < std::ldexp(1.0, -14)) return uint16_t(sign | uint32_t(std::nearbyint(std::ldexp(a, 24))));
  int exponent = 0;
  std::frexp(a, &exponent);
  const auto mantissa = uint32_t(std::nearbyint(std::ldexp(a, 11 - exponent)));  // 1024 to 2048
  return uint16_t(sign | ((uint32_t(exponent + 13) << 10) + mantissa));
}

double FromHalf(uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const int mantissa = h & 1023;
  double a = 0;
  if (exponent == 0)
    a = std::ldexp(mantissa, -24);
  else if (exponent == 31)
    a = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  else
    a = std::ldexp(1024 + mantissa, exponent - 25);
  return (h & 0x8000) != 0 ? -a : a;
}

uint16_t ToBfloat(double value) {
  const auto x = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

double FromBfloat(uint16_t b) {
  const uint32_t bits = uint32_t(b) << 16;
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

size_t SizeOf(v1::DType dtype) { return dtype == v1::FP16 || dtype == v1::BF16 ? 2 : 4; }

template <typename T>
void Append(std::vector<char>* bytes, T value) {
  const char* p = reinterpret_cast<const char*>(&value);
  bytes->insert(bytes->end(), p, p + sizeof value);
}

void AppendNumber(std::vector<char>* bytes, double value, v1::DType dtype) {
  if (dtype == v1::FP16)
    Append(bytes, ToHalf(value));
  else if (dtype == v1::BF16)
    Append(bytes, ToBfloat(value));
  else if (dtype == v1::INT32)
    Append(bytes, int32_t(value));
  else
    Append(bytes, float(value));
}

template <typename T>
T At(const char* bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof value, sizeof value);
  return value;
}

double NumberAt(const char* bytes, size_t i, v1::DType dtype) {
  if (dtype == v1::FP16) return FromHalf(At<uint16_t>(bytes, i));
  if (dtype == v1::BF16) return FromBfloat(At<uint16_t>(bytes, i));
  if (dtype == v1::INT32) return At<int32_t>(bytes, i);
  return At<float>(bytes, i);
}

// A tensor's descriptor with the arrays it points to, and its bytes at a 64-byte boundary with 64 guard bytes behind.
struct Tensor {
  explicit Tensor(const v1::TensorDescriptor& t) : shape(t.shape().begin(), t.shape().end()) {
    strides.assign(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    for (int64_t extent : shape) elements *= extent;
    bytes = size_t(elements) * SizeOf(t.dtype());
    room.assign(bytes + 128, char(0x7f));  // not-a-numbers of every float type but half; for it, large ones
    data = room.data() + (64 - reinterpret_cast<uintptr_t>(room.data()) % 64) % 64;
    abi = {data, int32_t(t.dtype()), int32_t(shape.size()), shape.data(), strides.data(), elements};
  }
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t elements = 1;
  size_t bytes = 0;
  std::vector<char> room;
  char* data = nullptr;
  ks_tensor abi{};
};

}  // namespace

size_t BytesOf(v1::DType dtype) { return SizeOf(dtype); }

std::vector<char> Encoded(const Numbers& numbers, v1::DType dtype) {
  std::vector<char> bytes;
  for (double x : numbers) AppendNumber(&bytes, x, dtype);
  return bytes;
}

Numbers Decoded(const std::vector<char>& bytes, v1::DType dtype) {
  Numbers numbers;
  for (size_t i = 0; i < bytes.size() / SizeOf(dtype); ++i) numbers.push_back(NumberAt(bytes.data(), i, dtype));
  return numbers;
}

double Rounded(double value, v1::DType dtype) {
  if (dtype == v1::FP16) return FromHalf(ToHalf(value));
  if (dtype == v1::BF16) return FromBfloat(ToBfloat(value));
  if (dtype == v1::INT32) return std::trunc(value);
  return static_cast<float>(value);
}

std::unique_ptr<LoadedCandidate> LoadedCandidate::Compile(const std::string& source, std::string* error) {
  std::string folder = ::testing::TempDir() + "/catalog_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    *error = "no temporary folder";
    return nullptr;
  }
  std::ofstream(folder + "/kernel.cpp") << source;
  const std::string command =
      absl::StrCat("g++ -std=c++20 -O3 -march=native -shared -fPIC -pthread -Wall -Werror -I", KERNELSMITH_SOURCE_DIR,
                   "/worker/include ", folder, "/kernel.cpp -o ", folder, "/kernel.so 2> ", folder, "/messages");
  std::unique_ptr<LoadedCandidate> candidate;
  if (std::system(command.c_str()) != 0) {
    std::stringstream messages;
    messages << std::ifstream(folder + "/messages").rdbuf();
    *error = messages.str();
  } else {
    candidate.reset(new LoadedCandidate);
    candidate->library_ = dlopen((folder + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    candidate->entry_ = candidate->library_ == nullptr ? nullptr : dlsym(candidate->library_, "ks_kernel");
    if (candidate->entry_ == nullptr) {
      *error = dlerror();
      candidate.reset();
    }
  }
  std::filesystem::remove_all(folder);
  return candidate;
}

LoadedCandidate::~LoadedCandidate() {
  if (library_ != nullptr) dlclose(library_);
}

int LoadedCandidate::Call(const v1::TaskCase& c, const std::vector<Numbers>& inputs,
                          std::vector<Numbers>* outputs) const {
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<ks_tensor> in;
  std::vector<ks_tensor> out;
  for (int i = 0; i < c.inputs_size(); ++i) {
    auto tensor = std::make_unique<Tensor>(c.inputs(i));
    std::vector<char> bytes;
    for (double x : inputs[size_t(i)]) AppendNumber(&bytes, x, c.inputs(i).dtype());
    std::copy(bytes.begin(), bytes.end(), tensor->data);
    in.push_back(tensor->abi);
    tensors.push_back(std::move(tensor));
  }
  for (const v1::TensorDescriptor& t : c.outputs()) {
    tensors.push_back(std::make_unique<Tensor>(t));
    out.push_back(tensors.back()->abi);
  }
  const ks_call call = {KS_ABI_VERSION, 2,      uint32_t(in.size()), uint32_t(out.size()), 0, 0, in.data(),
                        out.data(),     nullptr};
  const int code = reinterpret_cast<int (*)(const ks_call*)>(entry_)(&call);
  outputs->clear();
  for (int i = 0; i < c.outputs_size(); ++i) {
    const Tensor& tensor = *tensors[size_t(c.inputs_size() + i)];
    Numbers numbers;
    for (int64_t n = 0; n < tensor.elements; ++n)
      numbers.push_back(NumberAt(tensor.data, size_t(n), c.outputs(i).dtype()));
    outputs->push_back(std::move(numbers));
    for (size_t guard = 0; guard < 64; ++guard) {
      EXPECT_EQ(tensor.data[tensor.bytes + guard], char(0x7f)) << "wrote behind the end of output " << i;
    }
  }
  return code;
}

}  // namespace kernelsmith::server::testing
