// Compiles kernels with bisheng and runs them in this process.
//
// Example:
//   const KernelFile file("queues.asc");                      // in kernels/, compiled once per program
//   KernelRun run(file, "AddOne");
//   auto* x = run.Allocate<float>(1024);                      // in device memory
//   run.Pass(x).Pass(uint32_t{1024}).Launch(8);
//   EXPECT_EQ(run.end(), LaunchEnd::kDone);  EXPECT_THAT(run.Errors(), ElementsAre());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/emulator/device/executor.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

// Path of the device image of kernels/`name`.
std::string CompiledImage(const std::string& name);

struct SeenFinding {
  Check check;
  bool error;
  std::string text;
  std::string operation;
  uint32_t line;
  uint16_t core;
};

struct SeenRecord {
  Record record;
  std::vector<Access> accesses;
  std::string operation;
};

class KernelRun {
 public:
  explicit KernelRun(const std::string& image);
  ~KernelRun();
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  // Device memory, zeroed, each piece an allocation of its own.
  template <typename T>
  T* Allocate(size_t elements) {
    return static_cast<T*>(AllocateBytes(elements * sizeof(T)));
  }
  template <typename T>
  KernelRun& Pass(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    arguments_.emplace_back(bytes, bytes + sizeof(T));
    return *this;
  }
  v1::Soc& soc() { return soc_; }
  KernelRun& StepLimit(uint64_t steps) {
    step_limit_ = steps;
    return *this;
  }
  KernelRun& Launch(const std::string& kernel, uint32_t blocks = 1);

  LaunchEnd end() const { return end_; }
  const std::string& message() const { return message_; }
  const std::string& console() const { return console_; }
  // Of the trace, in order; fails the test if the reader refuses it.
  const std::vector<SeenRecord>& records() const { return records_; }
  const std::vector<SeenFinding>& findings() const { return findings_; }
  // What errors are about, each once.
  std::vector<Check> Errors() const;
  // The first finding of a kind; fails the test and gives an empty one if there is none.
  SeenFinding Find(Check check) const;
  size_t Count(Kind kind) const;

 private:
  void* AllocateBytes(size_t bytes);
  void ReadTrace(const std::byte* block, size_t bytes);

  std::string image_;
  v1::Soc soc_;
  GlobalMemory memory_;
  std::byte* region_ = nullptr;
  size_t used_ = 0;
  std::vector<std::vector<std::byte>> arguments_;
  uint64_t step_limit_ = 0;
  LaunchEnd end_ = LaunchEnd::kDone;
  std::string message_;
  std::string console_;
  std::vector<SeenRecord> records_;
  std::vector<SeenFinding> findings_;
};

}  // namespace kernelsmith::emulator
