// Compiles a candidate as the worker does and calls it in this process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernelsmith/v1/task.pb.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {

// A loaded candidate; unloaded with the last copy.
class LoadedCandidate {
 public:
  // Empty with a message in `error` if it does not compile or warns.
  static std::unique_ptr<LoadedCandidate> Compile(const std::string& source, std::string* error);
  ~LoadedCandidate();

  // Calls it with row-major tensors holding `inputs`, rounded to their types. Returns what ks_kernel returns; `outputs`
  // are what it wrote over a buffer of not-a-numbers.
  int Call(const v1::TaskCase& c, const std::vector<Numbers>& inputs, std::vector<Numbers>* outputs) const;

 private:
  LoadedCandidate() = default;
  void* library_ = nullptr;
  void* entry_ = nullptr;
};

// Numbers as elements of a type, and back.
size_t BytesOf(v1::DType dtype);
std::vector<char> Encoded(const Numbers& numbers, v1::DType dtype);
Numbers Decoded(const std::vector<char>& bytes, v1::DType dtype);

// A value as it is after rounding to the type.
double Rounded(double value, v1::DType dtype);

}  // namespace kernelsmith::server::testing
