// From graph nodes to the values of a Program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelsmith/v1/task.pb.h"
#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

using Shape = std::vector<int64_t>;

// The shape of both when NumPy's broadcasting rule is applied; INVALID_ARGUMENT if they do not fit.
absl::StatusOr<Shape> Broadcast(const Shape& a, const Shape& b);

// Whether the element-wise and reduction families know this operation.
bool IsProgramOperation(const std::string& op);
// Whether it removes or looks along dimensions: a reduction, softmax, a normalisation.
bool IsReducingOperation(const std::string& op);

// The dimensions [begin, end) of a tensor of rank `rank` that a reducing node works along.
struct DimensionRange {
  int begin = 0;
  int end = 0;
  friend bool operator==(const DimensionRange&, const DimensionRange&) = default;
};
absl::StatusOr<DimensionRange> ReducedRange(const v1::OpNode& node, int rank);

// Translates nodes one by one into a program whose space is already known.
class Lowering {
 public:
  // `program` must have rank, reduced_begin and reduced_end set.
  Lowering(Program* program, Shape base, bool single_pass)
      : program_(*program), base_(std::move(base)), single_pass_(single_pass) {}

  // An input of the call, under the name of its node.
  absl::Status AddInput(const std::string& name, int input, const v1::TensorDescriptor& tensor);
  // The element of a matrix product.
  void AddProduct(const std::string& name);
  // REQUIRES: the node's inputs were added. FAILED_PRECONDITION names the node and what is not supported about it.
  absl::Status AddNode(const v1::OpNode& node);
  // FAILED_PRECONDITION if the value cannot be an output.
  absl::StatusOr<int> OutputValue(const std::string& name) const;

 private:
  struct Operand {
    int value = 0;
    bool squeezed = false;  // the reduced dimensions were dropped, so it does not line up with the base
  };

  absl::StatusOr<std::vector<Operand>> Arguments(const v1::OpNode& node);
  absl::Status AddMap(const v1::OpNode& node);
  absl::Status AddReducing(const v1::OpNode& node);
  int Mean(int value);
  int Variance(int value, double correction, int* mean);
  int Softmax(int value, bool logarithm);
  int Count();
  int First(int load);

  Program& program_;
  Shape base_;
  bool single_pass_;
  std::map<std::string, Operand> operands_;
};

}  // namespace kernelsmith::server
