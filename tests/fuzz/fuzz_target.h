// A fuzz target: what is done with one input, and real inputs to begin with. Each target is one file that defines
// MakeTarget(); fuzz_entry.cc turns it into a libFuzzer program, standalone_main.cc into a short test without
// libFuzzer.
//
//   std::unique_ptr<Target> MakeTarget() { return std::make_unique<MessageTarget<SearchTexts>>(Seeds(), Search); }
//
// A target aborts on what must not be (FUZZ_CHECK); an error that the service states is no failure.
#pragma once

#include <google/protobuf/message.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

#include "absl/status/status.h"

namespace kernelsmith::fuzz {

#define FUZZ_CHECK(condition, text)                                                            \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " #condition ": " << (text) << std::endl; \
      std::abort();                                                                            \
    }                                                                                          \
  } while (false)

class Target {
 public:
  virtual ~Target() = default;
  virtual std::vector<std::unique_ptr<google::protobuf::Message>> Seeds() const = 0;
  // An empty input of its type.
  virtual std::unique_ptr<google::protobuf::Message> Empty() const = 0;
  virtual void Run(const google::protobuf::Message& input) = 0;
};

// Defined by each target.
std::unique_ptr<Target> MakeTarget();

// A target whose inputs are messages of type Input. `run` keeps what it needs between inputs.
template <typename Input>
class MessageTarget : public Target {
 public:
  MessageTarget(std::vector<Input> seeds, std::function<void(const Input&)> run)
      : seeds_(std::move(seeds)), run_(std::move(run)) {}

  std::vector<std::unique_ptr<google::protobuf::Message>> Seeds() const override {
    std::vector<std::unique_ptr<google::protobuf::Message>> out;
    for (const Input& seed : seeds_) out.push_back(std::make_unique<Input>(seed));
    return out;
  }
  std::unique_ptr<google::protobuf::Message> Empty() const override { return std::make_unique<Input>(); }
  void Run(const google::protobuf::Message& input) override { run_(static_cast<const Input&>(input)); }

 private:
  const std::vector<Input> seeds_;
  const std::function<void(const Input&)> run_;
};

// False for codes that only a defect can bring about when the disk works and nothing shuts down.
inline bool IsStated(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

}  // namespace kernelsmith::fuzz
